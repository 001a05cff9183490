/**
 * One probe: look-up, connect, handshake, one request, in; one Result, out. The face of `probe/`.
 *
 *   measure            this file: runs the phases in turn, takes down how that ended, makes the Result
 *   sequence           a run of a check: this probe, and those that follow it (resumed, RSA, ECDSA, redirects)
 *   reuse              a second request on the connection of a probe
 *   phases/            what happens, in order, and what is stamped: the stages that a probe reaches
 *   network/ tls/ http/  what the phases work with: DNS and TCP; the tap and TLS on it; HTTP/1.1 and HTTP/2
 *   wire/ certificate/   pure readers of TLS records and messages, and of certificates and staples
 *   kernel/ load/      Linux's own stamps of arrivals, and what our own load does to a probe
 *   result/ round-trips/ findings/  what is made of it once the last stamp is taken
 *   environment        clock, network and load as arguments; warm-up runs all of this once before it counts
 */
import type { SecureContext } from 'node:tls';
import type { Failure, Phases } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import type { ProbeEnvironment } from './environment.ts';
import { messageOf, ProbeFailure } from './failure.ts';
import { http1Finding } from './findings/http.ts';
import { countedInFlight, type Lateness } from './load/load.ts';
import { answer } from './phases/answer.ts';
import { connect } from './phases/connect.ts';
import { cutsOf, marksOf, originOf, phasesOf, stampsOf } from './phases/phases.ts';
import { resolve } from './phases/resolve.ts';
import { secure } from './phases/secure.ts';
import {
  answeredOf,
  answeringOf,
  askedOf,
  connectedOf,
  type Reached,
  type Run,
  type Started,
  securedOf,
} from './phases/stages.ts';
import { ticketAfterHandshake } from './phases/ticket.ts';
import type { Probed, ProbeRequest } from './request.ts';
import { networkOf } from './result/network.ts';
import { resultOf } from './result/result.ts';
import { askAgain } from './reuse.ts';
import { secureContextOf } from './tls/secure-context.ts';

export type { Probed, ProbeRequest } from './request.ts';

/**
 * Runs one probe: look-up, connect, handshake, one request. Whatever goes wrong is the Result's failure; the promise
 * rejects only for a fault of this program. Every socket is closed when it settles.
 */
export function measure(request: ProbeRequest, environment: ProbeEnvironment): Promise<Probed> {
  return countedInFlight(() => probeByHttp1IfRequired(request, environment));
}

/** As browsers do: a request that the server wants by HTTP/1.1 is asked again on a new connection, within the time that is left. */
async function probeByHttp1IfRequired(request: ProbeRequest, environment: ProbeEnvironment): Promise<Probed> {
  const endsAt = environment.clock.now() + request.timeoutMs;
  const { http1Required, ...first } = await probeOnce(request, environment);
  const leftMs = Math.floor(endsAt - environment.clock.now());
  if (!http1Required || !request.settings.alpn.includes('http/1.1') || leftMs <= 0) return first;
  const settings: ProbeSettings = { ...request.settings, alpn: ['http/1.1'] };
  const { result, session, reuse } = await probeOnce({ ...request, settings, timeoutMs: leftMs }, environment);
  return { result: { ...result, findings: [...result.findings, http1Finding(first.result)] }, session, reuse };
}

async function probeOnce(
  request: ProbeRequest,
  environment: ProbeEnvironment,
): Promise<Probed & { http1Required: boolean }> {
  const { clock } = environment;
  const context = contextOrFailure(request);
  const started: Started = { startedAt: clock.wallTime(), start: clock.now(), resolver: null };
  const last: { reached: Reached } = { reached: started };
  const run: Run = {
    request,
    url: new URL(request.url),
    environment,
    overall: { endsAt: started.start + request.timeoutMs, timeoutMs: request.timeoutMs },
    keep(stage) {
      last.reached = stage;
      return stage;
    },
  };
  try {
    const failure = await failureOfWalk(started, run, context, last);
    const { reached } = last;
    const endedAt = endOf(request, reached) ?? clock.now();
    const network = networkOf(reached);
    const [stamps, cuts] = [stampsOf(reached, endedAt), cutsOf(reached)];
    const connected = connectedOf(reached);
    const late = latenessOf(reached, phasesOf(marksOf(stamps, cuts), false));
    const prober = environment.load(originOf(stamps, cuts), late, Boolean(connected?.connection.kernel));
    const secured = securedOf(reached);
    const answered = failure || !request.settings.reuse ? null : answeredOf(reached);
    if (!answered && secured && !failure) await ticketAfterHandshake(secured, run);
    if (!answered) release(reached);
    const result = resultOf(request, { reached, endedAt, failure, network, prober });
    const reuse = answered && (await askAgain(answered, run, result));
    // A body that we stopped reading takes the connection with it, whatever the server would have done.
    if (result.http && answered && !result.http.bodyCut) result.http.keepAlive = reuse !== null;
    if (answered) await ticketAfterHandshake(answered, run);
    const http1Required = askedOf(reached)?.exchange.http1Required() ?? false;
    return { result, session: connected?.tls.session() ?? null, reuse, http1Required };
  } finally {
    release(last.reached);
  }
}

/** Walks through the phases; what went wrong is the failure, unless it is a fault of this program. */
async function failureOfWalk(
  started: Started,
  run: Run,
  context: SecureContext | ProbeFailure,
  last: { reached: Reached },
): Promise<Failure | null> {
  try {
    if (context instanceof ProbeFailure) throw context;
    await walk(started, run, context);
    return null;
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    return withBytesRead(error.failure, last.reached);
  }
}

/** The phases in turn: each takes what the one before has reached, and throws a ProbeFailure where it fails. */
async function walk(started: Started, run: Run, context: SecureContext): Promise<void> {
  const resolved = await resolve(started, run);
  const connected = await connect(resolved, run, context);
  const secured = await secure(connected, run);
  if (run.request.settings.http) await answer(secured, run);
}

/** Roots and versions are read before the clock starts: they are the prober's work, not the target's. */
function contextOrFailure(request: ProbeRequest): SecureContext | ProbeFailure {
  try {
    return secureContextOf(request.settings);
  } catch (error) {
    return new ProbeFailure('tls', 'prober_fault', 'prober', messageOf(error));
  }
}

/** Adds to the failure how much of a body came before it broke off. */
function withBytesRead(failure: Failure, reached: Reached): Failure {
  const answering = answeringOf(reached);
  const broken = failure.phase === 'download' && ['http_closed', 'http_reset'].includes(failure.reason);
  if (!broken || !answering) return failure;
  const { head, exchange } = answering;
  const of = head.length === null ? '' : ` of ${head.length}`;
  return { ...failure, message: `${failure.message}: the body was cut after ${exchange.bytes()}${of} bytes` };
}

/** A probe that went well ends with the last byte that it waited for, not when this program noticed. */
function endOf(request: ProbeRequest, reached: Reached): number | undefined {
  const handshakeEnd = request.settings.http ? undefined : securedOf(reached)?.handshake.lastArrival;
  return answeredOf(reached)?.body.at ?? handshakeEnd;
}

/** Our own delay that may be left in the durations, phase by phase. */
function latenessOf(reached: Reached, { dns, tls, firstByte }: Phases): Lateness[] {
  const { late } = connectedOf(reached)?.tap ?? {};
  return [
    { lateMs: 'lookup' in reached ? (reached.lookup?.lateMs ?? 0) : 0, phaseMs: dns },
    { lateMs: late?.tls ?? 0, phaseMs: tls },
    { lateMs: late?.answer ?? 0, phaseMs: firstByte },
  ];
}

/** Closes all that the probe opened; harmless to call again. */
function release(reached: Reached): void {
  askedOf(reached)?.exchange.close();
  const connected = connectedOf(reached);
  connected?.tls.socket.destroy();
  connected?.tap.destroy();
}
