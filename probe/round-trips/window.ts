import type { ServerWindow, Wait } from '#contract/result.ts';
import type { Burst, Run, Stall } from './flights.ts';

/** What servers send before they wait for an acknowledgement (RFC 6928). */
export const USUAL_WINDOW = 10;
/** The most that systems sent before that was so (Linux before 3.0). */
export const SMALL_WINDOW = 4;
/** A pause after this few bytes is no filled window: the smallest windows in use hold two segments. */
const LEAST_WINDOW_BYTES = 2_000;
/** Bytes of a full segment where the kernel was not asked: an MTU of 1,500 and timestamps. */
const USUAL_SEGMENT_BYTES = 1_448;

/** What the window is estimated from. `segmentsBy`: in how many segments so many bytes of the connection came. */
export type WindowInput = {
  handshake: Run | null;
  answer: Run | null;
  mss: number | null;
  segmentsBy(bytes: number): number | null;
};

/**
 * A burst that ended at the connection's byte `upTo`: in segments, counted or at least so many by its bytes; whether a pause of
 * one round trip followed, and whether what came after it looks like what Nagle's algorithm holds back.
 */
type Sent = {
  upTo: number;
  segments: number;
  counted: boolean;
  bytes: number;
  paused: boolean;
  isNagleLike: boolean;
};

/**
 * The server's initial congestion window and what held each pause. A pause after a window is full is told from one that
 * Nagle's algorithm makes (a last small segment waits until an earlier small one is acknowledged) by other pauses: where
 * the server sends more than its grown window would allow later on, the earlier pause was none of the window.
 */
export type WindowView = {
  window: ServerWindow | null;
  heldBy(stall: Stall): Wait['heldBy'];
  segments(stall: Stall): number | null;
};

export function windowOf(input: WindowInput): WindowView {
  const mss = input.mss ?? USUAL_SEGMENT_BYTES;
  const handshake = sentIn(input.handshake, input, mss);
  const answer = sentIn(input.answer, input, mss);
  const first = firstFull(handshake, 0);
  const then = firstFull(answer, first?.paused === false ? first.segments : 0);
  const estimate = estimateOf(first, then);
  const before = (stall: Stall) => [...handshake, ...answer].find(({ upTo }) => upTo === stall.upTo);
  return {
    window: handshake[0]?.counted ? estimate : null,
    segments: (stall) => {
      const sent = before(stall);
      return sent?.counted ? sent.segments : null;
    },
    heldBy: (stall) => {
      const sent = before(stall);
      if (!stall.oneRoundTrip || estimate === null) return 'unknown';
      if (!sent || !mayFill(sent, first?.paused === false ? first.segments : 0)) return 'unknown';
      if (!sent.isNagleLike) return 'window';
      if (estimate.segments > sent.segments) return 'nagle';
      return estimate.exact ? 'window' : 'unknown';
    },
  };
}

/** Whether a pause after so much may be for a full window: after less the server worked, or waited for something else. */
function mayFill({ segments, bytes }: Sent, least: number): boolean {
  return segments >= least && (bytes >= LEAST_WINDOW_BYTES || segments >= USUAL_WINDOW);
}

/** The first burst that may have filled a window of `least` segments or more; else the largest, as if nothing had paused. */
function firstFull(sent: Sent[], least: number): Sent | null {
  const full = sent.find((each) => each.paused && mayFill(each, least));
  if (full) return full;
  const [largest] = sent.toSorted((a, b) => b.segments - a.segments);
  return largest ? { ...largest, paused: false } : null;
}

/** Segments of what came between two places; null where that was not recorded. */
function countOf({ fromByte, upTo }: Pick<Burst, 'fromByte' | 'upTo'>, { segmentsBy }: WindowInput): number | null {
  const [before, after] = [segmentsBy(fromByte), segmentsBy(upTo)];
  return before === null || after === null ? null : after - before;
}

function sentIn(run: Run | null, input: WindowInput, mss: number): Sent[] {
  if (!run) return [];
  const end = run.bursts.at(-1)?.upTo ?? 0;
  return run.bursts.map((burst) => {
    const bytes = burst.upTo - burst.fromByte;
    const count = countOf(burst, input);
    const segments = count ?? Math.ceil(bytes / mss);
    const rest = end - burst.upTo;
    return {
      upTo: burst.upTo,
      segments,
      counted: count !== null,
      bytes,
      paused: burst.waitsOneTrip,
      // Full segments are never held back by Nagle's algorithm; what it holds back is less than one.
      isNagleLike: rest > 0 && rest < mss && bytes % mss !== 0 && segments < USUAL_WINDOW,
    };
  });
}

/**
 * `first` is what came of the handshake's flight at once, `then` what came of the answer. Where the usual window of 10 and a
 * smaller one that grew would both do, it is the usual one.
 */
function estimateOf(first: Sent | null, then: Sent | null): ServerWindow | null {
  if (!first) return null;
  const exactly = ({ segments, bytes, counted }: Sent, exact = true): ServerWindow => ({
    segments,
    bytes,
    exact: exact && counted,
  });
  if (first.paused && !first.isNagleLike) return exactly(first);
  if (!then) return exactly(first, false);
  if (first.paused) {
    // After a full window of n, 2n may follow: more shows that the window was not full. No system begins with 5 to 9.
    if (then.segments > 2 * first.segments + 1) return exactly(then, then.paused);
    if (first.segments > SMALL_WINDOW && then.segments >= USUAL_WINDOW) return usualWindow(then);
    return exactly(first, then.paused && then.segments >= 2 * first.segments);
  }
  // Linux lets the window grow by what was acknowledged while less than twice of that fits into it: to 2n at most.
  if (then.segments > 2 * first.segments + 1) return exactly(then, then.paused && !then.isNagleLike);
  const least = Math.max(first.segments, then.segments - first.segments);
  // A sender may leave the last place of its window empty for a moment: 9 of 10 came.
  const almost = then.paused && least > SMALL_WINDOW && then.segments === USUAL_WINDOW - 1;
  if (almost || (least <= USUAL_WINDOW && then.segments >= USUAL_WINDOW)) return usualWindow(then);
  return { segments: least, bytes: Math.round((then.bytes * least) / then.segments), exact: false };
}

const usualWindow = ({ segments, bytes, paused, counted }: Sent): ServerWindow => ({
  segments: USUAL_WINDOW,
  bytes: Math.round((bytes * USUAL_WINDOW) / segments),
  exact: paused && counted,
});

/** Round trips that so many segments take from an initial window, which doubles with each (slow start, RFC 5681). */
export function roundsFor(segments: number, window: number): number {
  let rounds = 0;
  for (let sent = 0, next = Math.max(1, window); sent < segments; sent += next, next *= 2) rounds += 1;
  return rounds;
}
