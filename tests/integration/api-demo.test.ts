import { describe, expect, it } from 'vitest';
import type { EnrolResponse } from '#contract/ingest.ts';
import type { StorableResult } from '#contract/result.ts';
import { ProbeSettings, type Target } from '#contract/target.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { ensureDemo } from '#server/demo/demo.ts';
import { assignmentsSince } from '#server/vantages/assignments.ts';
import { enrolVantages, exchangeToken, type NewVantage } from '#server/vantages/enrolments.ts';
import { authenticateProber } from '#server/vantages/probers.ts';
import { presentVantageRef } from '#server/vantages/vantages.ts';
import { prepareApi } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';

const api = prepareApi();

const vantage = (carrier: string): NewVantage => ({
  name: `Beijing ${carrier}`,
  country: 'CN',
  region: 'CN-BJ',
  city: null,
  carrier,
  asn: null,
  access: 'idc',
});
const PEM = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----';
const network = (port: number) => ({
  origins: [
    { key: 'fast', name: 'In order', url: `https://fast.demo.invalid:${port}/`, caPem: PEM },
    { key: 'slow', name: 'Long chain', url: `https://slow.demo.invalid:${port + 1}/`, caPem: PEM },
  ],
  vantages: [vantage('telecom'), vantage('unicom'), vantage('mobile')],
});
const enrol = (token: string | null): Promise<EnrolResponse> => exchangeToken({ token: token ?? '', engineVersion: 1 });
const checksOf = async ({ credential }: EnrolResponse) =>
  (await assignmentsSince(await authenticateProber(`Bearer ${credential}`), null)).checks;

async function demoResult(): Promise<StorableResult> {
  const demo = { demo: true, deletedAt: null };
  const { id: targetId } = await getPrisma().target.findFirstOrThrow({ where: demo });
  const row = await getPrisma().vantage.findFirstOrThrow({ where: demo });
  const made = makeResult({ targetId, vantage: presentVantageRef(row), startedAt: Date.now() - 60_000 });
  return { ...made, demo: true };
}

/** How many results there are, and targets whose minutes are in the log. */
async function kept(): Promise<number[]> {
  const count = async (table: string) => (await getPool().query(`select count(*)::int as n from ${table}`)).rows[0].n;
  const [results, dirty] = [
    await count('result'),
    await count('(select distinct unnest(target_ids) from rollup_log) logged'),
  ];
  return [results, dirty];
}

describe('the demo', () => {
  it('is made where nothing is watched, and follows its servers’ ports at the next start', async () => {
    const first = await enrol(await ensureDemo(network(4000)));
    const checks = await checksOf(first);
    expect(checks).toHaveLength(6);
    expect(checks[0]).toMatchObject({ demo: true, allowPrivate: true, settings: { caPem: PEM } });
    await getPrisma().target.updateMany({ where: { name: 'In order' }, data: { name: 'Renamed' } });
    const second = await enrol(await ensureDemo(network(5000)));
    const ports = (await checksOf(second)).map(({ url }) => new URL(url).port);
    expect(new Set(ports)).toEqual(new Set(['5000', '5001']));
    await expect(authenticateProber(`Bearer ${first.credential}`)).rejects.toMatchObject({ code: 'unauthorised' });
    expect((await api.ask('GET', '/api/v1/demo')).json).toEqual({
      present: true,
      removed: false,
      targets: 2,
      vantages: 3,
    });
  });

  it('brings a demo of before over to offering sessions, but no target whose settings somebody changed', async () => {
    const offering = network(6000);
    const origins = offering.origins.map((origin) => ({ ...origin, resume: true }));
    const settings = async () => {
      const rows = await getPrisma().target.findMany({
        where: { demo: true, deletedAt: null },
        orderBy: { url: 'asc' },
      });
      return rows.map((row) => ProbeSettings.parse(row.settings));
    };
    const resumed = async () => (await settings()).map(({ resume }) => resume);
    expect(await resumed()).toEqual([false, false]);
    // As a demo of before wrote them: nothing was noted.
    await getPool().query(`delete from setting where key = 'demo_settings'`);
    const change = (host: string, settings: object) =>
      getPool().query('update target set settings = settings || $2 where url like $1', [
        `https://${host}.demo.%`,
        JSON.stringify(settings),
      ]);
    await change('slow', { redirects: 2 });
    await ensureDemo({ ...offering, origins });
    expect(await resumed()).toEqual([true, false]);

    // Turned off by somebody it stays off, over any number of starts.
    await change('fast', { resume: false });
    for (let start = 0; start < 2; start++) await ensureDemo({ ...offering, origins });
    expect(await settings()).toMatchObject([{ resume: false }, { resume: false, redirects: 2 }]);
  });

  it('keeps apart from what is real', async () => {
    const { json } = await api.ask('POST', '/api/v1/targets', { body: { url: 'https://real.example.org/' } });
    const { token } = await enrolVantages([vantage('telecom')]);
    const checks = await checksOf(await enrol(token));
    expect(checks.map(({ targetId }) => targetId)).toEqual([(json as Target).id]);
    expect(await getPrisma().check.count({ where: { targetId: (json as Target).id, vantage: { demo: true } } })).toBe(
      0,
    );
  });

  it('goes for good with its results, by an administrator’s key alone', async () => {
    await insertResults([await demoResult()]);
    expect(await kept()).toEqual([1, 1]);
    expect((await api.ask('DELETE', '/api/v1/demo', { key: api.keys.write })).status).toBe(403);
    expect((await api.ask('DELETE', '/api/v1/demo')).status).toBe(204);
    expect((await api.ask('GET', '/api/v1/demo')).json).toEqual({
      present: false,
      removed: true,
      targets: 0,
      vantages: 0,
    });
    expect(await getPrisma().target.count({ where: { demo: true } })).toBe(0);
    expect(await getPrisma().target.count()).toBe(1);
    expect(await kept()).toEqual([0, 0]);
    expect(await ensureDemo(network(6000))).toBeNull();
    expect((await api.ask('DELETE', '/api/v1/demo')).status).toBe(204);
  });
});
