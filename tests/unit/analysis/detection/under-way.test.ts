import { describe, expect, it } from 'vitest';
import type { ClosedSpike, Detection } from '#analysis/detection/detection.ts';
import { createDetector, type DetectorOptions } from '#analysis/detection/detector.ts';
import { type Conditions, DAY, HOUR, MONDAY, play, type Scene, SHOP, seriesIn } from './scene.ts';

const NOON = MONDAY + 3 * DAY + 12 * HOUR;
const MINUTE = 60;

/** What is raised and what is over, with the number of spikes under way after every instant. */
function watch(scene: Scene, options: DetectorOptions = {}) {
  const detector = createDetector(options);
  const raised: Detection[] = [];
  const closed: ClosedSpike[] = [];
  const underWay = new Map<number, number>();
  for (const { timestamp, samples } of play(scene, detector)) {
    raised.push(...detector.advance(timestamp, samples));
    closed.push(...detector.closed());
    underWay.set(timestamp, detector.open().length);
    expect(raised.filter(({ kind }) => kind === 'spike').length - closed.length).toBe(detector.open().length);
  }
  return { raised, closed, underWay };
}

const during = (hours: number, what: Conditions) => (timestamp: number) =>
  timestamp >= NOON && timestamp < NOON + hours * HOUR ? what : {};

describe('the end of a spike', () => {
  it('is known after half an hour of quiet, and dated to its beginning', () => {
    const { raised, closed } = watch({ days: 4, conditions: during(1, { path: 2 }) });
    expect(raised).toHaveLength(1);
    expect(closed).toMatchObject([{ ...SHOP, metric: 'tls', changeAt: raised[0]?.changeAt, by: 'quiet' }]);
    const [{ at, endedAt } = { at: 0, endedAt: 0 }] = closed;
    expect(Math.abs(endedAt - (NOON + HOUR))).toBeLessThanOrEqual(2 * MINUTE);
    expect(at - endedAt).toBeGreaterThanOrEqual(30 * MINUTE);
    expect(at - endedAt).toBeLessThanOrEqual(32 * MINUTE);
  });

  it('is not a pause of twenty minutes', () => {
    const { raised, closed } = watch({
      days: 4,
      conditions: (timestamp) =>
        timestamp >= NOON + 30 * MINUTE && timestamp < NOON + 50 * MINUTE ? {} : during(2, { path: 2 })(timestamp),
    });
    expect(raised).toHaveLength(1);
    expect(closed).toHaveLength(1);
    expect(closed[0]?.endedAt).toBeGreaterThanOrEqual(NOON + 2 * HOUR);
  });

  it('of a spike that was the beginning of a lasting change is that change', () => {
    const { raised, closed } = watch({ days: 5, conditions: during(100, { path: 1.6 }) });
    expect(raised.map(({ kind }) => kind)).toEqual(['spike', 'regression']);
    expect(closed).toMatchObject([{ by: 'shift', at: raised[1]?.at }]);
  });

  it('is told of a series that has fallen silent, by the samples of others', () => {
    const series = [SHOP, seriesIn('Hubei')];
    const conditions = (timestamp: number, { region }: { region: string }) =>
      region === SHOP.region && timestamp >= NOON ? { path: 2, fails: timestamp > NOON + 20 * MINUTE } : {};
    const { closed } = watch({ days: 4, series, conditions });
    expect(closed).toMatchObject([{ ...SHOP, by: 'silence' }]);
    expect((closed[0]?.at ?? 0) - NOON).toBeLessThanOrEqual(3 * HOUR);
  });

  it('of failed probes is known too', () => {
    const { raised, closed } = watch(
      { days: 4, conditions: during(1, { fails: true }) },
      { spikesOn: ['tls', 'failures'] },
    );
    expect(raised).toMatchObject([{ metric: 'failures' }]);
    expect(closed).toMatchObject([{ metric: 'failures', changeAt: raised[0]?.changeAt, by: 'quiet' }]);
  });
});

describe('a spike under way', () => {
  it('is listed from its alert to its end, with the start of the quiet that may end it', () => {
    const detector = createDetector();
    for (const { timestamp, samples } of play({ days: 4, conditions: during(1, { path: 2 }) }, detector)) {
      detector.advance(timestamp, samples);
      const [spike] = detector.open();
      if (timestamp < NOON || timestamp > NOON + 91 * MINUTE) expect(spike).toBeUndefined();
      if (timestamp > NOON + 5 * MINUTE && timestamp < NOON + 60 * MINUTE)
        expect(spike).toMatchObject({ ...SHOP, metric: 'tls', quietSince: null });
      if (timestamp > NOON + 65 * MINUTE && timestamp < NOON + 85 * MINUTE)
        expect(spike?.quietSince).toBeGreaterThanOrEqual(NOON + HOUR);
    }
  });
});
