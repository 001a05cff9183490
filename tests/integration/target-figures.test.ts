import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Matrix, Series } from '#contract/query.ts';
import { MAX_IDS } from '#contract/query.ts';
import type { TargetFigures } from '#contract/target-figures.ts';
import { createKey } from '#server/access/keys.ts';
import { getPool } from '#server/database/database.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { testDatabase } from '../support/database.ts';
import { type IngestRoutes, serveIngest } from '../support/ingest-routes.ts';
import { fail, insertRolledUp, REFUSED } from '../support/minutes.ts';
import { type Asker, asker } from '../support/openapi.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';

const PATH = '/api/v1/targets/summary';
const MINUTES = 90;
const vantages = [
  makeVantage('CN-GD', 'unicom'),
  makeVantage('CN-BJ', 'telecom'),
  makeVantage('CN-GD', 'telecom'),
  makeVantage('CN-SH', 'mobile'),
];

let drop: () => Promise<void>;
let routes: IngestRoutes;
let call: Asker;
let ids: string[];
beforeAll(async () => {
  ({ drop } = await testDatabase());
  routes = await serveIngest();
  call = asker(routes.url, (await createKey({ name: 'reader', scope: 'read' })).key);
  await insertProber(vantages);
  ids = [];
  const from = Math.floor(Date.now() / 60_000) * 60_000 - MINUTES * 60_000;
  for (const [at, name] of ['shop', 'pay', 'shop'].entries()) {
    const targetId = await insertTarget({ name });
    ids.push(targetId);
    await insertRolledUp({
      targetId,
      // Nobody measures the third from Shanghai.
      vantages: at === 2 ? vantages.slice(0, 3) : vantages,
      from,
      count: MINUTES,
      // Another time in each minute at each place, so that no two of their medians are alike; every tenth fails.
      change: (result, vantage, index) => {
        if (result.phases)
          result.phases.tls = 20 * (at + 1) + 7 * vantages.findIndex(({ id }) => id === vantage.id) + index / 3;
        if (index % 10 === 9) fail(result, REFUSED);
      },
    });
  }
  await insertTarget({ name: 'new' }).then((id) => ids.push(id));
  await getPool().query(`update target set tags = '{front}' where id = any($1::uuid[])`, [ids.slice(1, 3)]);
}, 300_000);
afterAll(async () => {
  await routes.close();
  await drop();
});

const get = async <T>(path: string): Promise<T> => {
  const { status, json, text } = await call('GET', path);
  expect(status, text).toBe(200);
  return json as T;
};
const summary = (query = '') => get<TargetFigures>(`${PATH}?${query}`);
const hours = (back: number) =>
  new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 - back * 3_600_000).toISOString();

describe('the summary of targets', () => {
  it.each([
    ['tls', 'p50'],
    ['tls', 'p95'],
    ['firstByte', 'mean'],
    ['tls', 'availability'],
    ['total', 'count'],
  ])('has of each the figure of its matrix and its series, over all and in each place: %s %s', async (metric, stat) => {
    const over = `metric=${metric}&stat=${stat}&from=${hours(2)}&to=${hours(0)}`;
    const byRegion = await summary(`${over}&groupBy=region`);
    const byCarrier = await summary(`${over}&groupBy=carrier`);
    const whole = await summary(over);
    expect(whole.data.map(({ id }) => id)).toEqual(ids);
    for (const [at, id] of ids.entries()) {
      const matrix = await get<Matrix>(`/api/v1/matrix?target=${id}&${over}`);
      const of = ({ value, n }: { value: number | null; n: number }) => ({ value, n });
      const { all, regions, carriers } = matrix.margins;
      for (const { data } of [whole, byRegion, byCarrier]) expect(data[at]).toMatchObject(of(all));
      expect(whole.data[at]?.groups).toEqual([]);
      const measured = <Margin extends { n: number }>(margins: Margin[]) => margins.filter(({ n }) => n > 0);
      expect(byRegion.data[at]?.groups).toEqual(
        measured(regions).map((each) => ({ region: each.region, ...of(each) })),
      );
      expect(byCarrier.data[at]?.groups).toEqual(
        measured(carriers).map((each) => ({ carrier: each.carrier, ...of(each) })),
      );
      expect(matrix).toMatchObject({ unit: whole.unit, from: whole.from, to: whole.to });
    }
    // A line with one point.
    const hour = `metric=${metric}&stat=${stat}&from=${hours(2)}&to=${hours(1)}`;
    const ofHour = await summary(`${hour}&groupBy=carrier`);
    for (const { id, groups, ...all } of ofHour.data.slice(0, 3)) {
      const asked = `target=${id}&${hour}&step=3600`;
      const pointsOf = async (query: string) =>
        (await get<Series>(`/api/v1/series?${query}`)).series.map(({ labels, points }) => [labels.carrier, ...points]);
      const point = ({ value, n }: { value: number | null; n: number }) => [hours(2), value, n];
      expect(await pointsOf(asked)).toEqual([[undefined, point(all)]]);
      expect(new Set(await pointsOf(`${asked}&groupBy=carrier`))).toEqual(
        new Set(groups.map((each) => [each.carrier, point(each)])),
      );
    }
    expect(new Set(whole.data.map(({ n }) => n)).size).toBe(3);
  });

  it('has the median that the overview shows, of its hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const shown = new Map((await listTargetSummaries()).map(({ id, p50, n }) => [id, { value: p50, n }]));
    const { data } = await summary('range=1h');
    vi.useRealTimers();
    expect(new Map(data.map(({ id, value, n }) => [id, { value, n }]))).toEqual(
      new Map(ids.map((id) => [id, shown.get(id)])),
    );
    expect(data.filter(({ n }) => n > 0)).toHaveLength(3);
    expect(data[3]).toMatchObject({ name: 'new', value: null, n: 0, groups: [] });
  });

  it('is of the targets that a name, a tag or ids select, as the list is, page by page', async () => {
    const queries = ['name=shop', 'tag=front', `ids=${ids[2]},${ids[0]}`, `ids=${ids[2]},${ids[1]}&name=shop`, 'ids='];
    for (const query of queries) {
      const listed = await get<TargetFigures>(`/api/v1/targets?${query}`);
      expect((await summary(query)).data.map(({ id }) => id)).toEqual(listed.data.map(({ id }) => id));
    }
    expect((await summary(`ids=${ids[2]?.toUpperCase()}`)).data.map(({ id }) => id)).toEqual([ids[2]]);
    const first = await summary('limit=3');
    const next = await summary(`limit=3&cursor=${first.nextCursor}`);
    expect([...first.data, ...next.data].map(({ id }) => id)).toEqual(ids);
    expect(next.nextCursor).toBeNull();
  });

  it.each([
    ['range=2h', 'range'],
    [`range=1h&from=${hours(2)}`, 'range'],
    [`from=${hours(0)}&to=${hours(1)}`, 'from'],
    ['from=2020-01-01T00:00:00Z', 'from'],
    ['metric=latency', 'metric'],
    ['stat=p42', 'stat'],
    ['groupBy=country', 'groupBy'],
    ['ids=shop', 'ids'],
    [`ids=${Array(MAX_IDS + 1).fill('01970000-0000-7000-8000-000000000000')}`, 'ids'],
    ['target=x', 'target'],
  ])('refuses ?%s and names what is wrong', async (query, field) => {
    const { status, json } = await call('GET', `${PATH}?${query}`);
    expect([status, json]).toMatchObject([400, { errors: [{ field }] }]);
  });
});
