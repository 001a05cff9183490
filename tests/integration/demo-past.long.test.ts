import { beforeAll, describe, expect, it } from 'vitest';
import type { Detection } from '#analysis/detection/detection.ts';
import { createDetector } from '#analysis/detection/detector.ts';
import type { SeriesSample } from '#analysis/detection/sample.ts';
import { lacksPast, loadPast } from '#cli/demo/load-past.ts';
import { IncidentsQuery } from '#contract/incident.ts';
import { SeriesQuery } from '#contract/query.ts';
import { PAST_ORIGINS } from '#demo/past/paths.ts';
import { drawPast } from '#demo/past/series.ts';
import { pastBefore } from '#demo/past/window.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { PROFILES } from '#demo/profiles.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { addDemoMarker, demoMadeAt, ensureDemo, removeDemo } from '#server/demo/demo.ts';
import { loadCheckpoint } from '#server/detection/checkpoint.ts';
import { querySeries } from '#server/figures/series.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { words } from '../support/words.ts';

const REGIONS = ['CN-GD', 'CN-SN', 'CN-GS'];
const network = {
  origins: PROFILES.map(({ key, name, host }) => ({ key, name, url: `https://${host}:4000/`, caPem: '' })),
  vantages: DEMO_VANTAGES.filter(({ region }) => REGIONS.includes(region)).map((vantage) => ({ ...vantage })),
};

let madeAt: Date;
const targets = new Map<string, string>();
const said: string[] = [];

prepareTestDatabase();
beforeAll(async () => {
  await ensureDemo(network);
  // Within a minute, as it would be.
  await getPool().query('update target set created_at = $1', [new Date(WEDNESDAY + 42_000)]);
  madeAt = (await demoMadeAt()) ?? new Date(0);
  const { rows } = await getPool().query<{ id: string; url: string }>('select id, url from target');
  for (const { id, url } of rows) targets.set(new URL(url).hostname.split('.')[0] ?? '', id);
  await loadPast((text) => said.push(text));
}, 300_000);

const count = async (table: string, where = 'true') =>
  (await getPool().query<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`)).rows[0]?.n ?? 0;
/** A whole hour about so many days before the demo was made. */
const daysAgo = (days: number) => {
  const hours = Math.floor(madeAt.getTime() / 3_600_000 - days * 24);
  return new Date(hours * 3_600_000).toISOString();
};
const series = (given: object) =>
  querySeries(SeriesQuery.parse({ target: targets.get('good'), metric: 'tls', stat: 'p50', ...given }));

/** What the detector alone says of the same series: no stretches, no thread, no database. */
async function detectedAtOnce(window: ReturnType<typeof pastBefore>): Promise<Detection[]> {
  const detector = createDetector({ spikesOn: ['tls', 'tcp', 'firstByte', 'failures'] });
  const vantages = await getPrisma().vantage.findMany({ orderBy: { id: 'asc' } });
  const byTime = new Map<number, SeriesSample[]>();
  for (const key of targets.keys()) {
    const origin = PAST_ORIGINS.find((each) => each.key === key);
    if (!origin) throw new Error(`no origin ${key}`);
    for (const { id, region, carrier } of vantages) {
      const index = detector.indexOf({ target: key, vantage: id, country: 'CN', region, carrier });
      for (const { at, ok, tcpMs, tlsMs, firstByteMs } of drawPast(origin, { region, carrier }, window).samples) {
        const sample = { timestamp: at, tcp: tcpMs, tls: tlsMs, firstByte: firstByteMs, ok };
        byTime.set(at, [...(byTime.get(at) ?? []), { index, sample }]);
      }
    }
  }
  const instants = [...byTime].sort(([a], [b]) => a - b);
  return instants.flatMap(([at, samples]) => detector.advance(at, samples));
}

describe("the demo's past", () => {
  it('reaches 14 days back on every chart, and says up to when it was generated', async () => {
    const end = Math.floor(madeAt.getTime() / 60_000) * 60_000;
    const week = await series({ from: daysAgo(13.9), to: daysAgo(0.1), groupBy: 'carrier' });
    expect(week.generatedUntil).toBe(new Date(end).toISOString());
    expect(week.series).toHaveLength(3);
    expect(week.series.every(({ points }) => points.every(([, value]) => value !== null))).toBe(true);
    expect(
      (await series({ from: new Date(end - 60_000).toISOString(), to: daysAgo(-1) })).generatedUntil,
    ).not.toBeNull();
    expect((await series({ from: new Date(end).toISOString(), to: daysAgo(-1) })).generatedUntil).toBeNull();
  });

  it('has a value in every ten minutes of a single line, the shortest step that is chosen for it', async () => {
    const { stepSeconds, series: lines } = await series({
      from: daysAgo(3),
      to: daysAgo(2.5),
      groupBy: 'region,carrier',
    });
    expect(stepSeconds).toBe(600);
    const points = lines.flatMap((line) => line.points);
    expect(points.filter(([, value]) => value === null).length).toBeLessThan(points.length * 0.05);
  });

  it('holds incidents that the detector raised, with their causes and markers, and told nobody', async () => {
    const { data } = await listIncidents(IncidentsQuery.parse({ limit: '100' }));
    expect(data.length).toBeGreaterThan(4);
    expect(data.every(({ demo, openedAt }) => demo && Date.parse(openedAt) < madeAt.getTime())).toBe(true);
    const about = (key: string) => data.filter(({ targetId }) => targetId === targets.get(key));
    const chain = about('good').find(({ kind }) => kind === 'improvement');
    expect(chain).toMatchObject({ cause: 'tls', cells: { length: 9 } });
    expect(chain?.candidates).toMatchObject([{ kind: 'marker', title: 'Short chain and fresh staples' }]);
    const release = about('stale').find(({ kind }) => kind === 'regression');
    expect(release).toMatchObject({ cause: 'server', status: 'resolved' });
    expect(
      data.some(({ kind, cause, carrier }) => kind === 'spike' && cause === 'network' && carrier === 'mobile'),
    ).toBe(true);
    expect(data.filter(({ kind, status }) => kind === 'spike' && status !== 'resolved')).toEqual([]);
    expect(await count('delivery')).toBe(0);
    expect(await count('incident', 'not backfilled')).toBe(0);
  });

  it('holds just what the detector raises over it when it sees all of it in one go', async () => {
    const window = pastBefore(madeAt.getTime());
    const raised = (await detectedAtOnce(window)).filter(
      ({ at }) => at >= window.from + 3 * 86_400 && at < window.to - 3_600,
    );
    const stored = await getPrisma().detection.findMany({
      select: { targetId: true, kind: true, at: true, changeAt: true, cause: true, metric: true },
    });
    const shown = ({ targetId, kind, at, changeAt, cause, metric }: (typeof stored)[number]) =>
      [targetId, kind, metric, cause, at.toISOString(), changeAt.toISOString()].join(' ');
    const expected = raised.map((each) =>
      shown({
        ...each,
        targetId: targets.get(each.target) ?? '',
        at: new Date(each.at * 1_000),
        changeAt: new Date(each.changeAt * 1_000),
      }),
    );
    expect(expected.length).toBeGreaterThan(30);
    expect(stored.map(shown).sort()).toEqual(expected.sort());
  });

  it('lets the live detector go on from its end, without the first minute in which its machine is still starting', async () => {
    const checkpoint = await loadCheckpoint();
    expect(checkpoint?.to).toBe(Math.floor(madeAt.getTime() / 1_000) + 75);
    expect([...(checkpoint?.state ?? [])]).toHaveLength(1 + 27);
  });

  it('is loaded once', async () => {
    const tables = ['rollup_minute', 'rollup_ten', 'rollup_hour', 'rollup_day', 'marker', 'incident', 'detection'];
    const counts = () => Promise.all(tables.map((table) => count(table)));
    const all = await counts();
    expect(said).toHaveLength(3);
    expect(await lacksPast()).toBe(false);
    await loadPast((text) => said.push(text));
    expect(said).toHaveLength(3);
    expect(await counts()).toEqual(all);
  });

  it('takes markers of the present, each once', async () => {
    const marker = { host: 'stale.demo.roundtrip.test', at: daysAgo(-0.1), title: 'Key exchange', text: '' };
    await addDemoMarker(marker);
    await addDemoMarker(marker);
    await addDemoMarker({ ...marker, host: 'unknown.example' });
    expect(await count('marker', `title = 'Key exchange' and demo and target_id = '${targets.get('stale')}'`)).toBe(1);
    expect(await count('marker')).toBe(5);
  });

  it('goes with the demo', async () => {
    await removeDemo();
    for (const table of words(
      'rollup_minute rollup_ten rollup_hour rollup_day marker incident incident_event detection',
    ))
      expect(await count(table), table).toBe(0);
    await loadPast((text) => said.push(text));
    expect(said).toHaveLength(3);
  });
});
