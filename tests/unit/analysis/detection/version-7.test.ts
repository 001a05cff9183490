import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { currentState, isGoneOnWith } from '#analysis/detection/state.ts';
import { HOUR, MONDAY, play, type Scene, seriesIn } from './scene.ts';

// Days of samples are played.
vi.setConfig({ testTimeout: 120_000 });

// The fixture is the state of the last detector of version 7, written by its own program (the commit before 6377847) in the middle of a
// spike of this scene: the number of pieces, their lengths, all little-endian numbers of 32 bits, and the pieces.
const FIXTURE = 'tests/fixtures/detect/state-version-7.zst';
const STORED = MONDAY + 62 * HOUR;
const SCENE: Scene = {
  days: 4,
  series: ['shop', 'pay'].map((target) => seriesIn('Gansu', target, 'unicom')),
  period: 120,
  seed: 7,
  conditions: (timestamp, { target }, random) => {
    const hour = (timestamp - MONDAY) / HOUR;
    if (random() < 0.02) return { tlsMs: 200 };
    if (target === 'shop' && hour >= 61.5 && hour < 62.5) return { tlsMs: 80, thinkMs: 80 };
    if (hour >= 66) return { path: 1.4 };
    return target === 'pay' && hour >= 80 ? { tlsMs: -3, path: 0.8 } : {};
  },
};

/** What that program raised and ended from there on: when it was known and when it began, seconds after the state was stored. */
const ITS_OWN: [what: string, at: number, changeAt: number][] = [
  ['quiet tls shop', 3_725, -1_797],
  ['quiet firstByte shop', 3_725, -1_797],
  ['spike tls shop network', 14_542, 14_405],
  ['spike tls pay network', 14_542, 14_421],
  ['spike tcp shop network', 14_645, 14_405],
  ['spike firstByte shop network', 14_645, 14_405],
  ['spike tcp pay network', 14_659, 14_421],
  ['spike firstByte pay network', 14_659, 14_421],
  ['regression tls shop network', 30_605, 14_344],
  ['regression tls pay network', 30_605, 14_361],
  ['shift tls shop', 30_605, 14_405],
  ['shift tls pay', 30_605, 14_421],
  ['length tcp shop', 43_323, 14_405],
  ['length firstByte shop', 43_323, 14_405],
  ['length tcp pay', 43_341, 14_421],
  ['length firstByte pay', 43_341, 14_421],
];

function stored(): Uint8Array[] {
  const bytes = zstdDecompressSync(readFileSync(FIXTURE));
  const count = bytes.readUInt32LE(0);
  let at = 4 * (count + 1);
  return Array.from({ length: count }, (_, piece) => {
    const length = bytes.readUInt32LE(4 * (piece + 1));
    at += length;
    return Uint8Array.from(bytes.subarray(at - length, at));
  });
}

describe('a state that version 7 wrote', () => {
  it('is gone on with: the open spike ends, and what comes is found, as its own program would have', () => {
    expect(isGoneOnWith(stored())).toBe(true);
    const detector = createDetector({ spikesOn: ['tls', 'tcp', 'firstByte', 'failures'] }, currentState(stored()));
    expect(detector.open().map(({ metric, target, changeAt }) => [metric, target, changeAt - STORED])).toEqual([
      ['tls', 'shop', -1_797],
      ['firstByte', 'shop', -1_797],
    ]);
    const found: typeof ITS_OWN = [];
    for (const { timestamp, samples } of play(SCENE, detector)) {
      if (timestamp < STORED) continue;
      for (const { kind, metric, target, cause, at, changeAt } of detector.advance(timestamp, samples))
        found.push([`${kind} ${metric} ${target} ${cause}`, at - STORED, changeAt - STORED]);
      for (const { by, metric, target, at, changeAt } of detector.closed())
        found.push([`${by} ${metric} ${target}`, at - STORED, changeAt - STORED]);
    }
    // What is found later than then, or dated otherwise by minutes, is this version's own doing.
    const inOrder = (all: typeof ITS_OWN) => all.toSorted(([a], [b]) => (a < b ? -1 : 1));
    expect(inOrder(found).map(([what]) => what)).toEqual(inOrder(ITS_OWN).map(([what]) => what));
    for (const [nth, [what, at, changeAt]] of inOrder(ITS_OWN).entries()) {
      const [, foundAt = 0, foundChangeAt = 0] = inOrder(found)[nth] ?? [];
      expect(Math.abs(foundAt - at), what).toBeLessThanOrEqual(HOUR);
      expect(Math.abs(foundChangeAt - changeAt), what).toBeLessThanOrEqual(600);
    }
  });
});
