import type { SecureContext } from 'node:tls';
import type { Failure, ProberState } from '#contract/result.ts';
import { messageOf, ProbeFailure } from './failure.ts';
import type { ProbeEnvironment } from './interfaces.ts';
import { countedInFlight } from './load/in-flight.ts';
import { reach } from './phases/connect.ts';
import type { Overall } from './phases/deadline.ts';
import { type Evidence, noEvidence } from './phases/evidence.ts';
import { fetchOnce } from './phases/fetch.ts';
import { handshake } from './phases/handshake.ts';
import { originOf } from './phases/phases.ts';
import { ticketAfterHandshake } from './phases/ticket.ts';
import type { Probed, ProbeRequest } from './request.ts';
import { noteKernelFigures } from './result/kernel-figures.ts';
import { resultOf } from './result/result.ts';
import { secureContextOf } from './tls/secure-context.ts';

export type { Probed, ProbeRequest } from './request.ts';

/**
 * Runs one probe: look-up, connect, handshake, one GET. Whatever goes wrong is the Result's failure; the promise
 * rejects only for a fault of this program. Every socket is closed when it settles.
 */
export function measure(request: ProbeRequest, environment: ProbeEnvironment): Promise<Probed> {
  return countedInFlight(() => probeOnce(request, environment));
}

async function probeOnce(request: ProbeRequest, environment: ProbeEnvironment): Promise<Probed> {
  const { clock } = environment;
  const context = contextOrFailure(request);
  const startedAt = clock.wallTime();
  const evidence = noEvidence(clock.now());
  let prober: ProberState;
  try {
    await walkToEnd(request, environment, context, evidence);
    noteKernelFigures(evidence);
    prober = environment.load(originOf(evidence.stamps, evidence.cuts), lateMsOf(evidence), evidence.kernel !== null);
    await ticketAfterHandshake(request, environment, evidence);
  } finally {
    release(evidence);
  }
  const result = await resultOf(request, startedAt, evidence, prober);
  return { result, session: evidence.line?.session() ?? null };
}

/** Walks through the phases and notes how and when that ended. */
async function walkToEnd(
  request: ProbeRequest,
  environment: ProbeEnvironment,
  context: SecureContext | ProbeFailure,
  evidence: Evidence,
): Promise<void> {
  try {
    if (context instanceof ProbeFailure) throw context;
    await walk(request, environment, context, evidence);
  } catch (error) {
    evidence.failure = saidHowMuch(failureOf(error), evidence);
  }
  evidence.stamps = { ...evidence.stamps, end: endOf(request, evidence) ?? environment.clock.now() };
  evidence.cuts = { ...evidence.cuts, beforeHelloMs: helloWaitOf(evidence) };
}

/** The phases in turn; each throws a ProbeFailure where it fails. */
async function walk(
  request: ProbeRequest,
  environment: ProbeEnvironment,
  context: SecureContext,
  evidence: Evidence,
): Promise<void> {
  const overall: Overall = { endsAt: evidence.stamps.start + request.timeoutMs, timeoutMs: request.timeoutMs };
  const url = new URL(request.url);
  await reach(url, request, environment, context, overall, evidence);
  await handshake(url, request, environment, overall, evidence);
  if (request.settings.http) await fetchOnce(url, request, environment, overall, evidence);
}

/** Roots and versions are read before the clock starts: they are the prober's work, not the target's. */
function contextOrFailure(request: ProbeRequest): SecureContext | ProbeFailure {
  try {
    return secureContextOf(request.settings);
  } catch (error) {
    return new ProbeFailure('tls', 'prober_fault', 'prober', messageOf(error));
  }
}

/** Of a body that broke off it is told how much of it came. */
function saidHowMuch(failure: Failure, { head, exchange }: Evidence): Failure {
  const broken = failure.phase === 'download' && ['http_closed', 'http_reset'].includes(failure.reason);
  if (!broken || !head || !exchange) return failure;
  const of = head.length === null ? '' : ` of ${head.length}`;
  return { ...failure, message: `${failure.message}: the body was cut after ${exchange.bytes()}${of} bytes` };
}

function failureOf(error: unknown): Failure {
  if (error instanceof ProbeFailure) return error.failure;
  throw error;
}

/** A probe that went well ends with the last byte that it waited for, not when this program noticed. */
function endOf(request: ProbeRequest, { stamps }: Evidence): number | undefined {
  return stamps.bodyEnd ?? (request.settings.http ? undefined : stamps.appconnect);
}

/** How long (ms) our ClientHello waited after the connect. */
function helloWaitOf({ stamps, tap }: Evidence): number {
  if (stamps.connect === undefined || !tap || tap.helloSentAt === null) return 0;
  return Math.max(0, tap.helloSentAt - stamps.connect);
}

/** Our own delay that may be left in the durations. */
function lateMsOf({ tap, lookupLateMs }: Evidence): number {
  return Math.max(0, tap?.lateMs ?? 0, lookupLateMs);
}

function release({ exchange, line, tap }: Evidence): void {
  exchange?.close();
  line?.socket.destroy();
  tap?.destroy();
}
