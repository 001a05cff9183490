import type { SecureContext } from 'node:tls';
import { MOST_ATTEMPTS } from '#contract/result.ts';
import type { Clock } from '../clock.ts';
import { ProbeFailure, tcpFailure } from '../failure.ts';
import type { TcpInfo } from '../kernel/tcp-info.ts';
import { inOwnTurn } from '../load/event-loop-turns.ts';
import type { Connection } from '../network/network.ts';
import { hostOf, type ProbeRequest, refuseAddress } from '../request.ts';
import { Tap } from '../tls/tap.ts';
import { startTls, type TlsConnection } from '../tls/tls.ts';
import { Candidates } from './candidates.ts';
import { overloaded, TIMER_LATE_MS, withinPhase } from './deadline.ts';
import type { Connected, Connecting, FailedAttempt, Resolved, Run } from './stages.ts';

const HTTPS_PORT = 443;
/** So many silent addresses fit into the phase's time-out: each gets an equal share of it, the last all that is left. */
const MOST_SILENT = 3;
/** The kernel repeats a SYN after a second: an address that has not answered by then (ms) may have to be given up. */
const SUSPECT_MS = 1_000;

/**
 * Connects to one address after the other until one answers, and puts the tap and TLS on that connection. Browsers race
 * them (RFC 8305); one at a time shows what each costs. The phase's time-out is that of all attempts together.
 */
export async function connect(resolved: Resolved, run: Run, context: SecureContext): Promise<Connected> {
  const { clock } = run.environment;
  const { tcp: phaseMs } = run.request.settings.timeouts;
  const port = run.url.port === '' ? HTTPS_PORT : Number(run.url.port);
  const candidates = new Candidates(resolved, run);
  const endsAt = Math.min(clock.now() + phaseMs, run.overall.endsAt);
  let failed: readonly FailedAttempt[] = [];
  try {
    for (let address = candidates.take(); address; address = await candidates.takeAfterFailure()) {
      const attemptAt = clock.now();
      const connecting = run.keep({ ...resolved, destination: { ...address, port }, attemptAt, failed });
      const silent = failed.filter(({ failure }) => failure.reason === 'tcp_timeout').length;
      const patience = new Patience(candidates, (endsAt - attemptAt) / Math.max(1, MOST_SILENT - silent), clock);
      const known: { kernel: TcpInfo | null } = { kernel: null };
      const leftMs = failed.length === 0 ? phaseMs : Math.max(0, Math.ceil(endsAt - attemptAt));
      try {
        return await connectTo(connecting, { leftMs, patience, known }, run, context);
      } catch (error) {
        if (!(error instanceof ProbeFailure)) throw error;
        const { failure } = error;
        failed = [...failed, { ...address, startedAt: attemptAt, endedAt: clock.now(), failure, ...known }];
        run.keep({ ...connecting, failed });
        if (isOurs(failure) || failed.length >= MOST_ATTEMPTS || clock.now() >= endsAt) break;
      } finally {
        patience.end();
      }
    }
  } finally {
    candidates.close();
  }
  throw failureOf(failed);
}

/** A fault of this machine that another address would meet as well. One that it has no way to, or may not contact, is passed over. */
const isOurs = ({ source, reason }: FailedAttempt['failure']) =>
  source === 'prober' && reason !== 'prober_offline' && reason !== 'address_not_allowed';

/** What the probe failed by: the last that the target is to blame for, unless the fault was ours. Names all that were tried. */
function failureOf(failed: readonly FailedAttempt[]): ProbeFailure {
  const last = failed.at(-1)?.failure;
  if (!last) throw new Error('there is no address to connect to');
  const blamed = failed.map(({ failure }) => failure).filter(({ source }) => source === 'target');
  const ofTarget = blamed.findLast(({ reason }) => reason !== 'address_not_allowed') ?? blamed.at(-1);
  const { phase, reason, source, message } = isOurs(last) ? last : (ofTarget ?? last);
  const tried = failed.length < 2 ? '' : ` (tried ${failed.map(({ address }) => address).join(', ')})`;
  return new ProbeFailure(phase, reason, source, `${message}${tried}`);
}

/** What was connected to is held against the rules as well: nothing is sent to a peer that is not the address asked for. */
function refuseConnected({ stream, peerAddress }: Connection, request: ProbeRequest): void {
  if (peerAddress === null) return;
  try {
    refuseAddress(peerAddress, request, 'tcp');
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/**
 * How long one attempt is waited for while others are left: its share of the time. Where none is known, the other family
 * is asked for once the SYN is overdue; a lone address keeps all the time there is.
 */
class Patience {
  /** Rejects when the attempt is given up; undefined where it cannot be. */
  readonly over: Promise<never> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(candidates: Candidates, shareMs: number, clock: Clock) {
    if (!candidates.mayHaveMore) return;
    const startedAt = clock.now();
    this.over = new Promise<never>((_, reject) => {
      const giveUp = () => {
        const late = clock.now() - startedAt - shareMs;
        reject(late > TIMER_LATE_MS ? overloaded('tcp', late) : unanswered(shareMs));
      };
      const suspect = async () => {
        await candidates.expand();
        if (this.#ended || !candidates.mayHaveMore) return;
        this.#timer = setTimeout(giveUp, Math.max(0, startedAt + shareMs - clock.now()));
      };
      this.#timer = setTimeout(suspect, Math.min(SUSPECT_MS, shareMs));
    });
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }
}

const unanswered = (withinMs: number) =>
  new ProbeFailure('tcp', 'tcp_timeout', 'target', `no answer from this address within ${Math.round(withinMs)} ms`);

type Attempt = { leftMs: number; patience: Patience; known: { kernel: TcpInfo | null } };

/** Connects to one address within `leftMs`; the ClientHello is made while the SYN is on its way. */
async function connectTo(
  connecting: Connecting,
  attempt: Attempt,
  run: Run,
  context: SecureContext,
): Promise<Connected> {
  const { address, port, family } = connecting.destination;
  const { request, environment, url, overall } = run;
  const { clock, network } = environment;
  refuseAddress(address, request, 'tcp');
  const tap = new Tap(clock);
  let tls: TlsConnection | undefined;
  const started = () => {
    tls ??= startTls(tap, clock, context, hostOf(url), request.settings, request.session);
    return tls;
  };
  const { leftMs, patience, known } = attempt;
  const work = async (signal: AbortSignal) => {
    const connected = network.connect(address, port, family, signal, (info) => {
      known.kernel = info;
    });
    // Where the connect was faster, the ClientHello is made right after it.
    inOwnTurn(() => {
      if (!signal.aborted && !tap.destroyed) started();
    });
    const connection = await connected;
    const connectedAt = connection.kernel?.connectedAt ?? clock.now();
    if (signal.aborted) connection.stream.destroy();
    refuseConnected(connection, request);
    return { connection, connectedAt };
  };
  try {
    const made = withinPhase(clock, 'tcp', leftMs, overall, work, patience.over);
    const { connection, connectedAt } = await made.catch((error: unknown) => {
      throw error instanceof ProbeFailure ? error : tcpFailure(error);
    });
    const connected = run.keep({ ...connecting, connectedAt, connection, tap, tls: started() });
    tap.attach(connection.stream, connection.kernel);
    return connected;
  } catch (error) {
    tls?.socket.destroy();
    tap.destroy();
    throw error;
  }
}
