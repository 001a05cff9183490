import { describe, expect, it, vi } from 'vitest';
import type { Detection } from '#analysis/detection/detection.ts';
import { createDetector, type Detector } from '#analysis/detection/detector.ts';
import type { SeriesSample } from '#analysis/detection/sample.ts';
import { DAY, HOUR, MONDAY, play, type Scene, seriesIn } from './scene.ts';

// Days of samples are played in each.
vi.setConfig({ testTimeout: 120_000 });

const STAY = ['Beijing', 'Gansu'].map((region) => seriesIn(region));
/** Their probers are switched off after two days; they come before those that stay, which move up when they are forgotten. */
const GONE = ['Hubei', 'Hebei', 'Hunan', 'Henan'].map((region) => seriesIn(region, 'old', 'unicom'));
const SCENE: Scene = {
  days: 13,
  series: [...GONE, ...STAY],
  period: 300,
  seed: 4,
  conditions: (timestamp, { target }) => {
    const hour = (timestamp - MONDAY) / HOUR;
    if (target === 'old') return hour >= 40 && hour < 42 ? { tlsMs: 80 } : {};
    // Before and after the others are forgotten, ten days after the beginning.
    const isSpike = (hour >= 40 && hour < 41) || (hour >= 11 * 24 && hour < 11 * 24 + 1);
    return isSpike ? { tlsMs: 80 } : hour >= 11.5 * 24 ? { path: 1.4 } : {};
  },
};

const bytesOf = (detector: Detector) => [...detector.state()].reduce((sum, { length }) => sum + length, 0);

/** Plays the scene, at each half hour forgetting or not; a state is read again when `restartAt` has passed. */
function run({ isForgetting, restartAt = Number.POSITIVE_INFINITY }: { isForgetting: boolean; restartAt?: number }) {
  let detector = createDetector();
  let indexes = new Map([...(SCENE.series ?? [])].map((_, index) => [index, index]));
  const found: Detection[] = [];
  const forgottenAt: number[] = [];
  let [slot, bytes, restarted] = [0, 0, false];
  for (const { timestamp, samples } of play(SCENE, detector)) {
    const lasting = samples.filter(({ index }) => index >= GONE.length || timestamp < MONDAY + 2 * DAY);
    const named = lasting.map(({ index, sample }): SeriesSample => ({ index: indexes.get(index) as number, sample }));
    if (named.length === 0) continue;
    found.push(...detector.advance(timestamp, named));
    if (timestamp < MONDAY + 2 * DAY) bytes = bytesOf(detector);
    if (timestamp >= restartAt && !restarted) {
      detector = createDetector({}, detector.state());
      restarted = true;
    }
    if (!isForgetting || detector.slot() === slot) continue;
    slot = detector.slot();
    const moved = detector.forget();
    if (moved === null) continue;
    forgottenAt.push(timestamp);
    indexes = new Map(
      [...indexes].flatMap(([own, index]) => {
        const now = moved.get(index);
        return now === undefined ? [] : [[own, now]];
      }),
    );
  }
  return { detector, found, forgottenAt, bytes };
}

describe('series that nobody measures any more', () => {
  const kept = run({ isForgetting: false });

  it('are forgotten after eight days: the state is smaller, and those that stay are judged as before', () => {
    const { detector, found, forgottenAt, bytes } = run({ isForgetting: true });
    expect(kept.found.filter(({ target }) => target === 'old').length).toBeGreaterThan(0);
    expect(new Set(kept.found.filter(({ at }) => at > MONDAY + 10 * DAY).map(({ kind }) => kind))).toEqual(
      new Set(['spike', 'regression']),
    );
    expect(found).toEqual(kept.found);
    // At the end of a half hour, when their last sample is eight days old.
    expect(forgottenAt).toHaveLength(1);
    expect((forgottenAt[0] as number) - (MONDAY + 10 * DAY)).toBeGreaterThan(-300);
    expect((forgottenAt[0] as number) - (MONDAY + 10 * DAY)).toBeLessThan(HOUR);
    expect(bytesOf(detector)).toBeLessThan(0.6 * bytesOf(kept.detector));
    expect(bytesOf(detector)).toBeLessThan(bytes);
    expect([...detector.state()]).toHaveLength(1 + STAY.length);
    // A forgotten one is new when it is measured again.
    expect(detector.indexOf(GONE[0] as (typeof GONE)[number])).toBe(STAY.length);
  });

  it('are forgotten alike by a detector that goes on from a state', () => {
    const { detector, found } = run({ isForgetting: true, restartAt: MONDAY + 10.5 * DAY });
    expect(found).toEqual(kept.found);
    expect([...detector.state()]).toEqual([...run({ isForgetting: true }).detector.state()]);
  });
});
