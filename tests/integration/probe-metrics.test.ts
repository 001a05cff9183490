import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import { type EnrolResponse, ProberReport } from '#contract/ingest.ts';
import type { Problem } from '#contract/problem.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { getPool } from '#server/database/database.ts';
import { noWork, reportStatus } from '#server/detection/status.ts';
import { BUCKETS, countProbes, MOST_COUNTED, MOST_PAIRS, probeMetrics } from '#server/monitoring/probes.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { storeReport } from '#server/vantages/reports.ts';
import { expressionsOf, namesIn, readDashboards } from '../support/dashboards.ts';
import { asker } from '../support/openapi.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { type Family, parseMetrics, promlint } from '../support/promlint.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { mainlandVantages, makeVantage } from '../support/vantages.ts';

const api = prepareApi();

const SECOND = 1_000;
const ago = (seconds: number) => Date.now() - seconds * SECOND;
const withPhases = (result: StorableResult, phases: Partial<StorableResult['phases']>): StorableResult => ({
  ...result,
  phases: { ...result.phases, ...phases },
});
const failed = (result: StorableResult, source: 'target' | 'prober'): StorableResult => ({
  ...withPhases(result, { firstByte: null, download: null }),
  ok: false,
  failure: { phase: 'firstByte', reason: 'http_timeout', source, message: 'no answer' },
});

/** The values of a family by their labels, as `region carrier` and whatever more there is. */
function valuesOf(families: Family[], name: string): Record<string, number> {
  const samples = families.find((family) => family.name === name)?.samples ?? [];
  return Object.fromEntries(
    samples.map(({ labels, value }) => {
      const { target: _target, vantage: _vantage, ...shown } = Object.fromEntries(labels);
      return [Object.values(shown).join(' '), value];
    }),
  );
}

async function ask(query: string, key = api.keys.read) {
  const answer = await api.ask('GET', `/metrics/probes${query}`, { key });
  return { ...answer, problem: answer.json as Problem | null };
}

async function textOf(query: Parameters<typeof probeMetrics>[0]): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await probeMetrics(query)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function newTarget(name: string, ...vantages: VantageRef[]): Promise<string> {
  const id = await insertTarget({ name });
  await getPool().query(
    `insert into "check" (id, target_id, vantage_id, revision)
      select gen_random_uuid(), $1, v, nextval('check_revision') from unnest($2::uuid[]) v`,
    [id, vantages.map((vantage) => vantage.id)],
  );
  return id;
}

const near = makeVantage('CN-GD', 'telecom');
const far = makeVantage('CN-XJ', 'unicom');

describe('/metrics/probes', () => {
  let targetId: string;
  beforeAll(async () => {
    await insertProber([near, far]);
    targetId = await newTarget('shop "one"\\', near, far);
    await getPool().query('update target set tags = $2 where id = $1', [targetId, ['shop', 'cn']]);
  });

  it('has the newest main result of each target and vantage, by the names and phases of blackbox_exporter', async () => {
    const at = (vantage: VantageRef, startedAt: number, tls: number) =>
      makeResult({ targetId, vantage, startedAt, tls });
    const resumed = { ...at(near, ago(5), 10), variant: 'resumed' as const, mainId: null };
    const newest = withPhases(at(near, ago(10), 40), { dns: 1.5, tcp: 30, firstByte: 31, download: 2, total: 104.5 });
    await insertResults([
      ...[at(near, ago(70), 90), newest, resumed, failed(at(near, ago(3), 95), 'prober')],
      ...[at(far, ago(40), 50), failed(at(far, ago(20), 80), 'target')],
    ]);
    const { status, text, headers } = await ask(`?target=${targetId}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const families = parseMetrics(text);
    const values = (name: string) => valuesOf(families, name);
    expect(values('probe_success')).toEqual({ 'CN-GD telecom': 1, 'CN-XJ unicom': 0 });
    expect(values('probe_duration_seconds')['CN-GD telecom']).toBe(0.1045);
    expect(values('probe_http_duration_seconds')).toEqual({
      'CN-GD telecom resolve': 0.0015,
      'CN-GD telecom connect': 0.03,
      'CN-GD telecom tls': 0.04,
      'CN-GD telecom processing': 0.031,
      'CN-GD telecom transfer': 0.002,
      'CN-XJ unicom resolve': 0.0012,
      'CN-XJ unicom connect': expect.any(Number),
      'CN-XJ unicom tls': 0.08,
    });
    expect(values('probe_dns_lookup_time_seconds')['CN-GD telecom']).toBe(0.0015);
    expect(values('probe_http_status_code')['CN-GD telecom']).toBe(200);
    expect(values('probe_ssl_earliest_cert_expiry')['CN-GD telecom']).toBe(Date.UTC(2026, 11, 30) / SECOND);
    expect(values('probe_tls_version_info')['CN-GD telecom TLS 1.3']).toBe(1);
    expect(values('roundtrip_probe_round_trips')['CN-GD telecom']).toBe(1);
    const started = Date.parse(newest.startedAt) / SECOND;
    expect(values('roundtrip_probe_started_timestamp_seconds')['CN-GD telecom']).toBe(started);
    const labels = families.map(({ samples }) => Object.fromEntries(samples[0]?.labels ?? []));
    for (const each of labels) expect(each).toMatchObject({ target: 'shop "one"\\', vantage: 'CN-GD telecom' });
    expect(labels.flatMap((each) => Object.keys(each))).not.toContain('target_id');
  });

  it('leaves out what was measured more than three periods ago, and targets that are paused', async () => {
    const old = await newTarget('old', near, far);
    await insertResults(
      [near, far].map((vantage, n) => makeResult({ targetId: old, vantage, startedAt: ago(170 + n * 20) })),
    );
    expect(valuesOf(parseMetrics(await textOf({ target: 'old' })), 'probe_success')).toEqual({ 'CN-GD telecom': 1 });
    await getPool().query('update target set enabled = false where id = $1', [old]);
    expect(valuesOf(parseMetrics(await textOf({ target: 'old' })), 'roundtrip_probe_tls_seconds')).toEqual({});
  });

  it('is narrowed by the name or id of a target and by tags, and names what it does not know', async () => {
    const other = await newTarget('other', near);
    await insertResults([makeResult({ targetId: other, vantage: near, startedAt: ago(5) })]);
    const targets = async (query: string) => {
      const { samples = [] } = parseMetrics((await ask(query)).text).find(({ name }) => name === 'probe_success') ?? {};
      return [...new Set(samples.map(({ labels }) => labels.get('target')))];
    };
    expect(await targets('?target=other')).toEqual(['other']);
    expect(await targets(`?target=${other.toUpperCase()}`)).toEqual(['other']);
    expect(await targets('?tag=none,shop')).toEqual(['shop "one"\\']);
    expect(await targets('?tag=shop&target=other')).toEqual([]);
    expect((await targets('?tag=')).length).toBeGreaterThanOrEqual(2);
    for (const [query, status, field] of [
      ['?target=nobody', 404, 'target'],
      ['?target=', 400, 'target'],
      ['?target=a&target=b', 400, 'target'],
      ['?tag=two%20words', 400, 'tag'],
      ['?province=CN-GD', 400, 'province'],
    ] as const) {
      const { status: is, problem } = await ask(query);
      expect([is, problem?.errors?.map((error) => error.field)], query).toEqual([status, [field]]);
    }
  });

  it('tells namesakes apart by their ids', async () => {
    const twin = { ...makeVantage('CN-GD', 'telecom'), name: near.name };
    await insertProber([twin]);
    const ids = [await newTarget('twins', near, twin), await newTarget('twins', near)];
    await insertResults(
      [[ids[0], near] as const, [ids[0], twin] as const, [ids[1], near] as const].map(([id = '', vantage]) =>
        makeResult({ targetId: id, vantage, startedAt: ago(5) }),
      ),
    );
    const text = await textOf({ target: 'twins' });
    expect(promlint(text)).toEqual([]);
    const pairs = parseMetrics(text)[0]?.samples.map(({ labels }) => [
      labels.get('target_id'),
      labels.get('vantage_id'),
    ]);
    expect(pairs?.toSorted()).toEqual(
      [
        [ids[0], near.id],
        [ids[0], twin.id],
        [ids[1], near.id],
      ].toSorted(),
    );
    await getPool().query('update target set deleted_at = now() where id = any($1)', [ids]);
    await getPool().query('update vantage set deleted_at = now() where id = $1', [twin.id]);
  });

  it('is for those who may read: others are told nothing', async () => {
    for (const answer of [await asker(api.server.baseUrl)('GET', '/metrics/probes'), await ask('', 'rt_none')]) {
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain('shop');
    }
  });

  it('counts what this process stores in histograms, from 0 on and each result once', async () => {
    const target = (
      await api.ask('POST', '/api/v1/targets', { body: { name: 'counted', url: 'https://shop.example.org/' } })
    ).json as Target;
    const place = { name: 'Sichuan', region: 'CN-SC', carrier: 'mobile' };
    const { token } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
    const enrolled = (await asker(api.server.baseUrl)('POST', '/api/ingest/enrol', { body: { token } }))
      .json as Required<EnrolResponse>;
    const [vantage] = enrolled.vantages as [VantageRef];
    const histograms = async () => {
      const families = parseMetrics((await ask('?target=counted')).text);
      return (name: string) => {
        const { samples = [] } = families.find((family) => family.name === `roundtrip_probe_${name}_seconds`) ?? {};
        const of = samples.filter(({ labels }) => labels.get('region') === 'CN-SC');
        return of.map(({ value }) => value);
      };
    };
    expect((await histograms())('tls')).toEqual(Array.from({ length: BUCKETS.length + 3 }, () => 0));
    const made = (tls: number, seconds: number) =>
      makeResult({ targetId: target.id, vantage, startedAt: ago(seconds), tls });
    const results = [
      ...[withPhases(made(20, 50), { firstByte: 6 }), withPhases(made(20.001, 40), { firstByte: 3_000 })],
      ...[failed(made(10, 30), 'target'), { ...made(10, 20), prober: { loopDelayMs: 9, inFlight: 1, clean: false } }],
    ];
    const send = () =>
      asker(api.server.baseUrl, enrolled.credential)('POST', '/api/ingest/results', { body: { results } });
    expect((await send()).json).toMatchObject({ accepted: 4 });
    expect((await send()).json).toMatchObject({ duplicates: 4 });
    const counted = await histograms();
    expect(BUCKETS).toHaveLength(12);
    expect(counted('tls')).toEqual([0, 0, 1, ...Array.from({ length: 10 }, () => 2), 0.040001, 2]);
    expect(counted('first_byte')).toEqual([0, ...Array.from({ length: 11 }, () => 1), 2, 3.006, 2]);
  });

  it(`counts ${MOST_COUNTED} pairs: for one more, the first begins anew`, async () => {
    const first = makeResult({ targetId: await newTarget('first', far), vantage: far, startedAt: ago(5) });
    const count = async () => valuesOf(parseMetrics(await textOf({ target: 'first' })), 'roundtrip_probe_tls_seconds');
    const inAll = 'CN-XJ unicom +Inf';
    countProbes([first]);
    for (let n = 1; n < MOST_COUNTED; n++) countProbes([{ ...first, vantage: { ...far, id: `other ${n}` } }]);
    expect((await count())[inAll]).toBe(1);
    countProbes([{ ...first, vantage: { ...far, id: 'one more' } }]);
    expect((await count())[inAll]).toBe(0);
    expect(MOST_COUNTED).toBe(20_000);
  });

  it('passes promlint', async () => {
    expect(promlint((await ask('')).text)).toEqual([]);
  });
});

describe('/metrics', () => {
  const read = async () => (await api.ask('GET', '/metrics', { key: api.keys.read })).text;

  it('passes promlint, and has all counters before their first event', async () => {
    const text = await read();
    expect(promlint(text)).toEqual([]);
    for (const line of [
      ...['accepted', 'duplicate', 'deferred', 'rejected'].map(
        (each) => `roundtrip_ingested_results_total{outcome="${each}"}`,
      ),
      ...['rate', 'new', 'database'].map((each) => `roundtrip_ingest_limited_results_total{limit="${each}"} 0`),
      ...['started', 'missed', 'rejected'].map((each) => `roundtrip_prober_runs_total{outcome="${each}"} 0`),
      ...['samples', 'late', 'recomputed_slots', 'cpu_seconds'].map((each) => `roundtrip_detection_${each}_total 0`),
      ...['pending', 'delivered', 'failed'].map((each) => `roundtrip_deliveries_last_hour{status="${each}"} 0`),
      'roundtrip_outbox_messages 0',
      'roundtrip_outbox_age_seconds 0',
    ])
      expect(text).toContain(`\n${line}`);
  });

  it('has no metric of ours that neither docs/operations.md nor docs/api.md names', async () => {
    const names = parseMetrics(await read()).flatMap(({ name }) => (name.startsWith('roundtrip_') ? [name] : []));
    const docs = ['api', 'operations'].map((page) => readFileSync(path.join(ROOT, `docs/${page}.md`), 'utf8')).join();
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !new RegExp(`\`${name}[\`{]`).test(docs))).toEqual([]);
  });

  it('tells how far rollups and messages are behind, when a vantage was heard, and when a certificate ends', async () => {
    const id = await newTarget('certified', near);
    await insertResults([makeResult({ targetId: id, vantage: near, startedAt: ago(90) })]);
    await drainRollups({ settled: true });
    await getPool().query(
      `with hook as (insert into webhook (id, name, format, secrets, language, settings, updated_at)
          values (gen_random_uuid(), 'x', 'standard', 'x', 'en', '{}', now()) returning id)
        insert into delivery (id, webhook_id, event_type, severity, payload, created_at)
        select gen_random_uuid(), id, 'webhook.test', 'info', '{}', now() - interval '100 seconds' from hook`,
    );
    await getPool().query(
      "update prober set last_seen_at = '2026-11-20T00:00:00Z' where id = (select prober_id from vantage where id = $1)",
      [near.id],
    );
    await getPool().query(
      "insert into rollup_dirty (target_id, step, bucket, ready_at) values ($1, 60, now(), now() - interval '500 seconds')",
      [id],
    );
    const families = parseMetrics(await read());
    const value = (name: string, labels: Record<string, string> = {}) =>
      families
        .find((family) => family.name === name)
        ?.samples.find((sample) => Object.entries(labels).every(([label, text]) => sample.labels.get(label) === text))
        ?.value;
    expect(value('roundtrip_outbox_messages')).toBe(1);
    expect(value('roundtrip_outbox_age_seconds')).toBeGreaterThanOrEqual(100);
    expect(value('roundtrip_deliveries_last_hour', { status: 'pending' })).toBe(1);
    expect(value('roundtrip_rollup_lag_seconds')).toBeGreaterThanOrEqual(500);
    expect(value('roundtrip_rollup_lag_seconds')).toBeLessThan(1_000);
    const place = { vantage: near.name, vantage_id: near.id, region: 'CN-GD', carrier: 'telecom' };
    expect(value('roundtrip_vantage_last_seen_timestamp_seconds', place)).toBe(Date.UTC(2026, 10, 20) / SECOND);
    const ends = value('roundtrip_target_certificate_expiry_timestamp_seconds', { target: id, name: 'certified' });
    expect(ends).toBe(Date.UTC(2026, 11, 30) / SECOND);
  });

  it('has every metric and label that the dashboards of docs/grafana ask for', async () => {
    const id = await newTarget('shown', near);
    await insertResults([makeResult({ targetId: id, vantage: near, startedAt: ago(40) })]);
    await drainRollups({ settled: true });
    await reportStatus({ position: Math.floor(ago(60) / SECOND), series: 1 }, noWork());
    const [{ proberId } = { proberId: '' }] = (
      await getPool().query('select prober_id as "proberId" from vantage where id = $1', [near.id])
    ).rows;
    const report = {
      since: new Date(ago(60)).toISOString(),
      checks: 1,
      threads: 1,
      started: 1,
      missed: 0,
      retaken: 0,
      unclean: 0,
      dropped: 0,
    };
    await storeReport({ proberId, at: new Date(), skewMs: null }, ProberReport.parse(report));
    await getPool().query(
      `insert into target_advice (target_id, at, results, codes)
        values ($1, now(), 1, '[{ "code": "hello_retry", "roundTrips": 1 }]')`,
      [id],
    );
    // The first answer of the API is counted when it is given.
    await api.ask('GET', '/api/v1/targets');
    const samples = [await read(), (await ask('?target=shown')).text].flatMap((text) =>
      parseMetrics(text).flatMap((family) => family.samples),
    );
    const exposed = Map.groupBy(samples, ({ name }) => name);
    const has = (name: string, label: string) =>
      ['job', 'instance'].includes(label) || exposed.get(name)?.some(({ labels }) => labels.has(label)) === true;
    const faults = [...readDashboards()].flatMap(([file, dashboard]) =>
      expressionsOf(dashboard).flatMap((expression) => {
        const { metrics, grouping } = namesIn(expression);
        expect(metrics, expression).not.toEqual([]);
        return [
          ...metrics.flatMap(({ name }) => (exposed.has(name) ? [] : [name])),
          ...metrics.flatMap(({ name, labels }) => labels.filter((label) => !has(name, label))),
          ...grouping.filter((label) => !metrics.some(({ name }) => has(name, label))),
        ].map((name) => `${file}: ${name} of ${expression}`);
      }),
    );
    expect(faults).toEqual([]);
  });
});

describe('promlint', () => {
  it.each([
    ['# TYPE x_bytes gauge\nx_bytes 1\n', 'LintHelp'],
    ['# HELP x_days x\n# TYPE x_days gauge\nx_days 1\n', 'LintMetricUnits'],
    ['# HELP x_milliseconds x\n# TYPE x_milliseconds gauge\nx_milliseconds 1\n', 'LintMetricUnits'],
    ['# HELP x x\n# TYPE x counter\nx 1\n', 'LintCounter'],
    ['# HELP x_total x\n# TYPE x_total gauge\nx_total 1\n', 'LintCounter'],
    ['# HELP x_sum x\n# TYPE x_sum gauge\nx_sum 1\n', 'LintHistogramSummaryReserved: suffix'],
    ['# HELP x x\n# TYPE x gauge\nx{quantile="0.5"} 1\n', 'LintHistogramSummaryReserved: quantile'],
    ['# HELP x_gauge x\n# TYPE x_gauge gauge\nx_gauge 1\n', 'LintMetricTypeInName'],
    ['# HELP x:y x\n# TYPE x:y gauge\nx:y 1\n', 'LintReservedChars'],
    ['# HELP x x\n# TYPE x gauge\nx{aB="1"} 1\n', 'LintCamelCase'],
    ['# HELP x_ms x\n# TYPE x_ms gauge\nx_ms 1\n', 'LintUnitAbbreviations'],
    ['# HELP x x\n# TYPE x gauge\nx{a="1"} 1\nx{a="1"} 2\n', 'LintDuplicateMetric'],
  ])('finds what is wrong with %j', (text, rule) => {
    expect(promlint(text).map((fault) => fault.split(': ').slice(1).join(': '))).toEqual([rule]);
  });
});

describe('with 50 targets at 93 vantages', () => {
  it(`asks two statements, and refuses more than ${MOST_PAIRS} pairs with the filters that leave fewer`, async () => {
    await getPool().query('update target set deleted_at = now()');
    await getPool().query('update vantage set deleted_at = now()');
    await getPool().query('delete from "check"');
    const vantages = mainlandVantages();
    await insertProber(vantages);
    const targets = await Promise.all(Array.from({ length: 50 }, (_, n) => insertTarget({ name: `商店 ${n}` })));
    await assignAll(vantages);
    for (const round of [150, 90, 30]) {
      const results = targets.flatMap((id) =>
        vantages.map((vantage) => makeResult({ targetId: id, vantage, startedAt: ago(round) })),
      );
      countProbes(results);
      await insertResults(results);
    }
    await getPool().query('analyze');
    await textOf({});
    const asked = vi.spyOn(getPool(), 'query');
    const began = performance.now();
    const before = process.cpuUsage();
    const text = await textOf({});
    const { user, system } = process.cpuUsage(before);
    const statements = asked.mock.calls.length;
    asked.mockRestore();
    const took = `${Math.round(performance.now() - began)} ms, ${Math.round((user + system) / 1_000)} ms of CPU`;
    console.log(
      `/metrics/probes of 50 targets at 93 vantages: ${took}, ${Math.round(text.length / 1e5) / 10} million characters`,
    );
    expect(statements).toBe(2);
    expect(parseMetrics(text).find(({ name }) => name === 'probe_success')?.samples).toHaveLength(4_650);

    const more = await Promise.all(Array.from({ length: 4 }, (_, n) => insertTarget({ name: `more ${n}` })));
    await getPool().query("update target set tags = '{few}' where id = any($1)", [more]);
    await assignAll(vantages);
    const { status, problem } = await ask('');
    expect([status, problem?.errors?.map(({ field }) => field)]).toEqual([400, ['target', 'tag']]);
    expect(problem?.detail).toContain(
      'there are 5022 pairs of a target and a vantage, and one answer has at most 5000',
    );
    for (const query of ['?tag=few', '?target=more%200']) expect((await ask(query)).status, query).toBe(200);
  }, 120_000);
});
