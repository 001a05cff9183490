import { v7 as uuidv7 } from 'uuid';
import { connectMsOf, type Failure, type Marks, type Result, type RoundTrips } from '#contract/result.ts';
import type { ResultTls } from '#contract/tls.ts';
import { ProbeFailure } from './failure.ts';
import { roundMs } from './format.ts';
import { type Exchange, HTTP_LIMITS } from './http/exchange.ts';
import { Expected } from './http/expectation.ts';
import { isFollowed, readAnswer } from './phases/answer.ts';
import { phasesOf } from './phases/phases.ts';
import type { Answered, Answering, Run } from './phases/stages.ts';
import { httpOf } from './result/http.ts';
import { networkOf } from './result/network.ts';
import { stallsBetween } from './round-trips/flights.ts';
import { kernelRttOf } from './round-trips/loss.ts';
import { MAX_WAITS, waitsOf } from './round-trips/round-trips.ts';

/** A connection that ended before it answered again was not kept: clients then ask on a new one. */
const NOT_KEPT = ['http_closed', 'http_reset'];
const NONE = { took: 0, expected: 0 };

/**
 * Asks the same once more on the connection of a probe whose Result is `main`, as its settings want it. Null where the server
 * has not kept the connection. Times count from the request: connect and handshake took none, so that their phases are 0.
 */
export async function askAgain(answered: Answered, run: Run, main: Result): Promise<Result | null> {
  const { request, environment } = run;
  const { tap } = answered;
  const { clock } = environment;
  const expected = new Expected(request.settings.expect);
  const startedAt = clock.wallTime();
  const since = clock.now();
  tap.expectAnswer(HTTP_LIMITS);
  tap.wire.chunks.length = 0;
  tap.late.answer = 0;
  const exchange = answered.exchange.again((piece) => expected.take(piece));
  if (!exchange) return null;
  let reached: Answering | Answered | null = null;
  let failure: Failure | null = null;
  try {
    const { timeoutMs } = run.overall;
    const overall = { endsAt: clock.now() + timeoutMs, timeoutMs };
    const { head: _head, body: _body, ...before } = answered;
    const again = await readAnswer({ ...before, exchange }, run, overall, (stage) => (reached = stage));
    if (!isFollowed(again, run)) expected.check(again.head.status);
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    failure = error.failure;
    exchange.close();
    if (reached === null && NOT_KEPT.includes(failure.reason)) return null;
  }
  const asked = { startedAt, since, endedAt: clock.now(), lateMs: tap.late.answer };
  return resultOf(main, { answered, reached, exchange, failure }, run, asked);
}

type Second = { answered: Answered; reached: Answering | Answered | null; exchange: Exchange; failure: Failure | null };
type AskedAt = { startedAt: Date; since: number; endedAt: number; lateMs: number };

function resultOf(main: Result, { answered, reached, exchange, failure }: Second, run: Run, asked: AskedAt): Result {
  const start = answered.tap.requestSentAt ?? asked.since;
  const offset = (at: number | undefined) => (at === undefined ? null : roundMs(Math.max(0, at - start)));
  const body = reached && 'body' in reached ? reached.body : null;
  const marks: Marks = {
    namelookup: null,
    connect: 0,
    appconnect: 0,
    pretransfer: 0,
    starttransfer: offset(reached?.head.at),
    firstBody: offset(exchange.bodyStart()?.at),
    total: offset(body?.at ?? asked.endedAt),
  };
  const phases = phasesOf(marks, body !== null);
  const late = [{ lateMs: asked.lateMs, phaseMs: phases.firstByte }];
  const network = networkOf(answered);
  const http = reached && httpOf(reached, failure, start);
  const roundTrips = http && roundTripsOf(answered, marks, start + (http.firstPacketMs ?? 0), main, network, body?.at);
  return {
    ...main,
    id: uuidv7({ msecs: asked.startedAt.getTime() }),
    startedAt: asked.startedAt.toISOString(),
    ok: failure === null,
    failure,
    phases,
    marks,
    network,
    tls: main.tls && withoutHandshake(main.tls),
    http,
    roundTrips,
    prober: run.environment.load(asked.since, late, Boolean(answered.connection.kernel)),
    findings: [],
  };
}

/** What was agreed on before still holds; nothing of it was sent again. */
function withoutHandshake({ wire: _wire, hellos: _hellos, session: _session, ...tls }: ResultTls): ResultTls {
  const nothing = { roundTrips: 0, expectedRoundTrips: 0, rttRatio: null, wireMs: 0, localMs: 0, workMs: null };
  return {
    ...tls,
    handshake: { ...nothing, flights: 0, records: 0, bytesIn: 0, bytesOut: 0 },
    certificate: null,
    staple: { status: 'not_observed', producedAt: null, thisUpdate: null, nextUpdate: null, bytes: 0 },
    flightBytes: null,
  };
}

/** The waits inside the answer; none are counted where a segment was lost since the main Result. */
function roundTripsOf(
  { tap }: Answered,
  marks: Marks,
  firstPacket: number,
  main: Result,
  network: Result['network'],
  bodyEnd: number | undefined,
): RoundTrips {
  const origin = tap.requestSentAt ?? 0;
  const rttMs = kernelRttOf(network) ?? connectMsOf(main) ?? 0;
  const lost =
    network.outOfOrder !== main.network.outOfOrder || network.retransmits !== main.network.retransmits || rttMs === 0;
  const between = (from: number, to: number | null | undefined) =>
    lost || to === null || to === undefined ? [] : stallsBetween(tap.wire.chunks, from, to, rttMs);
  const at = (mark: number | null | undefined) => (mark === null || mark === undefined ? null : origin + mark);
  const usable = at(marks.starttransfer) ?? firstPacket;
  const [firstByte, download] = [between(firstPacket, usable), between(usable, bodyEnd)];
  const firstBody = at(marks.firstBody);
  return {
    tcp: NONE,
    tls: NONE,
    firstPacket: { took: 1, expected: 1 },
    firstByte: { took: 1 + firstByte.length, expected: 1 },
    firstBody: { took: firstBody === null ? null : 1 + between(firstPacket, firstBody).length, expected: 1 },
    download: { took: bodyEnd === undefined ? null : download.length, expected: 0 },
    serverWindow: null,
    waits: [...waitsOf('firstByte', firstByte, origin, null), ...waitsOf('download', download, origin, null)].slice(
      0,
      MAX_WAITS,
    ),
  };
}
