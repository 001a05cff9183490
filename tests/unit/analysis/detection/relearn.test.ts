import { describe, expect, it, vi } from 'vitest';
import type { ClosedSpike, Detection } from '#analysis/detection/detection.ts';
import { createDetector, type Detector, type DetectorOptions } from '#analysis/detection/detector.ts';
import type { Past, PastHalfHour } from '#analysis/detection/past.ts';
import type { Sample, SeriesSample } from '#analysis/detection/sample.ts';
import { addThousandths, emptyHistogram } from '#analysis/histogram.ts';
import { DAY, HOUR, isEvening, MONDAY, play, type Scene, seriesIn } from './scene.ts';

// Days of samples are played in each.
vi.setConfig({ testTimeout: 60_000 });

const SERIES = ['Beijing', 'Hubei', 'Gansu', 'Hebei'].map((region) => seriesIn(region));
const OPTIONS: DetectorOptions = { spikesOn: ['tls', 'tcp', 'firstByte', 'failures'] };
/** Up to here the past is stored, eight days after its beginning; what comes then is watched. */
const UNTIL = MONDAY + 8 * DAY;

/** Evenings 30% higher, and lost segments in 3% of the samples. */
const usual: NonNullable<Scene['conditions']> = (timestamp, _series, random) => ({
  path: isEvening(timestamp) ? 1.3 : 1,
  tlsMs: random() < 0.03 ? 200 : 0,
});

function sceneOf(conditions: NonNullable<Scene['conditions']>): Scene {
  return {
    days: 9,
    series: SERIES,
    period: 120,
    seed: 3,
    conditions: (timestamp, series, random) => {
      const [base, own] = [usual(timestamp, series, random), conditions(timestamp, series, random)];
      return { ...base, ...own, tlsMs: (base.tlsMs ?? 0) + (own.tlsMs ?? 0) };
    },
  };
}

/** What is stored of each series at UNTIL: histograms of half hours, and 26 hours of samples. */
function pastsOf(instants: readonly { samples: readonly SeriesSample[] }[], changes: readonly number[]): Past[] {
  const all = instants.flatMap(({ samples }) => samples).filter(({ sample }) => sample.timestamp < UNTIL);
  const since = UNTIL - 26 * HOUR;
  return SERIES.map((_, own) => {
    const samples = all.filter(({ index }) => index === own).map(({ sample }) => sample);
    const bySlot = Map.groupBy(
      samples.filter(({ timestamp }) => timestamp < since),
      ({ timestamp }) => Math.floor(timestamp / 1_800),
    );
    return {
      halfHours: [...bySlot].map(([slot, some]) => halfHourOf(slot, some)),
      samples: samples.filter(({ timestamp }) => timestamp >= since),
      changes,
      failureRate: 0,
    };
  });
}

function halfHourOf(slot: number, samples: readonly Sample[]): PastHalfHour {
  const histogramOf = (phase: 'tls' | 'tcp' | 'firstByte') => {
    const histogram = emptyHistogram();
    for (const { [phase]: ms } of samples) if (ms !== null) addThousandths(histogram, Math.round(ms * 1_000));
    return histogram;
  };
  return { slot, tls: histogramOf('tls'), tcp: histogramOf('tcp'), firstByte: histogramOf('firstByte') };
}

type Told = { found: Detection[]; closed: ClosedSpike[]; detector: Detector };

/** What a detector says after UNTIL that watched all the time. */
function watchedOf(scene: Scene): Told {
  const detector = createDetector(OPTIONS);
  return toldBy(detector, [...play(scene, detector)], 0);
}

/** What one says then that learnt the past from what is stored. */
function relearntOf(scene: Scene, changes: readonly number[] = []): Told {
  const detector = createDetector(OPTIONS);
  const instants = [...play(scene, detector)];
  for (const [index, past] of pastsOf(instants, changes).entries()) detector.learn(index, past, UNTIL);
  detector.learnt(UNTIL);
  return toldBy(detector, instants, UNTIL);
}

function toldBy(
  detector: Detector,
  instants: readonly { timestamp: number; samples: SeriesSample[] }[],
  from: number,
): Told {
  const told: Told = { found: [], closed: [], detector };
  for (const { timestamp, samples } of instants) {
    if (timestamp < from) continue;
    const found = detector.advance(timestamp, samples);
    if (timestamp < UNTIL) continue;
    told.found.push(...found);
    told.closed.push(...detector.closed());
  }
  return told;
}

const named = (found: readonly Detection[]) =>
  found.map(({ region, kind, metric }) => `${region} ${kind} ${metric}`).toSorted();

describe('a detector that learnt the past from what is stored of it', () => {
  it('finds what one that watched all the time finds, at the same time, and nothing else', () => {
    const scene = sceneOf((timestamp, { region }) => {
      const hour = (timestamp - UNTIL) / HOUR;
      if (region === 'Beijing' && hour >= 2 && hour < 3) return { tlsMs: 90 };
      if (region === 'Hubei' && hour >= 6) return { tlsMs: 12 };
      return {};
    });
    const [watched, relearnt] = [watchedOf(scene), relearntOf(scene)];
    expect(named(watched.found)).toEqual(expect.arrayContaining(['Beijing spike tls', 'Hubei regression tls']));
    expect(named(relearnt.found)).toEqual(named(watched.found));
    relearnt.found.forEach((found, at) => {
      expect(Math.abs(found.at - (watched.found[at]?.at ?? 0))).toBeLessThanOrEqual(
        found.kind === 'spike' ? 300 : 3 * HOUR,
      );
    });
    expect(relearnt.closed.map(({ by }) => by)).toEqual(watched.closed.map(({ by }) => by));
  });

  it('raises a spike that is under way', () => {
    const scene = sceneOf((timestamp, { region }) =>
      region === 'Gansu' && timestamp >= UNTIL - 2 * HOUR && timestamp < UNTIL + HOUR ? { tlsMs: 90 } : {},
    );
    const relearnt = relearntOf(scene);
    const [spike, ...others] = relearnt.found.filter(({ metric }) => metric === 'tls');
    expect(others).toEqual([]);
    expect(spike).toMatchObject({ region: 'Gansu', kind: 'spike' });
    expect(spike?.at).toBeLessThan(UNTIL + 900);
    expect(Math.abs((spike?.changeAt ?? 0) - (UNTIL - 2 * HOUR))).toBeLessThan(600);
    expect(relearnt.closed).toMatchObject([{ region: 'Gansu', by: 'quiet' }]);
  });

  it('takes a spike that is over for nothing usual: the next one is found as soon', () => {
    const scene = sceneOf((timestamp, { region }) => {
      const hour = (timestamp - UNTIL) / HOUR;
      return region === 'Gansu' && ((hour >= -3 && hour < -1) || (hour >= 3 && hour < 4)) ? { tlsMs: 60 } : {};
    });
    const [watched, relearnt] = [watchedOf(scene), relearntOf(scene)];
    expect(named(relearnt.found)).toEqual(['Gansu spike tls']);
    expect(relearnt.found[0]?.at).toBeLessThanOrEqual((watched.found[0]?.at ?? 0) + 240);
  });

  it('says of a lasting change that is known nothing more, and finds one that is not', () => {
    const changeAt = UNTIL - 10 * HOUR;
    const scene = sceneOf((timestamp, { region }) =>
      region === 'Hebei' && timestamp >= changeAt ? { tlsMs: 15 } : {},
    );
    expect(named(relearntOf(scene).found)).toEqual(['Hebei regression tls']);
    expect(named(relearntOf(scene, [changeAt]).found)).toEqual([]);
  });

  it('lets a spike that was told of go on: over when it is quiet, open while it is not', () => {
    const scene = sceneOf((timestamp, { region }) =>
      region === 'Gansu' && timestamp >= UNTIL - HOUR ? { tlsMs: 90 } : {},
    );
    const detector = createDetector(OPTIONS);
    const instants = [...play({ ...scene, days: 8.1 }, detector)];
    for (const [index, past] of pastsOf(instants, []).entries()) detector.learn(index, past, UNTIL);
    detector.learnt(UNTIL);
    const [high, quiet, stranger] = [SERIES[2], SERIES[0], seriesIn('Hainan')];
    const changeAt = UNTIL - HOUR + 30;
    detector.adopt(
      [high, quiet, stranger].flatMap((series) => (series ? [{ ...series, metric: 'tls' as const, changeAt }] : [])),
    );
    expect(detector.open().map(({ region, changeAt: at }) => [region, at])).toEqual([
      ['Beijing', changeAt],
      ['Gansu', changeAt],
    ]);
    const told = toldBy(detector, instants, UNTIL);
    expect(told.found).toEqual([]);
    expect(told.closed).toMatchObject([{ region: 'Beijing', metric: 'tls', changeAt, by: 'quiet' }]);
    expect(told.closed[0]?.at).toBeLessThan(UNTIL + HOUR);
    expect(detector.open()).toMatchObject([{ region: 'Gansu', changeAt }]);
  });

  it('knows after a round trip through bytes what it knew, and takes samples from then on alone', () => {
    const scene = sceneOf(() => ({}));
    const detector = createDetector(OPTIONS);
    const instants = [...play(scene, detector)];
    const [past] = pastsOf(instants, []);
    if (!past) throw new Error('no past');
    expect(() => detector.learn(0, past, UNTIL + 60)).toThrow(RangeError);
    detector.learn(0, past, UNTIL);
    detector.learnt(UNTIL);
    expect([...createDetector(OPTIONS, detector.state()).state()]).toEqual([...detector.state()]);
    expect(() => detector.advance(UNTIL - 1, [])).toThrow(RangeError);
    expect(detector.advance(UNTIL, [])).toEqual([]);
  });

  it('learns nothing of a series of which nothing is stored', () => {
    const detector = createDetector(OPTIONS);
    detector.learn(
      detector.indexOf(seriesIn('Hainan')),
      { halfHours: [], samples: [], changes: [], failureRate: null },
      UNTIL,
    );
    detector.learnt(UNTIL);
    const other = createDetector(OPTIONS);
    other.indexOf(seriesIn('Hainan'));
    other.learnt(UNTIL);
    expect([...detector.state()]).toEqual([...other.state()]);
  });
});
