import { describe, expect, it } from 'vitest';
import { isSilent } from '#components/vantage/vantage-table.tsx';
import type { ProberReport } from '#contract/ingest.ts';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { processMetrics } from '#server/monitoring/monitoring.ts';
import { dropOldReports } from '#server/vantages/reports.ts';
import { countVantages, deleteVantage, getVantage, listVantages } from '#server/vantages/vantages.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

prepareTestDatabase();

async function makeProber(vantages: VantageRef[] = [makeVantage('CN-GD', 'telecom')]) {
  const id = await insertProber(vantages);
  const [vantage] = vantages;
  if (!vantage) throw new Error('a prober serves a vantage');
  return { id, vantage, vantageIds: vantages.map((each) => each.id) };
}

const report = (minutesAgo: number, changes: Partial<ProberReport> = {}): ProberReport => ({
  since: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
  checks: 40,
  threads: 2,
  started: 100,
  missed: 3,
  retaken: 2,
  unclean: 5,
  dropped: 1,
  ...changes,
});

describe('the report of a prober', () => {
  it('may come without a result, and adds up to what the vantage shows', async () => {
    const prober = await makeProber();
    expect((await getVantage(prober.vantage.id)).prober).toBeNull();
    const empty = { accepted: 0, duplicates: 0, rejected: [] };
    expect(await ingestBatch(prober, { results: [], report: report(2) })).toMatchObject(empty);
    await ingestBatch(prober, { results: [], report: report(1, { threads: 4, missed: 0 }) });
    const runs = { started: 200, missed: 3, retaken: 4, unclean: 10, dropped: 2 };
    const { prober: activity } = await getVantage(prober.vantage.id);
    expect(activity).toMatchObject({ checks: 40, threads: 4, lastHour: runs, lastDay: runs });
    expect(Date.now() - Date.parse(activity?.reportedAt ?? '')).toBeLessThan(60_000);
  });

  it('comes along with results', async () => {
    const prober = await makeProber();
    const targetId = await insertTarget();
    await assignAll();
    const result = makeResult({ targetId, vantage: prober.vantage, startedAt: Date.now() - 5_000 });
    expect(await ingestBatch(prober, { results: [result], report: report(1) })).toMatchObject({ accepted: 1 });
    expect((await getVantage(prober.vantage.id)).prober?.lastHour.started).toBe(100);
  });

  it('counts once when it is sent again, with what the prober says last', async () => {
    const prober = await makeProber();
    const first = report(1);
    await ingestBatch(prober, { results: [], report: first });
    await ingestBatch(prober, { results: [], report: { ...first, started: 120 } });
    expect((await getVantage(prober.vantage.id)).prober?.lastHour).toMatchObject({ started: 120, missed: 3 });
  });

  it('is shown at every vantage that the prober serves, and at no other', async () => {
    const prober = await makeProber([makeVantage('CN-BJ', 'mobile'), makeVantage('CN-BJ', 'unicom')]);
    const other = await makeProber([makeVantage('CN-SH', 'unicom')]);
    await ingestBatch(prober, { results: [], report: report(1) });
    const { data } = await listVantages({ limit: 1_000 });
    const started = (ids: string[]) =>
      data.filter(({ id }) => ids.includes(id)).map((vantage) => vantage.prober?.lastHour.started);
    expect(started(prober.vantageIds)).toEqual([100, 100]);
    expect(started(other.vantageIds)).toEqual([undefined]);
  });

  it('leaves the last hour, then the last day, then the database', async () => {
    const prober = await makeProber();
    const age = async (hours: number) =>
      await getPool().query(
        `update prober_report set received_at = now() - $2 * interval '1 hour' where prober_id = $1`,
        [prober.id, hours],
      );
    await ingestBatch(prober, { results: [], report: report(1) });
    await age(2);
    expect((await getVantage(prober.vantage.id)).prober).toMatchObject({
      lastHour: { started: 0 },
      lastDay: { started: 100 },
    });
    await age(30);
    expect((await getVantage(prober.vantage.id)).prober).toMatchObject({ checks: 40, lastDay: { started: 0 } });
    expect(await dropOldReports()).toBe(0);
    await age(49);
    expect((await getVantage(prober.vantage.id)).prober).toBeNull();
    expect(await dropOldReports()).toBe(1);
  });

  it('is counted in the metrics of the process, once', async () => {
    const prober = await makeProber();
    const value = async (outcome: string) =>
      Number(
        new RegExp(`roundtrip_prober_runs_total\\{outcome="${outcome}"\\} (\\d+)`).exec(await processMetrics())?.[1] ??
          0,
      );
    const [started, missed] = [await value('started'), await value('missed')];
    const sent = report(1, { started: 70, missed: 9 });
    await ingestBatch(prober, { results: [], report: sent });
    await ingestBatch(prober, { results: [], report: sent });
    expect([(await value('started')) - started, (await value('missed')) - missed]).toEqual([70, 9]);
  });

  it.each([
    ['checks', 2 ** 31],
    ['started', 2 ** 40],
    ['since', '0000-12-31T23:59:59Z'],
    ['since', '0001-01-01T00:00:00+23:59'],
    ['since', '9999-12-31T23:59:59-01:00'],
    ['mood', 'good'],
  ])('costs no result where its %s is %s', async (field, value) => {
    const prober = await makeProber();
    const targetId = await insertTarget();
    await assignAll();
    const result = makeResult({ targetId, vantage: prober.vantage, startedAt: Date.now() - 5_000 });
    const answer = await ingestBatch(prober, { results: [result], report: { ...report(1), [field]: value } });
    expect(answer).toMatchObject({ accepted: 1, rejected: [], reportErrors: [{ field: `report.${field}` }] });
    expect((await getVantage(prober.vantage.id)).prober).toBeNull();
  });

  it.each(['2026-11-22T12:00:00+23:59', '9999-12-31T23:59:59Z', `2026-11-22T00:00:00.${'1'.repeat(300)}Z`])(
    'may begin at %s, however PostgreSQL would have it written',
    async (since) => {
      const prober = await makeProber();
      const answer = await ingestBatch(prober, { results: [], report: { ...report(1), since } });
      expect(answer).toEqual({ accepted: 0, duplicates: 0, rejected: [], serverTime: expect.any(String) });
    },
  );

  it.each([
    ['neither a result nor a report', { results: [] }, 'results'],
    ['a negative count', { results: [], report: report(1, { missed: -1 }) }, 'report.missed'],
    ['a count that no column holds', { results: [], report: report(1, { checks: 2 ** 31 }) }, 'report.checks'],
    ['a year that is none', { results: [], report: { ...report(1), since: '0000-01-01T00:00:00Z' } }, 'report.since'],
    ['no thread', { results: [], report: report(1, { threads: 0 }) }, 'report.threads'],
    ['a field that is none', { results: [], report: { ...report(1), mood: 'good' } }, 'report.mood'],
  ])('is refused with %s', async (_what, body, field) => {
    const prober = await makeProber();
    await expect(ingestBatch(prober, body)).rejects.toMatchObject({ code: 'invalid', fields: [{ field }] });
    expect((await getVantage(prober.vantage.id)).prober).toBeNull();
  });
});

it('vantages are counted over all their pages, by the rules of their rows', async () => {
  const before = await countVantages(Date.now());
  const probers = [];
  for (let n = 0; n < 5; n += 1) {
    probers.push(await makeProber(Array.from({ length: 51 }, () => makeVantage('CN-GD', 'telecom'))));
  }
  const [awaited, heard, silent, imported, deleted] = probers;
  if (!(awaited && heard && silent && imported && deleted)) throw new Error('five probers');
  const now = Date.now();
  const seen = (id: string, ms: number) =>
    getPool().query('update prober set last_seen_at = $2 where id = $1', [id, new Date(now - ms)]);
  await seen(heard.id, 299_999);
  for (const { id } of [silent, imported, deleted]) await seen(id, 300_000);
  await getPool().query('update vantage set imported = true where prober_id = $1', [imported.id]);
  for (const id of deleted.vantageIds) await deleteVantage(id);
  expect(await countVantages(now)).toEqual({ measuring: before.measuring + 3 * 51, silent: before.silent + 51 });
  const { data } = await listVantages({ limit: 1_000 });
  const rows = data.filter(({ imported }) => !imported);
  expect(await countVantages(now)).toEqual({
    measuring: rows.length,
    silent: rows.filter((row) => isSilent(row, now)).length,
  });
});
