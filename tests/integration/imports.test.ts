import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ImportedMeasurement, ImportReport } from '#contract/import.ts';
import type { Matrix, Series } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Vantage } from '#contract/vantage.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { countSamples } from '#server/detection/read-samples.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { computeUsual, readUsual } from '#server/figures/usual.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { findResults } from '#server/results/results.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { evaluateFastRules } from '#server/rules/evaluate.ts';
import { detectUntil, forgetDetection, insertWebhook, noise } from '../support/detecting.ts';
import { insertProber } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { roundtrip } from '../support/roundtrip.ts';
import { makeVantage } from '../support/vantages.ts';

// What another monitor measured, given to a server, is history that charts show and that nothing judges.

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** The whole minute before the test, and the beginning of what was imported: eight hours, of which the last forty minutes are a spike. */
const END = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE;
const MINUTES = 480;
const SPIKE_MINUTES = 40;
const PLACES = [
  { country: 'CN', region: 'CN-GD', carrier: 'telecom', city: '广州' },
  { country: 'CN', region: 'CN-ZJ', carrier: 'mobile', city: null },
  { country: 'CN', region: 'CN-BJ', carrier: 'unicom', asn: 4808 },
  { country: 'CN', region: 'CN-SC', carrier: 'telecom' },
];
const iso = (at: number) => new Date(at).toISOString();

let target: Target;
const own = makeVantage('CN-GD', 'telecom');

function measured(): ImportedMeasurement[] {
  const noisy = noise(54);
  return Array.from({ length: MINUTES }, (_, index) => index).flatMap((minute) =>
    PLACES.map((place, second) => ({
      at: iso(END - (MINUTES - minute) * MINUTE + second * 1_000),
      ...place,
      ok: true,
      connectMs: noisy(20),
      tlsMs: noisy(minute >= MINUTES - SPIKE_MINUTES ? 400 : 40),
      totalMs: 500,
      httpStatus: 200,
    })),
  );
}

async function send(measurements: ImportedMeasurement[], more: object = {}) {
  const body = { targetId: target.id, source: 'Boce', measurements, ...more };
  return await api.ask('POST', '/api/v1/imports', { body });
}

/** Runs `roundtrip` against the server, with this on its standard input. */
const command = (args: string[], input: string) =>
  roundtrip(args, { input, env: { ROUNDTRIP_SERVER: api.server.baseUrl, ROUNDTRIP_KEY: api.keys.write } });

const countOf = async (from: string) =>
  (await getPool().query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0]?.n;

/** The usual level of the vantage that has nine days of history, as it is computed now. */
async function usualOfImported(): Promise<number | null> {
  await getPool().query("insert into target_usual values ($1, now(), '{}', '{}') on conflict do nothing", [target.id]);
  await computeUsual(target.id, Date.now());
  const { rows } = await getPool().query<{ id: string }>("select id from vantage where region = 'CN-FJ'");
  const ids = rows.map(({ id }) => id);
  const range = { from: END / 1_000 - 3_600, to: END / 1_000 };
  return (await readUsual(target.id)).levelOf(ids, 'tls', range);
}

/** What the detector and the rules make of all that is stored by now. */
async function judged() {
  await forgetDetection();
  await drainRollups({ settled: true });
  const job = createDetectionJob();
  await detectUntil(job, Math.floor(Date.now() / 1_000));
  await job.close();
  await evaluateFastRules(new Date(), new Date(0));
  return {
    detections: await countOf('detection'),
    incidents: await countOf('incident'),
    messages: await countOf('delivery'),
  };
}

const api = prepareApi({ ROUNDTRIP_PUBLIC_DASHBOARD: '1' });
beforeAll(async () => {
  await insertProber([own]);
  const made = await api.ask('POST', '/api/v1/targets', { body: { name: 'shop', url: 'https://shop.example.org/' } });
  target = made.json as Target;
  await insertWebhook();
  const rule = {
    kind: 'threshold',
    name: 'slow',
    metric: 'tls',
    params: { stat: 'p50', above: 200, windowMinutes: 30 },
  };
  expect((await api.ask('POST', '/api/v1/alert-rules', { body: rule })).status).toBe(201);
  const noisy = noise(7);
  await insertResults(
    Array.from({ length: MINUTES }, (_, minute) =>
      makeResult({
        targetId: target.id,
        vantage: own,
        startedAt: END - (MINUTES - minute) * MINUTE + 500,
        tls: noisy(30),
      }),
    ),
  );
  await getPool().query('truncate detector_late');
});

describe('an import', () => {
  it('stores what is new, and nothing the second time', async () => {
    const first = await send(measured());
    expect([first.status, first.json]).toEqual([
      200,
      { stored: MINUTES * PLACES.length, already: 0, tooOld: 0, vantages: PLACES.length } satisfies ImportReport,
    ]);
    const again = await send(measured());
    expect(again.json).toEqual({ stored: 0, already: MINUTES * PLACES.length, tooOld: 0, vantages: PLACES.length });
    expect(await countOf('vantage where imported')).toBe(PLACES.length);
  });

  it('keeps several measurements of one place and instant apart', async () => {
    const at = iso(END - 300 * HOUR);
    const one = { at, country: 'CN', region: 'CN-GD', carrier: 'telecom', ok: true, tlsMs: 41 };
    const both = [one, { ...one, tlsMs: 43 }, one];
    expect((await send(both, { source: 'twice' })).json).toMatchObject({ stored: 2, already: 1, vantages: 1 });
    // Also once the day is sealed.
    expect(await sealDays(Date.now())).toBeGreaterThan(0);
    expect((await send(both, { source: 'twice' })).json).toMatchObject({ stored: 0, already: 3 });
    const list = await api.ask('GET', `/api/v1/results?target=${target.id}&from=${at}&to=${iso(Date.parse(at) + 1)}`);
    const [sealed] = (list.json as { data: Result[] }).data;
    expect(sealed).toMatchObject({ engineVersion: 0, vantage: { name: 'twice: CN-GD telecom' }, tls: null });
  });

  it('counts what is too old, and refuses the future and what is no measurement by index and field', async () => {
    const [one] = measured();
    if (!one) throw new Error('nothing was made');
    const old = { ...one, at: iso(END - 31 * 24 * HOUR) };
    expect((await send([old])).json).toEqual({ stored: 0, already: 0, tooOld: 1, vantages: 0 });
    const future = await send([one, { ...one, at: iso(END + HOUR) }]);
    expect([future.status, future.text]).toEqual([400, expect.stringContaining('measurements.1.at is in the future')]);
    const wrong = await send([one, { ...one, region: 'US-CA' }, { ...one, tlsMs: -1 }, { ...one, reason: 'slow' }]);
    const fields = (wrong.json as { errors: { field: string }[] }).errors.map(({ field }) => field);
    expect([wrong.status, fields]).toEqual([
      400,
      ['measurements.1.region', 'measurements.2.tlsMs', 'measurements.3.reason'],
    ]);
    expect((await send([one], { targetId: v7() })).status).toBe(404);
    expect((await api.ask('POST', '/api/v1/imports', { body: {}, key: api.keys.read })).status).toBe(403);
  });

  it('is shown by series and matrix, from minutes and from the coarser tiers', async () => {
    await drainRollups({ settled: true });
    const [from, to] = [iso(END - MINUTES * MINUTE), iso(END)];
    const until = iso(END - MINUTE + 3_000);
    const query = new URLSearchParams({ target: target.id, from, to, groupBy: 'region', stat: 'count' });
    for (const step of ['60', '3600']) {
      const { json } = await api.ask('GET', `/api/v1/series?${query}&step=${step}`);
      const { series, importedUntil } = json as Series;
      expect(importedUntil).toBe(until);
      const sums = series.map(({ labels, points }) => [labels.region, points.reduce((sum, [, , n]) => sum + n, 0)]);
      expect(Object.fromEntries(sums)).toEqual({
        'CN-GD': 2 * MINUTES,
        'CN-ZJ': MINUTES,
        'CN-BJ': MINUTES,
        'CN-SC': MINUTES,
      });
    }
    const { rows } = await getPool().query('select from rollup_hour where target_id = $1', [target.id]);
    expect(rows.length).toBeGreaterThan(0);
    const spike = new URLSearchParams({ target: target.id, from: iso(END - 30 * MINUTE), to, region: 'CN-ZJ' });
    const matrix = (await api.ask('GET', `/api/v1/matrix?${spike}`)).json as Matrix;
    expect(matrix.importedUntil).toBe(until);
    expect(matrix.cells.find(({ region }) => region === 'CN-ZJ')).toMatchObject({
      value: expect.closeTo(400, -2),
      n: 30,
    });
    const figures = (await api.ask('GET', `/api/v1/targets/summary?from=${from}&to=${to}`)).json;
    expect(figures).toMatchObject({ data: [{ id: target.id, importedUntil: until }] });
    const later = new URLSearchParams({ target: target.id, from: iso(END + MINUTE), to: iso(END + 2 * MINUTE) });
    expect((await api.ask('GET', `/api/v1/matrix?${later}`)).json).toMatchObject({ importedUntil: null });
  });

  it('is a result like others, which says no more than was said', async () => {
    const failed: ImportedMeasurement = {
      ...{ at: iso(END - 5 * HOUR + 777), country: 'CN', region: 'CN-GD', carrier: 'telecom' },
      ...{ ok: false, dnsMs: 3.5, connectMs: 21, reason: '连接超时' },
    };
    await send([failed], { source: 'one' });
    const page = await api.ask('GET', `/api/v1/results?target=${target.id}&ok=false`);
    const [result] = (page.json as { data: Result[] }).data;
    expect(result).toMatchObject({
      engineVersion: 0,
      startedAt: failed.at,
      url: 'https://shop.example.org/',
      vantage: { name: 'one: CN-GD telecom', region: 'CN-GD', carrier: 'telecom', city: null },
      failure: { phase: 'tls', reason: 'tls_error', source: 'target', message: '连接超时' },
      phases: { dns: 3.5, tcp: 21, tls: null, firstByte: null, download: null, total: null },
      tls: null,
      http: null,
      prober: { lateMs: null },
    });
    expect(result?.prober).not.toHaveProperty('stampedBy');
    expect((await api.ask('GET', `/api/v1/results/${result?.id}`)).json).toMatchObject({ id: result?.id });
  });
});

it('comes from the command line, with what cannot be read, by the name of the target', async () => {
  const at = iso(END - 200 * HOUR);
  const csv = `time,province,isp,ssl\n${at},四川省,中国电信,0.041\n${at},Sichuan,联通,0.052\nnever,四川省,电信,1\n`;
  const map = ['--map', 'at=time,region=province,carrier=isp,tlsMs=ssl:s'];
  const run = (...more: string[]) =>
    command(['import', '-', '--target', 'shop', '--format', 'csv', ...map, ...more], csv);
  const left = 'Not taken over (1):\n  line 4: at “never” is no time\n';
  const dry = await run('--dry-run');
  expect(dry).toMatchObject({ status: 0, stderr: '' });
  expect(dry.stdout).toContain('2 measurements of 2 places, 0 failed');
  expect(dry.stdout).toContain(left);
  expect((await run()).stdout).toMatch(/^2 stored, 0 stored before, 0 older than results are kept\n/);
  expect((await run()).stdout).toMatch(/^0 stored, 2 stored before,/);
  const page = await api.ask('GET', `/api/v1/results?target=${target.id}&from=${at}&to=${iso(Date.parse(at) + 1)}`);
  expect((page.json as { data: Result[] }).data.map(({ phases }) => phases.tls).toSorted()).toEqual([41, 52]);
  const unknown = await command(['import', '-', '--target', 'other', '--format', 'csv', ...map], csv);
  expect(unknown).toMatchObject({ status: 2, stderr: 'roundtrip: The server has no target “other”.\n' });
});

it('from the command line keeps what was stored before the server refused the rest, and says both', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => `${iso(END - 300 * HOUR + index)},CN-SC,telecom,41`);
  const csv = [
    'at,region,carrier,tlsMs',
    ...rows,
    `${iso(END + 90 * HOUR)},CN-SC,telecom,41`,
    'never,CN-SC,telecom,1',
    '',
  ];
  const run = await command(['import', '-', '--target', 'shop', '--format', 'csv'], csv.join('\n'));
  expect(run).toEqual({
    status: 2,
    stdout:
      '5000 stored, 0 stored before, 0 older than results are kept\nNot taken over (1):\n  line 5003: at “never” is no time\n',
    stderr: 'roundtrip: line 5002: measurements.0.at is in the future\n',
  });
});

it('from the command line is refused where Globalping measured another host', async () => {
  const json = {
    ...{ id: 'abc', type: 'http', target: 'other.example.org', createdAt: iso(END - 310 * HOUR) },
    results: [
      {
        probe: { country: 'CN', state: null, city: 'Chengdu', asn: 4134, network: 'CHINANET', tags: [] },
        result: { status: 'finished', statusCode: 200, timings: { tls: 40 } },
      },
    ],
  };
  const run = (...more: string[]) =>
    command(['import', '-', '--target', target.id, '--format', 'globalping', ...more], JSON.stringify(json));
  expect(await run()).toMatchObject({
    ...{ status: 2, stdout: '' },
    stderr: expect.stringContaining(
      `The file is of other.example.org, and the target “${target.id}” is shop.example.org.`,
    ),
  });
  expect((await run('--any-host')).stdout).toMatch(/^1 stored,/);
});

it('is marked on pages, in the language of the reader', async () => {
  const words = {
    en: [
      'Imported',
      'imported, no prober',
      'imported up to here',
      /Holds imported data until 20[\d: -]+</,
      'Probing began at',
    ],
    'zh-CN': ['导入', '导入，无探测器', '此前含导入数据', /20[\d: -]+ 之前含导入数据</, '开始探测'],
  } as const;
  for (const [language, [badge, noProber, seam, until, young]] of Object.entries(words)) {
    const headers = { 'accept-language': language };
    const page = async (url: string) => await (await fetch(`${api.server.baseUrl}${url}`, { headers })).text();
    const vantages = await page('/vantages');
    expect(vantages).toContain(`>${badge}</span>`);
    expect(vantages).toContain(noProber);
    const trend = await page(`/targets/${target.id}/trend?range=6h`);
    expect(trend).toContain(seam);
    expect(trend).toMatch(until);
    // There is more than the target is old.
    expect(trend).not.toContain(young);
    expect(await page(`/targets/${target.id}?range=6h`)).toMatch(until);
    expect(await page(`/targets/${target.id}/results?ok=false`)).toContain(`>${badge}</span>`);
  }
});

describe('an imported vantage', () => {
  it('is listed as such, and is given no check, no prober and no place in a selection', async () => {
    const { data } = (await api.ask('GET', '/api/v1/vantages')).json as { data: Vantage[] };
    const imported = data.filter((vantage) => vantage.imported);
    expect(imported.map(({ name }) => name)).toContain('Boce: 广州 telecom');
    expect(imported.every(({ proberId, lastSeenAt }) => proberId === null && lastSeenAt === null)).toBe(true);
    expect(data.filter((vantage) => !vantage.imported).map(({ id }) => id)).toEqual([own.id]);
    const [one] = imported;
    // What a target selects is worked out anew where it or a vantage changes.
    await api.ask('PATCH', `/api/v1/targets/${target.id}`, { body: { periodSeconds: 120 } });
    const renamed = await api.ask('PATCH', `/api/v1/vantages/${one?.id}`, { body: { name: 'Boce Guangzhou' } });
    expect(renamed.json).toMatchObject({ name: 'Boce Guangzhou', imported: true });
    expect(await countOf('"check" c join vantage v on v.id = c.vantage_id where v.imported')).toBe(0);
    expect(await countOf('"check"')).toBe(1);
    expect((await api.ask('POST', `/api/v1/vantages/${one?.id}/enrolments`, { body: {} })).status).toBe(409);
    const selecting = { vantages: { vantageIds: [one?.id] } };
    expect((await api.ask('PATCH', `/api/v1/targets/${target.id}`, { body: selecting })).status).toBe(400);
  });

  it('is there again when it was removed and more is imported', async () => {
    const { rows } = await getPool().query<{ id: string }>("select id from vantage where name = 'Boce Guangzhou'");
    expect((await api.ask('DELETE', `/api/v1/vantages/${rows[0]?.id}`)).status).toBe(204);
    await send(measured().slice(0, 8));
    expect((await api.ask('GET', `/api/v1/vantages/${rows[0]?.id}`)).json).toMatchObject({ name: 'Boce Guangzhou' });
  });
});

describe('what was imported', () => {
  it('is not judged: no late note, sample, detection, incident, message or advice, and no place of a count', async () => {
    expect(await countOf('detector_late')).toBe(0);
    const span = [END / 1_000 - MINUTES * 60, END / 1_000] as const;
    expect(await countSamples(...span)).toBe(MINUTES);
    expect(await judged()).toEqual({ detections: 0, incidents: 0, messages: 0 });
    const results = await findResults(target.id, { from: span[0], to: span[1] }, 5_000);
    expect(new Set(results.map(({ vantage }) => vantage?.id))).toEqual(new Set([own.id]));
    const [summary] = await listTargetSummaries();
    expect(summary).toMatchObject({ places: [{ region: 'CN-GD', carrier: 'telecom' }], p50: expect.closeTo(30, -1) });
  });

  it('makes no level usual, however long it lasted', async () => {
    // Nine days, three an hour.
    const days = Array.from({ length: 9 * 72 }, (_, index) => ({
      ...{ at: iso(END - (index + 1) * 20 * MINUTE), country: 'CN', region: 'CN-FJ', carrier: 'telecom', ok: true },
      tlsMs: 25,
    }));
    expect((await send(days, { source: 'days' })).json).toMatchObject({ stored: days.length });
    await drainRollups({ settled: true });
    expect(await usualOfImported()).toBeNull();
  });

  it('would be, had a prober of ours measured it', async () => {
    await getPool().query('update vantage set imported = false');
    const found = await judged();
    expect(found.detections).toBeGreaterThan(0);
    expect(found.incidents).toBeGreaterThan(0);
    expect(found.messages).toBeGreaterThan(0);
    expect(await usualOfImported()).toBeCloseTo(25, 0);
  });
});
