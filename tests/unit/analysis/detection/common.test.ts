import { expect, it, vi } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { areaOf, CHINA_REGIONS, MAINLAND_REGIONS } from '#contract/location.ts';
import { DAY, detect, HOUR, isEvening, MONDAY, play, type Scene, seriesIn } from './scene.ts';

// Days of dozens of series are played in each.
vi.setConfig({ testTimeout: 240_000 });

const CARRIERS = ['telecom', 'unicom', 'mobile'];
const SHOPS = Array.from({ length: 24 }, (_, at) => seriesIn(`region ${Math.floor(at / 3)}`, 'shop', CARRIERS[at % 3]));
const BOTH = [...SHOPS, ...SHOPS.map((series) => ({ ...series, target: 'api' }))];
/** Wednesday noon. */
const STEP = MONDAY + 2 * DAY + 12 * HOUR;

const scene = (own: Partial<Scene>): Scene => ({ days: 2.8, period: 400, series: SHOPS, noise: 0.03, ...own });

it('finds a step of 3% that all series of a target have in common within two hours, and tells each series once', () => {
  const found = detect(scene({ conditions: (at) => ({ path: at >= STEP ? 1.033 : 1 }) }));
  expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['regression']));
  expect(found.length).toBeGreaterThanOrEqual(20);
  expect(new Set(found.map(({ vantage }) => vantage)).size).toBe(found.length);
  for (const { at, changeAt, effect, page } of found) {
    expect(at).toBeLessThanOrEqual(STEP + 2 * HOUR);
    expect(Math.abs(changeAt - STEP)).toBeLessThan(HOUR / 2);
    expect(effect).toBeGreaterThan(0.02);
    // Nobody is told of so little: it is in the series' logs.
    expect(page).toBe(false);
  }
});

it('finds a step of 4% within two hours on series that began anew after one of 8% the day before', () => {
  const next = STEP + 20 * HOUR;
  const found = detect(
    scene({ days: 4, conditions: (at) => ({ path: at >= next ? 1.08 * 0.96 : at >= STEP ? 1.08 : 1 }) }),
  );
  const regressed = found.filter(({ kind }) => kind === 'regression');
  // The test of each series, which begins them anew, found the first one.
  expect(regressed.length).toBeGreaterThanOrEqual(20);
  const improved = found.filter(({ kind }) => kind === 'improvement');
  expect(improved.length).toBeGreaterThanOrEqual(20);
  for (const { at, changeAt } of improved) {
    expect(at).toBeLessThanOrEqual(next + 2 * HOUR);
    expect(Math.abs(changeAt - next)).toBeLessThan(HOUR / 2);
  }
});

it('says of two targets the one that changed, though their carrier has a higher evening', () => {
  const found = detect(
    scene({
      series: BOTH,
      conditions: (at, { target, carrier }) => ({
        path:
          (isEvening(at) && carrier === 'unicom' ? 1.15 : isEvening(at) ? 1.1 : 1) *
          (at >= STEP && target === 'api' ? 0.96 : 1),
      }),
    }),
  );
  expect(new Set(found.map(({ kind, target }) => `${kind} ${target}`))).toEqual(new Set(['improvement api']));
});

it('says nothing of an evening that is 5% higher than those before', () => {
  const height = (at: number) => (at >= STEP ? 1.2 : 1.15);
  expect(detect(scene({ conditions: (at) => ({ path: isEvening(at) ? height(at) : 1 }) }))).toEqual([]);
});

it('finds a step of 4% of work that begins in an evening higher than those before', () => {
  const evening = STEP + 8 * HOUR;
  const found = detect(
    scene({
      days: 3,
      conditions: (at) => ({
        path: isEvening(at) ? (at >= STEP ? 1.2 : 1.15) : 1,
        tlsMs: at >= evening ? 2.4 : 0,
      }),
    }),
  );
  expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['regression']));
  expect(found.length).toBeGreaterThanOrEqual(20);
  for (const { at } of found) expect(at).toBeLessThanOrEqual(evening + 2 * HOUR);
});

it('finds a path of one carrier that is 5% longer in the north-west alone, on the series there', () => {
  const northWest = ['CN-SN', 'CN-GS', 'CN-QH', 'CN-NX', 'CN-XJ'];
  const elsewhere = ['BJ', 'TJ', 'GD', 'SH', 'ZJ', 'JS', 'SD', 'HB', 'HN', 'SC'].map((region) => `CN-${region}`);
  const vantages = [...northWest, ...elsewhere];
  const series = ['shop', 'api', 'cdn'].flatMap((target) =>
    vantages.map((region) => seriesIn(region, target, 'unicom')),
  );
  const found = detect(
    scene({
      series,
      noise: 0.02,
      conditions: (at, { region }) => ({
        path: (isEvening(at) ? 1.1 : 1) * (at >= STEP && northWest.includes(region) ? 1.05 : 1),
      }),
    }),
  );
  expect(new Set(found.map(({ kind, region, cause }) => `${kind} ${region} ${cause}`))).toEqual(
    new Set(northWest.map((region) => `regression ${region} network`)),
  );
  expect(found).toHaveLength(15);
  for (const { at } of found) expect(at).toBeLessThanOrEqual(STEP + 2 * HOUR);
});

it('knows the area of each region of the mainland, and of no other', () => {
  const sizes = Map.groupBy(MAINLAND_REGIONS, areaOf);
  expect([...sizes].map(([area, { length }]) => `${area} ${length}`)).toEqual([
    'CN north 5',
    'CN north-east 3',
    'CN east 7',
    'CN centre-south 6',
    'CN south-west 5',
    'CN north-west 5',
  ]);
  expect(areaOf('CN-XJ')).toBe('CN north-west');
  expect([...CHINA_REGIONS.slice(31), 'US-CA', 'Beijing'].map(areaOf)).toEqual([null, null, null, null, null]);
});

it('forgets a target 8 days after its last sample', () => {
  const gone = MONDAY + 1.5 * DAY;
  const detector = createDetector();
  const nodes = () => Buffer.from([...detector.state()][0] as Uint8Array).toString('latin1');
  const both = BOTH.filter(({ carrier }) => carrier === 'unicom');
  const seen: boolean[] = [];
  for (const { timestamp, samples } of play(scene({ days: 9.8, period: 1_700, series: both }), detector)) {
    const probed = samples.filter(({ index }) => timestamp < gone || index < both.length / 2);
    if (probed.length > 0) detector.advance(timestamp, probed);
    if (seen.length === 0 && timestamp > gone + DAY) seen.push(nodes().includes('target\\napi'));
  }
  expect(seen).toEqual([true]);
  expect(nodes()).toContain('target\\nshop');
  expect(nodes()).not.toContain('target\\napi');
});

it('goes on from its state as if it had never stopped', () => {
  const whole = detect(scene({ conditions: (at) => ({ path: at >= STEP ? 1.033 : 1 }) }));
  let detector = createDetector();
  const found = [];
  let stopped = false;
  for (const { timestamp, samples } of play(
    scene({ conditions: (at) => ({ path: at >= STEP ? 1.033 : 1 }) }),
    detector,
  )) {
    if (!stopped && timestamp >= STEP + HOUR) {
      detector = createDetector({}, [...detector.state()]);
      stopped = true;
    }
    found.push(...detector.advance(timestamp, samples));
  }
  expect(found).toEqual(whole);
});
