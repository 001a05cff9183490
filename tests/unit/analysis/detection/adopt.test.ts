import { describe, expect, it, vi } from 'vitest';
import type { ClosedSpike, Detection } from '#analysis/detection/detection.ts';
import { createDetector, type DetectorOptions } from '#analysis/detection/detector.ts';
import { DAY, HOUR, MONDAY, play, type Scene, seriesIn } from './scene.ts';

// Days of samples are played in each.
vi.setConfig({ testTimeout: 60_000 });

const OPTIONS: DetectorOptions = { spikesOn: ['tls', 'tcp', 'firstByte', 'failures'] };
/** Up to here all is judged in silence. */
const UNTIL = MONDAY + 3 * DAY;
const SCENE: Scene = {
  days: 3.1,
  series: ['Beijing', 'Gansu'].map((region) => seriesIn(region)),
  period: 120,
  seed: 3,
  conditions: (timestamp, { region }) => ({ tlsMs: region === 'Gansu' && timestamp >= UNTIL - HOUR ? 90 : 0 }),
};

describe('a detector that takes over the spikes that people were told of', () => {
  it('lets them go on as they were told: over when it is quiet, open while it is not', () => {
    const detector = createDetector(OPTIONS);
    const instants = [...play(SCENE, detector)];
    const told: { found: Detection[]; closed: ClosedSpike[] } = { found: [], closed: [] };
    for (const { timestamp, samples } of instants.filter((each) => each.timestamp < UNTIL))
      detector.advance(timestamp, samples);
    expect(detector.open().map(({ region }) => region)).toEqual(['Gansu']);

    const changeAt = UNTIL - HOUR + 30;
    const adopted = ['Gansu', 'Beijing', 'Hainan'].map((region) => ({
      ...seriesIn(region),
      metric: 'tls' as const,
      changeAt,
    }));
    expect(detector.adopt(adopted).map(({ region }) => region)).toEqual(['Gansu', 'Beijing']);
    // Of Beijing it knows already that the last half hour was as usual.
    expect(detector.open()).toMatchObject([{ region: 'Gansu', changeAt }]);

    for (const { timestamp, samples } of instants.filter((each) => each.timestamp >= UNTIL)) {
      told.found.push(...detector.advance(timestamp, samples));
      told.closed.push(...detector.closed());
    }
    expect(told.found).toEqual([]);
    expect(told.closed).toMatchObject([{ region: 'Beijing', metric: 'tls', changeAt, by: 'quiet' }]);
    expect(told.closed[0]?.at).toBeLessThan(UNTIL + HOUR);
    expect(detector.open()).toMatchObject([{ region: 'Gansu', changeAt }]);
  });
});
