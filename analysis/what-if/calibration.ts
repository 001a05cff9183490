import type { Result } from '#contract/result.ts';
import { INITIAL_WINDOW } from '../tcp-sender/tcp-sender.ts';
import { bufferedWrites, type Exchange, replay, sum } from './exchange.ts';

/** What of a server's sending is not seen directly, but inferred from where it paused. */
type Sender = Pick<Exchange, 'window' | 'noDelay' | 'flightWrites' | 'answerWrites'>;
type Sent = Omit<Exchange, keyof Sender>;

/** What most servers do. */
const USUAL: Sender = { window: INITIAL_WINDOW, noDelay: true, flightWrites: 'buffered', answerWrites: 'records' };

/** Sends the first record of an answer by itself and joins the others (measured: 2.4 with mod_ssl). */
const APACHE = /apache/i;

/** What a candidate costs: each pause too many or too few, each segment that one is misplaced by. */
const PAUSE_COST = 10;
/** The likelier setting wins where two explain the pauses equally well. */
const USUAL_WINDOWS = [INITIAL_WINDOW, 3, 4, 2];
/** Where fewer pauses were seen than the usual window makes. */
const WIDE_WINDOWS = [16, 20, 32, 64];
const SMALL_WINDOW_COST = 0.05;
const UNUSUAL_WINDOW_COST = 0.2;
/** More than a small window's, however it writes: a pause that one explains is no evidence of Nagle's algorithm. No system begins with 5 to 9. */
const NAGLE_COST = 0.15;
const OTHER_WRITES_COST = 0.05;
/** A larger window is none that is in use; what seems to be one is something else. */
const MOST_WINDOW = 100;

/** Pauses as they were measured: bytes before those of the handshake and of the answer, and how many came before and after its first record. */
type Seen = { handshake: number[]; answer: number[]; firstUsable: number; download: number };

/**
 * How the server sends: its initial window as the engine found it, else the setting under which the model pauses where the
 * server did. Where nothing paused it is the usual one: 10 segments, no Nagle, OpenSSL's writes.
 */
export function fittedSender(sent: Sent, { roundTrips, http }: Result): Sender {
  const waits = roundTrips?.waits ?? [];
  const usual: Sender = APACHE.test(http?.server ?? '') ? { ...USUAL, answerWrites: 'rest' } : USUAL;
  if (waits.length === 0 && (!roundTrips || replay({ ...sent, ...usual }, 'api').pauses.length === 0)) return usual;
  const bytesOf = (wanted: string) => waits.filter(({ phase }) => phase === wanted).map(({ afterBytes }) => afterBytes);
  const seen: Seen = {
    handshake: bytesOf('tls'),
    answer: [...bytesOf('firstByte'), ...bytesOf('download')],
    firstUsable: bytesOf('firstByte').length,
    download: bytesOf('download').length,
  };
  const known = roundTrips?.serverWindow ?? null;
  const counted = [waits.find(({ phase }) => phase === 'tls'), waits.find(({ phase }) => phase !== 'tls')];
  const segments = counted.flatMap((wait) => wait?.segments ?? []);
  const unknown = waits.filter(({ heldBy = 'unknown' }) => heldBy === 'unknown');
  // What the engine says is at least so many segments is only what came before a pause of which it cannot tell the reason.
  const atLeast = Math.min(known?.segments ?? 0, ...unknown.flatMap((wait) => wait.segments ?? []));
  const windows = known?.exact ? [known.segments] : likelyWindows(sent, seen, segments, atLeast);
  const said = waits.flatMap(({ heldBy = 'unknown' }) => (heldBy === 'unknown' ? [] : [heldBy]));
  const nagle = said.length > 0 ? said.includes('nagle') : null;
  let best = { sender: usual, cost: Number.POSITIVE_INFINITY };
  for (const window of windows) {
    for (const sender of waysToSend(window, nagle)) {
      const cost = costOf({ ...sent, ...sender }, seen, usual);
      if (cost < best.cost) best = { sender, cost };
    }
  }
  return best.sender;
}

/** The ways in which a server may send at this window; `nagle` is null where the engine does not say what held it back. */
function waysToSend(window: number, nagle: boolean | null): Sender[] {
  return (nagle === null ? [true, false] : [!nagle]).flatMap((noDelay) =>
    (['buffered', 'whole'] as const).flatMap((flightWrites) =>
      (['records', 'rest', 'whole'] as const).map((answerWrites) => ({ window, noDelay, flightWrites, answerWrites })),
    ),
  );
}

/** The usual window, those that are full where the first pauses are, whichever way the server writes, and as many segments as were counted. */
function likelyWindows(
  { handshake, greeting, answer, segmentBytes }: Sent,
  seen: Seen,
  counted: readonly number[],
  atLeast: number,
): number[] {
  const [flight = []] = handshake;
  const inFlight = [bufferedWrites(flight), [sum(flight)]].map((writes) => [writes, seen.handshake[0]] as const);
  const inAnswer = [answer, [sum(answer)]].map((writes) => [[...greeting, ...writes], seen.answer[0]] as const);
  const full = [...inFlight, ...inAnswer].flatMap(([writes, bytes]) =>
    bytes === undefined ? [] : [segmentsOf(writes, bytes, segmentBytes)],
  );
  return [...new Set([...USUAL_WINDOWS, ...full, ...counted, ...WIDE_WINDOWS])].filter(
    (window) => window >= atLeast && window <= MOST_WINDOW,
  );
}

/** Segments that these writes take, up to so many bytes. */
function segmentsOf(writes: readonly number[], bytes: number, segmentBytes: number): number {
  let left = bytes;
  let segments = 0;
  for (const write of writes) {
    if (left <= 0) break;
    segments += Math.ceil(Math.min(write, left) / segmentBytes);
    left -= write;
  }
  return Math.max(1, segments);
}

function costOf(exchange: Exchange, seen: Seen, usual: Sender): number {
  const { segmentBytes, window, noDelay, flightWrites, answerWrites, greeting } = exchange;
  // At a round-trip time of 1 the milestones are round trips, counted.
  const { milestones, pauses } = replay({ ...exchange, rttMs: 1 }, 'api');
  const { handshake, firstUsable, total } = milestones;
  const shown = (step: string) => pauses.filter((pause) => pause.step === step).map(({ afterBytes }) => afterBytes);
  const [inHandshake, inAnswer] = [shown('handshake'), shown('answer')];
  // Whether the greeting was counted as part of the answer's first flight cannot be told.
  const apart = (bytes: number, other: number, spare: number) =>
    Math.min(Math.abs(bytes - other), Math.abs(bytes + spare - other)) / segmentBytes;
  const misplaced = (from: readonly number[], to: readonly number[], spare: number) =>
    from.reduce((cost, bytes, index) => cost + apart(bytes, to[index] ?? bytes, spare), 0);
  const miscounted =
    Math.abs(seen.handshake.length - inHandshake.length) +
    Math.abs(seen.firstUsable - (firstUsable - handshake - 1)) +
    Math.abs(seen.download - (total - firstUsable));
  const unusual =
    windowCost(window) +
    (noDelay ? 0 : NAGLE_COST) +
    (flightWrites === usual.flightWrites ? 0 : OTHER_WRITES_COST) +
    (answerWrites === usual.answerWrites ? 0 : OTHER_WRITES_COST);
  return (
    PAUSE_COST * miscounted +
    misplaced(seen.handshake, inHandshake, 0) +
    misplaced(seen.answer.slice(0, 1), inAnswer, sum(greeting)) +
    unusual
  );
}

function windowCost(window: number): number {
  if (window === INITIAL_WINDOW) return 0;
  return USUAL_WINDOWS.includes(window) ? SMALL_WINDOW_COST : UNUSUAL_WINDOW_COST;
}
