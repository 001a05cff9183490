import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealDays } from '#server/blocks/seal.ts';
import { readMakeup } from '#server/figures/makeup.ts';
import { targetRef } from '#server/targets/target-ref.ts';
import { readPlaces } from '#server/vantages/labels.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom')];
/** While all results are still kept. */
const NOW = WEDNESDAY + 1_440 * MINUTE;
const iso = (minutes: number) => new Date(WEDNESDAY + minutes * MINUTE).toISOString();

let database: TestDatabase;
let targetId: string;
beforeAll(async () => {
  database = await testDatabase(vantages);
  targetId = await insertTarget();
  // From the second hour on Beijing gets TLS 1.2, without compressed certificates at any time.
  const results = vantages.flatMap((vantage, place) =>
    Array.from({ length: 120 }, (_, minute) => {
      const made = makeResult({ targetId, vantage, startedAt: WEDNESDAY + minute * MINUTE + 700 * place });
      if (made.tls && place === 1 && minute >= 60) made.tls.version = 'TLSv1.2';
      if (made.tls && place === 0) made.tls.certificateCompression = 'brotli';
      return made;
    }),
  );
  const [main] = results;
  if (!main?.tls) throw new Error('nothing was made');
  const following = { variant: 'resumed', mainId: main.id } as const;
  const second = (seconds: number, resumed: boolean) => {
    const at = WEDNESDAY + seconds * 1_000;
    const made = makeResult({ targetId, vantage: vantages[0] as (typeof vantages)[0], startedAt: at });
    return { ...made, ...following, ...(made.tls && { tls: { ...made.tls, resumed } }) };
  };
  await insertResults([...results, second(1, true), second(2, true), second(3, true), second(4, false)]);
});
afterAll(() => database.drop());

async function makeupOf(property: Parameters<typeof readMakeup>[1]['property'], filter: { carrier?: string[] } = {}) {
  const [target, places] = await Promise.all([targetRef(targetId), readPlaces(filter)]);
  return await readMakeup(target, { property, periodSeconds: 60, from: iso(0), to: iso(120) }, places, NOW);
}

const sharesOf = (points: [string, number | null][]) => points.map(([, share]) => share);

it('has the share of each value at each point, the most frequent first, and of other places none', async () => {
  const { stepSeconds, lines } = await makeupOf('tls');
  expect(stepSeconds).toBe(300);
  expect(lines.map(({ value }) => value)).toEqual(['TLSv1.3', 'TLSv1.2']);
  expect(sharesOf(lines[0]?.points ?? [])).toEqual([...Array(12).fill(1), ...Array(12).fill(0.5)]);
  expect(sharesOf(lines[1]?.points ?? [])).toEqual([...Array(12).fill(0), ...Array(12).fill(0.5)]);
  const telecom = await makeupOf('tls', { carrier: ['telecom'] });
  expect(telecom.lines.map(({ value, points }) => [value, ...new Set(sharesOf(points))])).toEqual([['TLSv1.3', 1]]);
});

it('counts what has no value too, and resumption of the handshakes that offered a session', async () => {
  const compression = await makeupOf('certificateCompression');
  expect(compression.lines.map(({ value }) => value).toSorted()).toEqual(['brotli', 'none']);
  const { lines } = await makeupOf('resumption');
  expect(lines.map(({ value, points }) => [value, points[0]?.[1], points[1]?.[1]])).toEqual([
    ['resumed', 0.75, null],
    ['full', 0.25, null],
  ]);
});

it('looks at the last rounds of each long step alone', async () => {
  const [target, places] = await Promise.all([targetRef(targetId), readPlaces({})]);
  const asked = { property: 'tls', periodSeconds: 60, from: iso(-1_440), to: iso(1_440) } as const;
  const { stepSeconds, sampleSeconds, lines } = await readMakeup(target, asked, places, NOW);
  expect([stepSeconds, sampleSeconds]).toEqual([3_600, 1_860]);
  expect(lines[0]?.points.filter(([, share]) => share !== null)).toEqual([
    [iso(0), 1],
    [iso(60), 0.5],
  ]);
});

it.skipIf(ON_CLUSTER)('is the same once the day is sealed', async () => {
  const before = await makeupOf('tls');
  expect(before.lines).toHaveLength(2);
  expect(await sealDays(WEDNESDAY + 72 * 60 * MINUTE)).toBeGreaterThan(200);
  expect(await makeupOf('tls')).toEqual(before);
});
