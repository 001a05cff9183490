import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { Makeup, MakeupQuery } from '#contract/distribution.ts';
import type { StorableResult } from '#contract/result.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { writeSettingOnce } from '#server/database/settings.ts';
import { queryMakeup, readMakeup } from '#server/figures/makeup.ts';
import { targetRef } from '#server/targets/target-ref.ts';
import { readPlaces } from '#server/vantages/labels.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom')];
/** While all results are still kept. */
const NOW = WEDNESDAY + 1_440 * MINUTE;
const iso = (minutes: number) => new Date(WEDNESDAY + minutes * MINUTE).toISOString();

let targetId: string;
prepareTestDatabase(vantages);
beforeAll(async () => {
  targetId = await insertTarget();
  await assignAll();
  // Of the installation, but not of the target.
  await insertProber([makeVantage('CN-SH', 'mobile'), makeVantage('US-CA', 'other')]);
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

type Property = Parameters<typeof readMakeup>[1]['property'];
type Reading = { filter?: { carrier?: string[]; country?: string }; to?: number; now?: number };
async function makeupOf(property: Property, { filter = {}, to = 120, now = NOW }: Reading = {}) {
  const [target, places] = await Promise.all([targetRef(targetId), readPlaces(filter)]);
  return await readMakeup(target, { property, periodSeconds: 60, from: iso(0), to: iso(to) }, places, now);
}

/** Handshakes of the first vantage at these seconds of the hours before, of which `change` makes something else. */
const earlier = (seconds: number[], change: (made: StorableResult) => StorableResult) =>
  insertResults(
    seconds.map((second) => {
      const startedAt = WEDNESDAY - 120 * MINUTE + second * 1_000;
      return change(makeResult({ targetId, vantage: vantages[0] as (typeof vantages)[0], startedAt }));
    }),
  );

const sharesOf = (points: [string, number | null][]) => points.map(([, share]) => share);

it('has the share of each value at each point, the most frequent first, and of other places none', async () => {
  const { stepSeconds, lines } = await makeupOf('tls');
  expect(stepSeconds).toBe(300);
  expect(lines.map(({ value }) => value)).toEqual(['TLSv1.3', 'TLSv1.2']);
  expect(sharesOf(lines[0]?.points ?? [])).toEqual([...Array(12).fill(1), ...Array(12).fill(0.5)]);
  expect(sharesOf(lines[1]?.points ?? [])).toEqual([...Array(12).fill(0), ...Array(12).fill(0.5)]);
  const telecom = await makeupOf('tls', { filter: { carrier: ['telecom'] } });
  expect(telecom.lines.map(({ value, points }) => [value, ...new Set(sharesOf(points))])).toEqual([['TLSv1.3', 1]]);
});

it('is answered by the API under the same filters', async () => {
  const query = MakeupQuery.parse({
    target: targetId,
    property: 'tls',
    carrier: 'telecom',
    from: iso(0),
    to: iso(120),
  });
  const asked = { property: 'tls', periodSeconds: 60, from: iso(0), to: iso(120) } as const;
  const read = await readMakeup(await targetRef(targetId), asked, await readPlaces({ carrier: ['telecom'] }));
  expect(Makeup.parse(await queryMakeup(query))).toEqual(read);
  const unknown = { code: 'not_found', fields: [{ field: 'target', message: 'is unknown' }] };
  await expect(queryMakeup({ ...query, target: randomUUID() })).rejects.toMatchObject(unknown);
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
  expect([stepSeconds, sampleSeconds]).toEqual([3_600, 1_800]);
  expect(lines[0]?.points.filter(([, share]) => share !== null)).toEqual([
    [iso(0), 1],
    [iso(60), 0.5],
  ]);
});

it('has of the running step the whole rounds that are stored, and reads no step twice once it is over', async () => {
  const running = (seconds: number) => makeupOf('tls', { to: 66, now: WEDNESDAY + 3_900_000 + seconds * 1_000 });
  const last = async (seconds: number) => (await running(seconds)).lines.map(({ points }) => points.at(-1)?.[1]);
  // A minute of it is over, but the last results may still be under way.
  expect(await last(79)).toEqual([null, null]);
  expect(await last(80)).toEqual([0.5, 0.5]);
  const before = await running(80);
  const more = (minute: number) => {
    const startedAt = WEDNESDAY + minute * MINUTE + 30_000;
    return makeResult({ targetId, vantage: vantages[0] as (typeof vantages)[0], startedAt });
  };
  await insertResults([more(61), more(65)]);
  const after = await running(80);
  const [tls13 = [], earlierTls13 = []] = [after, before].map(({ lines }) => lines[0]?.points);
  expect(tls13.slice(0, -1)).toEqual(earlierTls13.slice(0, -1));
  expect(tls13.at(-1)?.[1]).toBeCloseTo(2 / 3, 3);
});

it('leaves out what was not measured, and has one line of a name', async () => {
  await earlier([1], (made) => ({ ...made, http: made.http && { ...made.http, encoding: 'none' } }));
  await earlier([2, 3], (made) => ({ ...made, http: made.http && { ...made.http, encoding: null } }));
  await earlier([4], (made) => ({ ...made, http: made.http && { ...made.http, encoding: 'br' } }));
  await earlier([5, 6], (made) => ({ ...made, http: null }));
  await earlier([7, 8], (made) => ({ ...made, engineVersion: 2 }));
  const [target, places] = await Promise.all([targetRef(targetId), readPlaces({})]);
  const of = async (property: Property) => {
    const asked = { property, periodSeconds: 60, from: iso(-120), to: iso(-60) };
    const { lines } = await readMakeup(target, asked, places, NOW);
    return lines.map(({ value, points }) => [value, points[0]?.[1]]);
  };
  expect(await of('encoding')).toEqual([
    ['none', 0.75],
    ['br', 0.25],
  ]);
  expect(await of('http')).toEqual([['2', 1]]);
});

it('says since when results are kept, and before when values were generated', async () => {
  expect(await makeupOf('tls')).toMatchObject({ since: null, generatedUntil: null });
  const target = await targetRef(targetId);
  const asked = { property: 'tls', periodSeconds: 60, from: iso(0), to: iso(120) } as const;
  const places = await readPlaces({});
  const kept = await readMakeup(target, asked, places, WEDNESDAY + 400 * 1_440 * MINUTE);
  expect(Date.parse(kept.since ?? '')).toBeGreaterThan(WEDNESDAY + 300 * 1_440 * MINUTE);
  expect(kept.lines).toEqual([]);
  await writeSettingOnce('demo_past', {
    from: (WEDNESDAY - 60 * MINUTE) / 1_000,
    to: (WEDNESDAY + 30 * MINUTE) / 1_000,
  });
  expect((await readMakeup({ ...target, demo: true }, asked, places, NOW)).generatedUntil).toBe(iso(30));
});

it.skipIf(ON_CLUSTER)('is the same once the day is sealed', async () => {
  const before = await makeupOf('tls', { filter: { carrier: ['telecom', 'unicom'] } });
  expect(before.lines).toHaveLength(2);
  expect(await sealDays(WEDNESDAY + 72 * 60 * MINUTE)).toBeGreaterThan(200);
  // The same places by another name: what was read of the rows is kept.
  expect(await makeupOf('tls', { filter: { country: 'CN' } })).toEqual(before);
});
