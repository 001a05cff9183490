import { describe, expect, it, vi } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { extent } from '../../../support/extent.ts';
import { type Conditions, DAY, detect, groupsIn, HOUR, isEvening, MONDAY, SHOP, seriesIn } from './scene.ts';

// Days of samples are played in each.
vi.setConfig({ testTimeout: 240_000 });

const between = (from: number, hours: number, what: Conditions) => (timestamp: number) =>
  timestamp >= from && timestamp < from + hours * HOUR ? what : {};
const NOON = MONDAY + 5 * DAY + 12 * HOUR;
const REGIONS = ['Beijing', 'Hubei', 'Gansu', 'Hainan'];

describe('a spike', () => {
  it('is raised by its third sample', () => {
    const [spike, ...others] = detect({ days: 7, conditions: between(NOON, 1, { path: 2 }) });
    expect(others).toEqual([]);
    expect(spike).toMatchObject({ ...SHOP, kind: 'spike', cause: 'network' });
    expect(spike?.at).toBeGreaterThan(NOON);
    expect(spike?.at).toBeLessThan(NOON + 185);
  });

  it('of three hours is raised once and is neither a regression nor, at its end, an improvement', () => {
    for (const what of extent<Conditions[]>([{ path: 1.4 }], [{ path: 1.4 }, { path: 2 }, { tlsMs: 150 }])) {
      const found = detect({ days: 9, conditions: between(NOON, 3, what) });
      expect(found.map(({ kind }) => kind)).toEqual(['spike']);
    }
  });

  it('has its cause: the server where the first byte takes longer too', () => {
    const [spike] = detect({ days: 7, conditions: between(NOON, 1, { tlsMs: 60, thinkMs: 60 }) });
    expect(spike).toMatchObject({ kind: 'spike', cause: 'server' });
  });

  it('as high as the second mode of a series is told from it by connect', () => {
    const resumed = (random: () => number) => (random() < 0.3 ? { tlsMs: 30 } : {});
    const slow = between(NOON, 1, { path: 1.6 });
    const both = detect({ days: 7, conditions: (at, _series, random) => ({ ...resumed(random), ...slow(at) }) });
    expect(both).toMatchObject([{ kind: 'spike', cause: 'network' }]);
    expect(both[0]?.at).toBeLessThan(NOON + 4 * 60);
  });

  it('that all vantages of a target see is raised with the first or second sample of most, in one group', () => {
    const series = REGIONS.map((region) => seriesIn(region));
    const found = detect({ days: 7, series, conditions: between(NOON, 1, { tlsMs: 60, thinkMs: 60 }) });
    expect(found.map(({ region }) => region).sort()).toEqual([...REGIONS].sort());
    expect(groupsIn(found)).toBe(1);
    expect(found.filter(({ at }) => at < NOON + 125).length).toBeGreaterThanOrEqual(3);
  });
});

describe('a spike of several vantages', () => {
  const series = [...REGIONS, 'Hainan south', 'Tibet'].map((region) => seriesIn(region));
  /** How far a vantage is: round trips of 25 to 150 ms. */
  const distance = (region: string) => 0.5 * (series.findIndex((each) => each.region === region) + 1);

  it('has its cause by the first byte: what it shows as well is work of the server, else it is of the handshake alone', () => {
    const causesOf = (tlsMs: (far: number) => number, thinkMs = 0) => {
      const found = detect({
        days: 7,
        period: 120,
        series,
        conditions: (timestamp, { region }) => {
          const path = distance(region);
          return timestamp >= NOON && timestamp < NOON + HOUR ? { path, tlsMs: tlsMs(path), thinkMs } : { path };
        },
      });
      return found.map(({ kind, cause }) => `${kind} ${cause}`);
    };
    expect(causesOf((far) => 50 * far)).toEqual(Array(6).fill('spike tls'));
    expect(causesOf(() => 70)).toEqual(Array(6).fill('spike tls'));
    expect(causesOf(() => 70, 70)).toEqual(Array(6).fill('spike server'));
  });

  it('is of the network where connections are asked for twice, though most are not', () => {
    /** Of three probes of a vantage one lost its SYN, and all a segment of the handshake. */
    const loss = (at: number, { region }: { region: string }) =>
      (Math.floor(at / 60) + region.length) % 3 === 0 ? { tcpMs: 1_000, tlsMs: 200 } : { tlsMs: 200 };
    const found = detect({
      days: 7,
      series,
      conditions: (at, of) => (at >= NOON && at < NOON + HOUR ? loss(at, of) : {}),
    });
    expect(found.map(({ cause }) => cause)).toContain('network');
    expect(found.filter(({ cause }) => cause === 'network').length).toBeGreaterThan(series.length / 2);
  });

  it('is one group, even where a vantage lost a segment in its first sample', () => {
    const slow = between(NOON, 1, { path: 1.8 });
    const found = detect({
      days: 7,
      period: 120,
      series,
      conditions: (at, { region }) => ({
        ...slow(at),
        tlsMs: region === 'Tibet' && at >= NOON && at < NOON + 120 ? 200 : 0,
      }),
    });
    expect(found.map(({ kind, cause }) => `${kind} ${cause}`)).toEqual(Array(6).fill('spike network'));
    expect(groupsIn(found)).toBe(1);
  });

  it('is another one where it begins after ten quiet minutes, and has a cause and a group of its own', () => {
    const [first, second] = [
      between(NOON, 1 / 3, { path: 1.8 }),
      between(NOON + HOUR / 2, 1 / 3, { tlsMs: 60, thinkMs: 60 }),
    ];
    const found = detect({ days: 7, series, conditions: (at) => ({ ...first(at), ...second(at) }) });
    const causes = found.map(({ kind, cause }) => `${kind} ${cause}`);
    expect(causes).toEqual([...Array(6).fill('spike network'), ...Array(6).fill('spike server')]);
    expect(groupsIn(found)).toBe(2);
    expect(Math.min(...found.slice(6).map(({ changeAt }) => changeAt))).toBeGreaterThan(NOON + HOUR / 2 - 1);
  });

  it('that comes and goes on one of them alone is raised once', () => {
    const comes = (at: number) => at >= NOON && at < NOON + 2 * HOUR && (at - NOON) % 1_200 < 600;
    const conditions = (at: number, { region }: { region: string }) =>
      comes(at) && region === 'Hubei' ? { path: 1.8 } : {};
    expect(detect({ days: 7, series, conditions })).toHaveLength(1);
  });

  it('is not raised on a series that has one odd sample in those minutes', () => {
    const slow = between(NOON, 0.5, { path: 1.7 });
    const found = detect({
      days: 7,
      period: 120,
      series,
      conditions: (at, { region }) => {
        if (region === 'Tibet') return at >= NOON + 240 && at < NOON + 360 ? { tlsMs: 1_000 } : {};
        return slow(at);
      },
    });
    expect(found.map(({ region }) => region)).not.toContain('Tibet');
    expect(found).toHaveLength(5);
  });
});

describe('an evening', () => {
  const series = ['shop', 'pay', 'mail'].map((target) => ({ ...SHOP, target }));
  /** A peak of 35% at 21:18; one day's is `times` as high. */
  const peak = (timestamp: number, times: number) => {
    const hour = ((timestamp + 8 * HOUR) % DAY) / HOUR;
    const height = 0.35 * Math.exp(-0.5 * ((hour - 21.3) / 1.9) ** 2);
    return 1 + height * (timestamp >= NOON && timestamp < NOON + DAY ? times : 1);
  };

  it('that is higher or lower than others is no lasting change', () => {
    for (const times of extent([1.4], [0.5, 1.4, 1.6])) {
      const found = detect({ days: 8, period: 120, series, conditions: (at) => ({ path: peak(at, times) }) });
      expect(found).toEqual([]);
    }
  });

  it('in which a lasting change begins only delays it, until it shows outside the peak', () => {
    const eight = MONDAY + 5 * DAY + 20 * HOUR;
    const found = detect({
      days: 8,
      period: 120,
      series,
      conditions: (at) => ({ path: peak(at, 1) * (at >= eight ? 1.15 : 1) }),
    });
    expect(found.map(({ kind }) => kind)).toEqual(Array(3).fill('regression'));
    for (const { at, changeAt } of found) {
      expect(at).toBeLessThan(eight + 8 * HOUR);
      expect(Math.abs(changeAt - eight)).toBeLessThan(30 * 60);
    }
  });

  it('is no change on a series that nobody has seen in an evening yet', () => {
    expect(detect({ days: 1, period: 120, series, conditions: (at) => ({ path: 2 * peak(at, 1) - 1 }) })).toEqual([]);
  });
});

describe('a lasting change', () => {
  it('upwards is a regression, raised within five hours, dated to some minutes; a spike may come first', () => {
    const found = detect({ days: 8, conditions: between(NOON, 100, { path: 1.3 }) });
    const lasting = found.filter(({ kind }) => kind !== 'spike');
    expect(lasting).toMatchObject([{ kind: 'regression', cause: 'network' }]);
    expect(lasting[0]?.at).toBeLessThanOrEqual(NOON + 5 * HOUR);
    expect(Math.abs((lasting[0]?.changeAt ?? 0) - NOON)).toBeLessThan(15 * 60);
    expect(found.filter(({ kind, at }) => kind === 'spike' && at > NOON + 6 * HOUR)).toEqual([]);
    expect(groupsIn(found)).toBe(1);
  });

  it.each([
    ['once and for all', 0.75, Number.POSITIVE_INFINITY],
    ['with a spike before it', 0.75, 6 * HOUR],
    ['upwards', 1.6, Number.POSITIVE_INFINITY],
  ])('on the first day of a series is not learnt as its evening: %s', (_name, factor, spike) => {
    const at = MONDAY + 13.5 * HOUR;
    const peak = (time: number) => (isEvening(time) ? 1.1 : 1);
    const found = detect({
      days: 6,
      period: 120,
      conditions: (time) => {
        const inSpike = time >= at - spike && time < at - spike + HOUR;
        return { path: peak(time) * (time >= at ? factor : 1) * (inSpike ? 2 : 1) };
      },
    });
    expect(found.filter(({ kind }) => kind !== 'spike')).toEqual([]);
  });

  it('of the second day is found, though nobody knows what a second day is like', () => {
    const at = MONDAY + 27 * HOUR;
    const found = detect({ days: 3, period: 120, conditions: (time) => ({ path: time >= at ? 1.3 : 1 }) });
    const lasting = found.filter(({ kind }) => kind !== 'spike');
    expect(lasting).toMatchObject([{ kind: 'regression' }]);
    expect(lasting[0]?.at).toBeLessThanOrEqual(at + 8 * HOUR);
  });

  it('is found on a series that is the same at all hours', () => {
    const found = detect({ days: 8, noise: 0, conditions: between(NOON, 100, { path: 1.15 }) });
    expect(found.map(({ kind }) => kind)).toEqual(['regression']);
  });

  it('of 20% downwards is an improvement', () => {
    expect(detect({ days: 8, conditions: between(NOON, 100, { path: 0.8 }) })).toMatchObject([
      { kind: 'improvement', cause: 'network' },
    ]);
  });

  it('of 9% is found within a day on a noisy series', () => {
    const found = detect({ days: 8, noise: 0.12, conditions: between(NOON, 100, { path: 1.1 }) });
    expect(found).toMatchObject([{ kind: 'regression' }]);
    expect(found[0]?.at).toBeLessThan(NOON + DAY);
  });

  it('from a lost session cache, when most handshakes begin to cost another round trip, is a regression of structure', () => {
    const series = REGIONS.map((region) => seriesIn(region));
    const found = detect({
      days: 8,
      series,
      conditions: (timestamp, _series, random) => (random() < (timestamp < NOON ? 0.15 : 0.8) ? { tlsMs: 50 } : {}),
    });
    const lasting = found.filter(({ kind }) => kind !== 'spike');
    expect(lasting.map(({ kind, cause }) => `${kind} ${cause}`)).toEqual(Array(4).fill('regression tls'));
    expect(groupsIn(lasting)).toBe(1);
  });

  it('of all series of a carrier is one group', () => {
    const series = REGIONS.flatMap((region) => [seriesIn(region), seriesIn(region, 'shop', 'mobile')]);
    const found = detect({
      days: 7,
      series,
      conditions: (timestamp, { carrier }) => (timestamp >= NOON && carrier === 'mobile' ? { path: 1.5 } : {}),
    });
    expect(new Set(found.map(({ carrier }) => carrier))).toEqual(new Set(['mobile']));
    expect(found.filter(({ kind }) => kind === 'regression')).toHaveLength(4);
    expect(groupsIn(found)).toBe(1);
  });
});

describe('nothing is said of', () => {
  const quiet = (name: string, scene: Parameters<typeof detect>[0]) =>
    it(name, () => {
      expect(detect(scene)).toEqual([]);
    });

  quiet('a quiet line', { days: 14 });
  quiet('two odd samples', { days: 7, conditions: between(NOON, 2 / 60, { path: 5 }) });
  quiet('lost segments at a steady rate', {
    days: 14,
    conditions: (_timestamp, _series, random) => {
      const roll = random();
      return { tlsMs: roll < 0.05 ? 200 : roll < 0.06 ? 1_000 : roll < 0.063 ? 3_000 : 0 };
    },
  });
  quiet('a line that loses a fifth', {
    days: 10,
    period: 240,
    conditions: (_timestamp, _series, random) => (random() < 0.2 ? { tlsMs: 200 } : {}),
  });
  quiet('evening peaks, those of the weekend longer', {
    days: 14,
    conditions: (timestamp) => (isEvening(timestamp) ? { path: 1.3 } : {}),
  });
  quiet('a change of variance', {
    days: 9,
    conditions: (timestamp) => (timestamp >= NOON ? { noise: 0.09 } : {}),
  });
  quiet('a first byte that takes longer', { days: 8, conditions: between(NOON, 100, { thinkMs: 100 }) });
  quiet('probes that fail', { days: 7, conditions: between(NOON, 2, { fails: true }) });
});

describe('other metrics', () => {
  it('are watched where that is asked for', () => {
    const slow = detect(
      { days: 7, conditions: between(NOON, 1, { thinkMs: 200 }) },
      createDetector({ spikesOn: ['tls', 'firstByte'] }),
    );
    expect(slow).toMatchObject([{ kind: 'spike', metric: 'firstByte' }]);
    const failing = detect(
      { days: 7, conditions: between(NOON, 1, { fails: true }) },
      createDetector({ spikesOn: ['tls', 'failures'] }),
    );
    expect(failing).toMatchObject([{ kind: 'spike', metric: 'failures', cause: 'server' }]);
  });

  it('of which one is silent for longer than samples are kept is compared with what it was, and learns when seldom', () => {
    // Shapes are learnt anew at 18:00, when all of its samples are forgotten.
    const back = NOON + 34 * HOUR;
    const silent = between(NOON, 34, { silent: true });
    const watched = () => createDetector({ spikesOn: ['tls', 'firstByte'] });
    const slow = between(back, 1, { thinkMs: 200 });
    const found = detect({ days: 7, conditions: (at) => ({ ...silent(at), ...slow(at) }) }, watched());
    expect(found).toMatchObject([{ kind: 'spike', metric: 'firstByte' }]);
    expect(found[0]?.at).toBeLessThan(back + 300);
    // Silent but for a sample an hour, of another level: few samples that go back a day are what is usual.
    const seldom = (at: number) => (at < back ? silent(at) : at % HOUR < 60 ? { thinkMs: 40 } : { silent: true });
    const later = { days: 9, conditions: (at: number) => (at >= NOON ? seldom(at) : {}) };
    const detector = watched();
    expect(detect(later, detector).length).toBeLessThanOrEqual(1);
    expect(detector.open()).toEqual([]);
  });
});

describe('a regression that begins on a weekend', () => {
  const series = REGIONS.map((region) => seriesIn(region));
  /** Hours until all vantages of a target are known to be 16% slower since an instant. */
  const hoursToFind = (onset: number) => {
    const found = detect({
      days: (onset - MONDAY) / DAY + 1,
      period: 120,
      series,
      conditions: (at) => (at >= onset ? { tlsMs: 9, thinkMs: 9 } : {}),
    }).filter(({ kind, at }) => kind === 'regression' && at >= onset);
    expect(found).toHaveLength(series.length);
    return (Math.max(...found.map(({ at }) => at)) - onset) / HOUR;
  };
  const morning = (day: number) => MONDAY + day * DAY + 9 * HOUR;

  it.each([
    ['Tuesday', 8],
    ['Saturday', 12],
    ['Sunday', 13],
  ])('is found as early as any other once a weekend is known: on a %s', (_name, day) => {
    expect(hoursToFind(morning(day))).toBeLessThan(5);
  });

  // Nobody knows yet how far a day of the weekend is from a working day: docs/detection.md.
  it('takes some hours more on the first weekend that a series sees', () => {
    const first = hoursToFind(morning(5));
    expect(first).toBeGreaterThan(5);
    expect(first).toBeLessThan(9);
  });
});
