import pg from 'pg';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { targetFigures } from '#app/targets/[id]/figures.ts';
import { readFilter } from '#components/filters/filter.ts';
import { Configuration } from '#contract/configuration.ts';
import { type ImportedMeasurement, MAX_IMPORTED_VANTAGES } from '#contract/import.ts';
import { MatrixQuery, SeriesQuery } from '#contract/query.ts';
import type { StorableResult } from '#contract/result.ts';
import { TargetFiguresQuery } from '#contract/target-figures.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { thinOldDays } from '#server/blocks/rare-results.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { applyConfiguration } from '#server/configuration/configuration.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { dropOldPartitions } from '#server/database/partitions.ts';
import { changeRetention } from '#server/database/retention.ts';
import { followEvents } from '#server/events/events.ts';
import { queryFailures } from '#server/figures/failures.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { queryTargetFigures } from '#server/figures/target-figures.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { importMeasurements } from '#server/imports/imports.ts';
import { measurementsOf } from '#server/incidents/measurements.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { allowanceOf } from '#server/ingest/limits.ts';
import { drainRollups, pumpRollups } from '#server/rollups/rollups.ts';
import { targetRef } from '#server/targets/target-ref.ts';
import { fail, insertMinutes, insertRolledUp, REFUSED } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

// What was imported stands beside what our own probers measured of the same target: that stays as it is.

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const UI: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'light' };
const own = makeVantage('CN-GD', 'telecom');
/** Another of ours, where nobody else measures. */
const alone = makeVantage('CN-BJ', 'unicom');

let targetId: string;
prepareTestDatabase([own, alone]);
beforeEach(async () => {
  targetId = await insertTarget();
});

const iso = (at: number) => new Date(at).toISOString();
const hourOf = (at: number) => Math.floor(at / HOUR) * HOUR;

/** Measurements of another monitor, one a minute. */
const measured = (from: number, count: number, more: Partial<ImportedMeasurement> = {}): ImportedMeasurement[] =>
  Array.from({ length: count }, (_, minute) => ({
    ...{
      at: iso(from + minute * MINUTE + 500),
      country: 'CN',
      region: 'CN-GD',
      carrier: 'telecom',
      ok: true,
      tlsMs: 200,
    },
    ...more,
  }));

const imported = (measurements: ImportedMeasurement[]) =>
  importMeasurements({ targetId, source: 'Boce', measurements });

/** How many results of our own prober an hour has, by its vantage. */
async function ownIn(hour: number): Promise<number> {
  const range = { from: iso(hour), to: iso(hour + HOUR), step: '3600', stat: 'count', groupBy: 'vantage' };
  const { series } = await querySeries(SeriesQuery.parse({ target: targetId, ...range }));
  return series.find(({ labels }) => labels.vantage === own.id)?.points[0]?.[2] ?? 0;
}

/** Says that 30 ms of TLS time are usual of our own. */
async function setUsual(): Promise<void> {
  const tls = { levels: Array(6).fill(30), since: null };
  await getPool().query(
    `insert into target_usual (target_id, at, levels, overall)
      select $1, now(), (select jsonb_object_agg(id, $2::jsonb) from vantage where not imported), $3`,
    [targetId, JSON.stringify({ tls }), JSON.stringify({ country: 'CN', metrics: { tls } })],
  );
}

describe('what was imported', () => {
  /** Two hours that are over; only in the first others measured as well, seven times as slow. */
  const start = hourOf(Date.now()) - 3 * HOUR;
  beforeEach(async () => {
    await insertRolledUp({ targetId, vantages: [own, alone], from: start, count: 120 });
    await imported([...measured(start, 60), ...measured(start, 60, { region: 'CN-SC' })]);
    await drainRollups({ settled: true });
  });
  const range = (from: number, to: number) => ({
    target: targetId,
    from: iso(start + from * HOUR),
    to: iso(start + to * HOUR),
  });
  const matrixOf = (query: object) => queryMatrix(MatrixQuery.parse(query));

  it('is not set against what is usual of our own', async () => {
    await setUsual();
    const usualOf = async (groupBy: object) => {
      const { series } = await querySeries(SeriesQuery.parse({ ...range(0, 2), step: '3600', ...groupBy }));
      return new Map(series.map(({ labels, usual }) => [labels.region, usual]));
    };
    expect(await usualOf({})).toEqual(new Map([[undefined, [null, 30]]]));
    const byRegion = { 'CN-GD': [null, 30], 'CN-BJ': [30, 30], 'CN-SC': [null, null] };
    expect(await usualOf({ groupBy: 'region' })).toEqual(new Map(Object.entries(byRegion)));
    const levels = async (query: object) => {
      const { cells, margins } = await matrixOf(query);
      const of = (name: string) => cells.find(({ region, n }) => region === name && n > 0)?.usual;
      return [of('CN-GD'), of('CN-BJ'), of('CN-SC'), margins.all.usual];
    };
    expect(await levels(range(0, 1))).toEqual([null, 30, null, null]);
    expect(await levels(range(1, 2))).toEqual([30, 30, undefined, 30]);
    // Hours of lists are our own, and days are not set against anything.
    const summary = (await listTargetSummaries()).find(({ id }) => id === targetId);
    expect(summary?.sparkline.find(({ at }) => at === iso(start))).toMatchObject({
      value: expect.closeTo(29, 0),
      n: 120,
    });
    expect(summary?.days.reduce((sum, { n }) => sum + n, 0)).toBe(360);
  });

  it('is told of, where the range compared with holds it alone', async () => {
    const compared = { compareFrom: range(0, 1).from, compareTo: range(0, 1).to };
    const until = iso(start + 59 * MINUTE + 500);
    expect((await matrixOf(range(0, 1))).importedUntil).toBe(until);
    expect((await matrixOf(range(1, 2))).importedUntil).toBeNull();
    await setUsual();
    // What is usual goes with the range itself.
    const both = await matrixOf({ ...range(1, 2), ...compared });
    expect([both.importedUntil, both.margins.all.usual]).toEqual([until, 30]);
  });

  it('does not say that a target fails', async () => {
    await imported(measured(start + 1_000, 60, { ok: false, reason: 'timeout' }));
    const change = (result: StorableResult) => fail(result, REFUSED);
    await insertRolledUp({ targetId, vantages: [own], from: start + 30_000, count: 1, change });
    const hour = range(0, 1);
    const failures = await queryFailures(targetId, hour);
    expect(failures).toMatchObject({
      probes: 121,
      availability: 120 / 121,
      failures: [{ reason: 'tcp_refused', share: expect.closeTo(1 / 121, 6), places: [{ region: 'CN-GD' }] }],
    });
    expect(failures.places.map(({ region }) => region).toSorted()).toEqual(['CN-BJ', 'CN-GD']);
    const filter = { ...readFilter({}, Date.now()), from: hour.from, to: hour.to };
    const page = await targetFigures(UI, await targetRef(targetId), { ...filter, metric: 'tls', stat: 'availability' });
    const { t } = UI;
    expect(page.figures.find(({ label }) => label === t('stat.availability'))).toMatchObject({
      value: 120 / 121,
      n: 121,
    });
    expect(page.carriers.find(({ carrier }) => carrier === 'telecom')).toMatchObject({ availability: 60 / 61 });
    expect(page.matrix.margins.all.n).toBe(121);
    // Its times are of what was imported as well.
    expect([page.matrix.importedUntil, page.importedUntil]).toEqual([null, expect.any(String)]);
    expect(page.failures).toEqual(failures);
    expect((await matrixOf({ ...hour, stat: 'availability' })).margins.all).toMatchObject({ n: 121 });
    const summaries = TargetFiguresQuery.parse({ from: hour.from, to: hour.to, stat: 'availability', ids: targetId });
    expect((await queryTargetFigures(summaries)).data).toMatchObject([{ n: 121, importedUntil: null }]);
    // Lines over time show it.
    const { series, importedUntil } = await querySeries(
      SeriesQuery.parse({ ...hour, stat: 'availability', step: '3600' }),
    );
    expect([series[0]?.points[0]?.[2], importedUntil]).toEqual([301, expect.any(String)]);
  });
});

it('an import of long ago keeps nobody from the minutes of now who begins to follow events', async () => {
  const first = Math.floor(Date.now() / MINUTE) - 5;
  await getPool().query('update rollup_progress set open_from = $1', [first]);
  await insertMinutes({ targetId, vantages: [own], from: (first + 2) * MINUTE, count: 1 });
  await getPool().query(
    `insert into rollup_dirty (target_id, step, bucket, ready_at)
      values ($1, 60, date_trunc('minute', now() - interval '20 days'), 'infinity')`,
    [targetId],
  );
  const followed = new AbortController();
  const { signal } = followed;
  const events = await followEvents({}, { after: null, signal, cutOff: () => followed.abort() });
  await pumpRollups();
  let told = '';
  for await (const text of events) {
    told += text;
    if (told.includes(`"targets":["${targetId}"]`)) break;
  }
  followed.abort();
  expect(told).toContain(`"minute":"${iso((first + 2) * MINUTE)}"`);
  await getPool().query("delete from rollup_dirty where ready_at = 'infinity'");
});

it('documents name vantages of our own, whatever imported ones are called', async () => {
  await getPool().query(
    `insert into vantage (id, name, country, region, carrier, access, imported)
      select ('00000000-0000-7000-8000-00000000000' || place)::uuid, name, 'CN', 'CN-GD', 'telecom', 'idc', true
      from unnest($1::text[]) with ordinality as named (name, place)`,
    [[own.name, 'Boce of documents']],
  );
  const apply = (name: string) => {
    const document = {
      targets: [{ name: 'documented', url: 'https://shop.example.org/', vantages: { names: [name] } }],
    };
    const how = { dryRun: false, prune: false, managed: false };
    return applyConfiguration(Configuration.parse(document), how, 'test');
  };
  await expect(apply('Boce of documents')).rejects.toThrow('is unknown: Boce of documents');
  expect((await apply(own.name)).steps).toMatchObject([{ action: 'create', name: 'documented' }]);
  const selects = "select vantages -> 'vantageIds' as ids from target where name = 'documented'";
  expect((await getPool().query(selects)).rows).toEqual([{ ids: [own.id] }]);
});

it('an import that brings more new texts than are taken in an hour is refused for now, and told so', async () => {
  await getPool().query("update target set url = 'https://new.example.org/' where id = $1", [targetId]);
  const allowance = allowanceOf('imports', Date.now());
  const { strings } = allowance;
  allowance.strings = 0;
  const asked = imported(measured(hourOf(Date.now()) - 3 * HOUR, 1));
  await expect(asked).rejects.toThrow('are taken of one prober, or of all imports, in an hour');
  allowance.strings = strings;
});

it('what explains an incident is read of our own alone', async () => {
  const start = hourOf(Date.now()) - 3 * HOUR;
  await insertMinutes({ targetId, vantages: [own], from: start, count: 60 });
  await imported(measured(start, 60));
  const at = new Date(start + 30 * MINUTE);
  const { id: vantageId = null, region, carrier } = own;
  const series = { targetId, vantageId, region, carrier, metric: 'tls', beforeMs: 29, afterMs: 58 };
  const cell = cellOf({ ...series, kind: 'spike', at });
  // What a connection asks is seen of those that begin now.
  await closeDatabase();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const found = await measurementsOf({ cells: [cell], onsetAt: at }, start + HOUR);
  const questions = query.mock.calls.map(([question]) => question as unknown as { text: string; values: unknown[] });
  query.mockRestore();
  await closeDatabase();
  const { text = '', values } = questions.find((each) => each.text?.includes('row_number() over series')) ?? {};
  const { rows } = await getPool().query<{ vantageId: string }>(text, values);
  expect(found?.own).toMatchObject([{ vantageId: own.id }]);
  expect(found?.others).toEqual([]);
  expect(new Set(rows.map(({ vantageId }) => vantageId))).toEqual(new Set([own.id]));
});

describe('imported vantages', () => {
  const at = hourOf(Date.now()) - 3 * HOUR;
  /** Measurements of so many places, a city each, from a number on. */
  const ofCities = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => measured(at, 1, { city: `city ${from + index}` })).flat();
  const countThem = async () => {
    const sql = 'select count(*)::int as n from vantage where imported and deleted_at is null';
    return (await getPool().query<{ n: number }>(sql)).rows[0]?.n ?? 0;
  };

  it(`are at most ${MAX_IMPORTED_VANTAGES}, also by requests at once; places that are there always take more`, async () => {
    await getPool().query('update vantage set deleted_at = now() where imported');
    const asked = await Promise.allSettled(
      Array.from({ length: 6 }, (_, request) => imported(ofCities(1_000 * request, 300))),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await countThem()).toBe(900);
    const from = 1_000 * asked.findIndex(({ status }) => status === 'fulfilled');
    await imported(ofCities(10_000, MAX_IMPORTED_VANTAGES - 900));
    await expect(imported(ofCities(20_000, 1))).rejects.toThrow(`and ${MAX_IMPORTED_VANTAGES} are there`);
    expect(await imported(measured(at + HOUR, 5, { city: `city ${from}` }))).toMatchObject({ stored: 5 });
    // One that was removed makes room, and takes it up again when more of it is imported.
    await getPool().query('update vantage set deleted_at = now() where name like $1', [`%city ${from} %`]);
    expect(await imported(ofCities(20_000, 1))).toMatchObject({ stored: 1 });
    await expect(imported(ofCities(from, 1))).rejects.toThrow('are of 1 new places');
    await getPool().query("update vantage set deleted_at = now() where name like '%city 20000 %'");
    expect(await imported(ofCities(from, 1))).toMatchObject({ already: 1 });
    expect(await countThem()).toBe(MAX_IMPORTED_VANTAGES);
    await getPool().query('update vantage set deleted_at = now() where imported');
  });
});

describe('an import of what was deleted here', () => {
  it('is too old, also once results are kept longer: what is left of our own is in rollups alone', async () => {
    const hour = hourOf(Date.now() - 40 * DAY);
    await insertRolledUp({ targetId, vantages: [own], from: hour, count: 60 });
    await sealDays(Date.now());
    expect(await thinOldDays(Date.now())).toHaveLength(1);
    await changeRetention({ rawDays: 365, minuteDays: 365, tenMinuteDays: 365 });
    expect(await imported(measured(hour, 60))).toMatchObject({ stored: 0, tooOld: 60 });
    await drainRollups({ settled: true });
    expect(await ownIn(hour)).toBe(60);
    // The next day was never deleted.
    expect(await imported(measured(hour + DAY, 60))).toMatchObject({ stored: 60, tooOld: 0 });
    await changeRetention({ rawDays: null, minuteDays: null, tenMinuteDays: null });
  });

  it('is too old where minutes are kept shorter than results, also once they are kept longer', async () => {
    const hour = hourOf(Date.now() - 10 * DAY);
    await insertRolledUp({ targetId, vantages: [own], from: hour, count: 60 });
    await changeRetention({ minuteDays: 5 });
    expect(await imported(measured(hour, 1))).toMatchObject({ tooOld: 1 });
    const { length } = await dropOldPartitions(Date.now());
    expect(length).toBeGreaterThan(0);
    await changeRetention({ minuteDays: null });
    expect(await imported(measured(hour, 1))).toMatchObject({ tooOld: 1 });
    await drainRollups({ settled: true });
    expect(await ownIn(hour)).toBe(60);
    expect(await imported(measured(hour + 6 * DAY, 1))).toMatchObject({ stored: 1 });
  });
});
