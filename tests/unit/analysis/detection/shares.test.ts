import { describe, expect, it } from 'vitest';
import { type Conditions, DAY, detect, HOUR, isEvening, MONDAY } from './scene.ts';

/** Full handshakes take 65 ms more than resumed ones, which are most. */
const changesWhere = (
  days: number,
  share: (timestamp: number) => number,
  more: (timestamp: number) => Conditions = () => ({}),
  seed = 1,
) =>
  detect({
    days,
    seed,
    period: 120,
    roundTrip: 40,
    conditions: (timestamp, _series, random) => ({
      ...more(timestamp),
      tlsMs: random() < share(timestamp) ? 65 : 0,
    }),
  }).filter(({ kind }) => kind !== 'spike');

const AT = MONDAY + 4 * DAY + 10 * HOUR;

describe('a series of two modes', () => {
  it('has a lasting change where more handshakes are full: found within seven hours, dated to the hour, with both shares', () => {
    const [found, ...others] = changesWhere(6, (time) => (time < AT ? 0.15 : 0.46));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: 'regression', cause: 'tls', metric: 'tls' });
    expect(found?.shares?.before).toBeCloseTo(0.15, 0.9);
    expect(found?.shares?.after).toBeCloseTo(0.46, 0.9);
    expect((found?.at ?? 0) - AT).toBeLessThanOrEqual(7 * HOUR);
    expect(Math.abs((found?.changeAt ?? 0) - AT)).toBeLessThanOrEqual(HOUR);
    expect(found?.effect).toBeGreaterThan(0.1);
  });

  it('is dated to the step where the share had wandered for hours before, with the shares on both sides of that', () => {
    for (const seed of [1, 4, 6, 8]) {
      const [found] = changesWhere(
        6,
        (time) => (time < AT - 4 * HOUR ? 0.12 : time < AT ? 0.3 : 1),
        () => ({}),
        seed,
      );
      expect(Math.abs((found?.changeAt ?? 0) - AT), `seed ${seed}`).toBeLessThanOrEqual(HOUR / 12);
      expect(found?.shares?.before).toBeLessThan(0.3);
      expect(found?.shares?.after).toBe(1);
      const { before = 0 } = found?.shares ?? {};
      expect(found?.effect).toBeCloseTo((1 - before) * Math.log(110 / 45), 1);
    }
  });

  it('is better where fewer are', () => {
    const [found, ...others] = changesWhere(6, (time) => (time < AT ? 0.5 : 0.15));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: 'improvement', cause: 'tls' });
    expect(found?.shares?.after).toBeLessThan(0.25);
  });

  it('has a change of level without shares where the path is longer', () => {
    const [found] = changesWhere(
      6,
      () => 0.3,
      (time) => ({ path: time < AT ? 1 : 1.4 }),
    );
    expect(found).toMatchObject({ kind: 'regression', cause: 'network' });
    expect(found).not.toHaveProperty('shares');
  });

  it('whose path became longer while a few more are full is told of the whole change', () => {
    for (const seed of [4, 7, 8]) {
      const [found] = changesWhere(
        6,
        (time) => (time < AT ? 0.1 : 0.22),
        (time) => ({ path: time < AT ? 1 : 1.15 }),
        seed,
      );
      expect(found?.effect).toBeGreaterThan(0.18);
    }
  });

  it.each([
    ['evenings have more full handshakes', (time: number) => (isEvening(time) ? 0.45 : 0.2)],
    ['all handshakes are full for an hour', (time: number) => (time >= AT && time < AT + HOUR ? 1 : 0.2)],
    ['the share stays', () => 0.3],
  ])('has no lasting change where %s', (_name, share) => {
    expect(changesWhere(8, share)).toEqual([]);
  });
});
