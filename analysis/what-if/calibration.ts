import type { Result } from '#contract/result.ts';
import { INITIAL_WINDOW } from '../tcp-sender/tcp-sender.ts';
import { type Exchange, replay } from './exchange.ts';

/** What of a server's TCP is not seen directly, but inferred from where it paused. */
type Sender = Pick<Exchange, 'window' | 'noDelay'>;

/** Windows that are tried: all that were ever a default, and up to what content networks set. */
const MOST_WINDOW = 64;
/** What a candidate costs: each pause too many or too few, each segment that one is misplaced by. */
const PAUSE_COST = 10;
/** A likelier setting wins where two explain the pauses equally well. */
const UNUSUAL_WINDOW_COST = 0.01;
const NAGLE_COST = 0.5;

/** Pauses as they were measured: after how many bytes of the handshake's flight, and how many in the answer's parts. */
type Seen = { handshake: number[]; firstUsable: number; download: number };

/**
 * The server's initial window and whether Nagle's algorithm is on: as the engine found them, else the setting under which
 * the model pauses where the server did. Where nothing paused it is the usual one: 10 segments, no Nagle.
 */
export function fittedSender(sent: Omit<Exchange, 'window' | 'noDelay'>, { roundTrips }: Result): Sender {
  const waits = roundTrips?.waits ?? [];
  const known = roundTrips?.serverWindow ?? null;
  const usual: Sender = { window: INITIAL_WINDOW, noDelay: true };
  if (waits.length === 0) return usual;
  const seen: Seen = {
    handshake: waits.filter(({ phase }) => phase === 'tls').map(({ afterBytes }) => afterBytes),
    firstUsable: waits.filter(({ phase }) => phase === 'firstByte').length,
    download: waits.filter(({ phase }) => phase === 'download').length,
  };
  const windows = known?.exact ? [known.segments] : Array.from({ length: MOST_WINDOW }, (_, index) => index + 1);
  const candidates = windows.flatMap((window) => [true, false].map((noDelay) => ({ window, noDelay })));
  let best = { sender: usual, cost: Number.POSITIVE_INFINITY };
  for (const sender of candidates) {
    const cost = costOf({ ...sent, ...sender }, seen);
    if (cost < best.cost) best = { sender, cost };
  }
  return best.sender;
}

function costOf(exchange: Exchange, seen: Seen): number {
  const { rttMs, segmentBytes, window, noDelay } = exchange;
  const { milestones, pauses } = replay(exchange, 'api');
  const { handshake, firstUsable, total } = milestones;
  const shown = pauses.filter(({ step }) => step === 'handshake').map(({ afterBytes }) => afterBytes);
  const misplaced = seen.handshake.reduce(
    (cost, bytes, index) => cost + Math.abs(bytes - (shown[index] ?? bytes)) / segmentBytes,
    0,
  );
  const trips = (from: number, to: number) => Math.round((to - from) / rttMs);
  const miscounted =
    Math.abs(seen.handshake.length - shown.length) +
    Math.abs(seen.firstUsable - (trips(handshake, firstUsable) - 1)) +
    Math.abs(seen.download - trips(firstUsable, total));
  const prior = UNUSUAL_WINDOW_COST * Math.abs(window - INITIAL_WINDOW) + (noDelay ? 0 : NAGLE_COST);
  return PAUSE_COST * miscounted + misplaced + prior;
}
