import type { X509Certificate } from 'node:crypto';
import type { Failure } from '#contract/result.ts';
import type { IdentityProblem } from '../certificate/identity.ts';
import type { ProbeEnvironment } from '../environment.ts';
import type { Exchange, ResponseBody, ResponseHead } from '../http/exchange.ts';
import type { TcpInfo } from '../kernel/tcp-info.ts';
import type { Connection, ResolvedAddress } from '../network/network.ts';
import type { ProbeRequest } from '../request.ts';
import type { Tap } from '../tls/tap.ts';
import type { FinishedHandshake, TlsConnection } from '../tls/tls.ts';
import type { Overall } from './deadline.ts';

/**
 * How far a probe has come, as values: each holds all of the one before it, and none is changed. A phase takes one and
 * returns the next, so that what it needs is there by its type; a probe that fails keeps the last one that it reached.
 * Instants are milliseconds of the environment's monotonic clock, as they were stamped.
 */
export type Reached = Started | Resolved | Connecting | Connected | Secured | Asked | Answering | Answered;

export type Started = {
  /** Wall-clock time, which only names the start. */
  readonly startedAt: Date;
  readonly start: number;
  /** The resolver that was asked; null for none. */
  readonly resolver: string | null;
};

/** There are addresses to try. */
export type Resolved = Started & {
  readonly addresses: readonly ResolvedAddress[];
  /** When the look-up ended, how late (ms) that stamp may be, and the name that it found; null where none was needed. */
  readonly lookup: { readonly endedAt: number; readonly lateMs: number; readonly name: string } | null;
};

/** One of the addresses is being connected to. */
export type Connecting = Resolved & {
  readonly destination: ResolvedAddress & { readonly port: number };
  /** When this attempt began, and those that have failed, in order: the ones before it, and itself once it has. */
  readonly attemptAt: number;
  readonly failed: readonly FailedAttempt[];
};

/** A connect to one address that came to nothing; `kernel` is what the kernel knew of it, null where it cannot be asked. */
export type FailedAttempt = ResolvedAddress & {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly failure: Failure;
  readonly kernel: TcpInfo | null;
};

/** TCP is connected, with the tap and TLS on it; the ClientHello has left or is about to. */
export type Connected = Connecting & {
  readonly connectedAt: number;
  readonly connection: Connection;
  readonly tap: Tap;
  readonly tls: TlsConnection;
};

/** The handshake is over. The certificate may still be refused: `problem` says why. */
export type Secured = Connected & {
  readonly handshake: FinishedHandshake;
  /** Bytes sent when the handshake was over, before the request. */
  readonly bytesOut: number;
  readonly leaf: X509Certificate | undefined;
  readonly problem: IdentityProblem | null;
};

/** The request is on its way; then its answer's head is there; then the body has ended. */
export type Asked = Secured & { readonly exchange: Exchange };
export type Answering = Asked & { readonly head: ResponseHead };
export type Answered = Answering & { readonly body: ResponseBody };

/** What every phase of one probe shares. `keep` takes down the last stage reached, and gives it back. */
export type Run = {
  readonly request: ProbeRequest;
  readonly url: URL;
  readonly environment: ProbeEnvironment;
  readonly overall: Overall;
  keep<Stage extends Reached>(stage: Stage): Stage;
};

/** The probe as far as its TCP connection, or null where it did not come so far; likewise the next ones. */
export function connectedOf(reached: Reached): Connected | null {
  return 'tap' in reached ? reached : null;
}

export function securedOf(reached: Reached): Secured | null {
  return 'handshake' in reached ? reached : null;
}

export function askedOf(reached: Reached): Asked | null {
  return 'exchange' in reached ? reached : null;
}

export function answeringOf(reached: Reached): Answering | null {
  return 'head' in reached ? reached : null;
}

export function answeredOf(reached: Reached): Answered | null {
  return 'body' in reached ? reached : null;
}
