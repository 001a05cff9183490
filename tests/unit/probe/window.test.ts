import { describe, expect, it } from 'vitest';
import type { Run } from '#probe/round-trips/flights.ts';
import { roundsFor, type WindowInput, windowOf } from '#probe/round-trips/window.ts';

const MSS = 1_448;

/** A run of bursts, each given by the sizes of its segments, that begins at this byte of the connection. */
function runOf(fromByte: number, ...bursts: number[][]): { run: Run; counts: Map<number, number> } {
  const run: Run = { bytes: 0, bursts: [] };
  const counts = new Map<number, number>();
  let upTo = fromByte;
  let segments = 0;
  for (const [nth, burst] of bursts.entries()) {
    const bytes = burst.reduce((sum, size) => sum + size, 0);
    segments += burst.length;
    run.bursts.push({ fromByte: upTo, upTo: upTo + bytes, lastAt: 0, waitsOneTrip: nth + 1 < bursts.length });
    run.bytes += bytes;
    upTo += bytes;
    counts.set(upTo, segments);
  }
  return { run, counts };
}

const full = (segments: number) => Array.from({ length: segments }, () => MSS);

function viewOf(handshake: number[][], answer: number[][], counted = true) {
  const first = runOf(0, ...handshake);
  const then = runOf(first.run.bytes, ...answer);
  const before = handshake.flat().length;
  const input: WindowInput = {
    handshake: first.run,
    answer: answer.length > 0 ? then.run : null,
    mss: MSS,
    segmentsBy: (bytes) => {
      if (!counted) return null;
      if (bytes === 0) return 0;
      const later = then.counts.get(bytes);
      return first.counts.get(bytes) ?? (later === undefined ? null : before + later);
    },
  };
  const view = windowOf(input);
  const stallAt = (run: Run, nth: number) => {
    const upTo = run.bursts[nth]?.upTo ?? 0;
    return { from: 0, upTo, afterBytes: upTo - (run.bursts[0]?.fromByte ?? 0), gapMs: 28, oneRoundTrip: true };
  };
  return {
    window: view.window,
    heldInHandshake: handshake.slice(1).map((_, nth) => view.heldBy(stallAt(first.run, nth))),
    heldInAnswer: answer.slice(1).map((_, nth) => view.heldBy(stallAt(then.run, nth))),
    firstWait: view.segments(stallAt(first.run, 0)),
  };
}

/** A chain of 4.9 kB written in 4,096s: the write's last segment is a small one, and 1.2 kB are left. */
const SHORT_FLIGHT = [[MSS, MSS, 1_200], [1_230]];

describe("the server's window", () => {
  it('is what came before the pause of the handshake', () => {
    const flight = [[MSS, MSS, 1_200, MSS], full(4)];
    expect(viewOf(flight, [])).toMatchObject({
      window: { segments: 4, bytes: 5_544, exact: true },
      heldInHandshake: ['window'],
      firstWait: 4,
    });
  });

  it('is at least what came at once where nothing paused', () => {
    expect(viewOf([full(3)], [full(2)]).window).toEqual({ segments: 3, bytes: 3 * MSS, exact: false });
    expect(viewOf([full(2)], [full(7)]).window).toEqual({ segments: 7, bytes: 7 * MSS, exact: false });
  });

  it('is what came before the pause of the answer, unless the handshake widened it', () => {
    expect(viewOf([full(2)], [full(10), full(5)])).toMatchObject({
      window: { segments: 10, exact: true },
      heldInAnswer: ['window'],
    });
    // Six acknowledged segments widen a window of 10 to 12.
    expect(viewOf([full(6)], [full(12), full(5)]).window).toMatchObject({ segments: 10, exact: true });
    expect(viewOf([full(4)], [full(8), full(8)]).window).toMatchObject({ segments: 4, exact: false });
    expect(viewOf([full(5)], [full(9), full(8)]).window).toMatchObject({ segments: 10, exact: true });
  });

  it("tells Nagle's algorithm from a small window by what comes later", () => {
    expect(viewOf(SHORT_FLIGHT, [full(10), full(5)])).toMatchObject({
      window: { segments: 10, exact: true },
      heldInHandshake: ['nagle'],
      heldInAnswer: ['window'],
    });
    expect(viewOf(SHORT_FLIGHT, [full(6), full(9)])).toMatchObject({
      window: { segments: 3, exact: true },
      heldInHandshake: ['window'],
      heldInAnswer: ['window'],
    });
  });

  it("takes a pause after 5 to 9 segments for Nagle's, since no system has such a window", () => {
    expect(viewOf([[MSS, MSS, 1_200, MSS, MSS, MSS], [986]], [full(12), full(5)])).toMatchObject({
      window: { segments: 10, exact: true },
      heldInHandshake: ['nagle'],
    });
  });

  it('says unknown where nothing came later, or too little', () => {
    expect(viewOf(SHORT_FLIGHT, [])).toMatchObject({ heldInHandshake: ['unknown'], window: { exact: false } });
    expect(viewOf(SHORT_FLIGHT, [full(2)]).heldInHandshake).toEqual(['unknown']);
  });

  it('never takes a pause after full segments alone for Nagle', () => {
    expect(viewOf([full(3), [900]], [full(10), full(9)]).heldInHandshake).toEqual(['window']);
  });

  it('does not take a server that works between headers and body for a window', () => {
    expect(viewOf([full(2)], [[157], full(10), full(4)])).toMatchObject({
      window: { segments: 10, exact: true },
      heldInAnswer: ['unknown', 'window'],
    });
  });

  it('is counted in segments, however small they are', () => {
    const tiny = Array.from({ length: 10 }, () => 129);
    expect(viewOf([full(2)], [tiny, tiny])).toMatchObject({ window: { segments: 10, bytes: 1_290, exact: true } });
  });

  it('is at least what the bytes need where the segments of the answer were not counted', () => {
    const { run } = runOf(full(4).length * MSS, [...full(6), 300, 300], full(8));
    const handshake = runOf(0, full(4));
    const segmentsBy = (bytes: number) => (bytes === 0 ? 0 : (handshake.counts.get(bytes) ?? null));
    const { window } = windowOf({ handshake: handshake.run, answer: run, mss: MSS, segmentsBy });
    expect(window).toMatchObject({ segments: 4, exact: false });
    const large = runOf(full(4).length * MSS, full(12), full(8)).run;
    expect(windowOf({ handshake: handshake.run, answer: large, mss: MSS, segmentsBy }).window).toMatchObject({
      segments: 12,
      exact: false,
    });
  });

  it('is not what came before a pause of more than a round trip', () => {
    const late = runOf(0, [MSS, MSS, 1_200], [MSS]);
    for (const burst of late.run.bursts) burst.waitsOneTrip = false;
    const segmentsBy = (bytes: number) => (bytes === 0 ? 0 : (late.counts.get(bytes) ?? null));
    const { window } = windowOf({ handshake: late.run, answer: null, mss: MSS, segmentsBy });
    expect(window).toMatchObject({ segments: 3, exact: false });
  });

  it('is unknown where segments were not counted, and pauses are told by bytes', () => {
    expect(viewOf(SHORT_FLIGHT, [full(10), full(5)], false)).toMatchObject({
      window: null,
      heldInHandshake: ['nagle'],
      firstWait: null,
    });
  });
});

describe('the rounds of slow start', () => {
  it.each([
    [0, 10, 0],
    [10, 10, 1],
    [11, 10, 2],
    [30, 10, 2],
    [31, 10, 3],
    [7, 3, 2],
  ])('%i segments from a window of %i take %i', (segments, window, rounds) => {
    expect(roundsFor(segments, window)).toBe(rounds);
  });
});
