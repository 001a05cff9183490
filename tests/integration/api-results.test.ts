import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EnrolResponse, IngestReport } from '#contract/ingest.ts';
import type { Problem } from '#contract/problem.ts';
import { MAX_IDS, type Matrix, type Series } from '#contract/query.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { getPool } from '#server/database/database.ts';
import { beatHeart } from '#server/monitoring/health.ts';
import { isLong } from '../support/extent.ts';
import { type Answer, type Asker, asker } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { startTestServer } from '../support/server.ts';

let prober: Asker;
let vantage: VantageRef;
let target: Target;
const start = Date.now() - 10 * 60_000;

const api = prepareApi();
beforeAll(async () => {
  target = (await api.ask('POST', '/api/v1/targets', { body: { url: 'https://shop.example.org/' } })).json as Target;
  const place = { name: 'Guangdong', country: 'CN', region: 'CN-GD', carrier: 'telecom' };
  const { token } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
  const anonymous = asker(api.server.baseUrl);
  const enrolled = (await anonymous('POST', '/api/ingest/enrol', { body: { token, engineVersion: 1 } }))
    .json as Required<EnrolResponse>;
  prober = asker(api.server.baseUrl, enrolled.credential);
  [vantage] = enrolled.vantages as [VantageRef];
});

const make = (n: number): Result => makeResult({ targetId: target.id, vantage, startedAt: start + n * 1_000 });
const send = async (results: unknown[]) =>
  (await prober('POST', '/api/ingest/results', { body: { results, sentAt: new Date().toISOString() } }))
    .json as IngestReport;
const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const fieldsOf = (answer: Answer) => (answer.json as Problem).errors?.map(({ field }) => field);
const resultCount = async () => (await getPool().query('select count(*)::int as n from result')).rows[0].n;

describe('handing in results', () => {
  it('counts each once, however often it is sent, plain or gzipped', async () => {
    const results = [0, 1, 2, 3, 4].map(make);
    expect(await send(results)).toMatchObject({ accepted: 5, duplicates: 0, rejected: [] });
    const raw = gzipSync(JSON.stringify({ results }));
    const again = await prober('POST', '/api/ingest/results', { raw, headers: gzip });
    expect(again.json).toMatchObject({ accepted: 0, duplicates: 5, rejected: [] });
    expect((await api.ask('GET', `/api/v1/vantages/${vantage.id}`)).json).toMatchObject({
      lastSeenAt: expect.any(String),
    });
  });

  it('keeps the good ones of a batch and says which was bad', async () => {
    const bad = { ...make(11), phases: { ...make(11).phases, tls: -1 } };
    const report = await send([make(10), bad, 'nonsense', make(12)]);
    expect(report).toMatchObject({ accepted: 2, duplicates: 0 });
    expect(report.rejected).toMatchObject([
      { index: 1, id: bad.id, field: 'phases.tls' },
      { index: 2, id: null },
    ]);
  });

  it('refuses a batch that is none, with nothing stored', async () => {
    const before = await resultCount();
    expect(fieldsOf(await prober('POST', '/api/ingest/results', { body: { results: [] } }))).toEqual(['results']);
    expect(fieldsOf(await prober('POST', '/api/ingest/results', { body: { results: [make(20)], more: 1 } }))).toEqual([
      'more',
    ]);
    expect((await prober('POST', '/api/ingest/results', { raw: '[', headers: gzip })).status).toBe(400);
    expect((await api.ask('POST', '/api/ingest/results', { body: { results: [make(20)] } })).status).toBe(401);
    expect(await resultCount()).toBe(before);
  });

  it('refuses what unpacks to more than 32 MiB, and takes what is close below', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 0x20));
    expect((await prober('POST', '/api/ingest/results', { raw: bomb, headers: gzip })).status).toBe(413);
    const json = { 'content-type': 'application/json' };
    const large = JSON.stringify({ results: [randomBytes(15 * 1024 * 1024).toString('hex')] });
    const answer = await prober('POST', '/api/ingest/results', { raw: large, headers: json });
    expect(answer.json).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
  });
});

describe('results', () => {
  it('are listed newest first, in pages, and one by one with their evidence', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await api.ask('GET', `/api/v1/results?target=${target.id}&limit=3${cursor && `&cursor=${cursor}`}`);
      const { data, nextCursor } = page.json as { data: Result[]; nextCursor: string | null };
      seen.push(...data.map(({ startedAt }) => startedAt));
      cursor = nextCursor;
    }
    expect(seen).toHaveLength(7);
    expect(seen).toEqual(seen.toSorted().toReversed());
    const { data } = (await api.ask('GET', '/api/v1/results?limit=1')).json as { data: Result[] };
    const one = (await api.ask('GET', `/api/v1/results/${data[0]?.id}`)).json as Result;
    expect(one).toMatchObject({ id: data[0]?.id, targetId: target.id, vantage: { id: vantage.id }, ok: true });
  });

  it('are exported as CSV, as a JSON object a line and as Parquet', async () => {
    const csv = await api.ask('GET', `/api/v1/exports/results?target=${target.id}`);
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="results.csv"');
    // As it was asked for before there were exports.
    const marked = await fetch(`${api.server.baseUrl}/api/v1/results?target=${target.id}&format=csv&bom=true`, {
      headers: { authorization: `Bearer ${api.keys.read}` },
    });
    expect(Buffer.from(await marked.arrayBuffer()).toString('utf8')).toBe(`\uFEFF${csv.text}`);
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(8);
    const lines = (await api.ask('GET', '/api/v1/exports/results?carrier=telecom&ok=true&format=ndjson')).text
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).ok)).toEqual(Array(7).fill(true));
    expect((await api.ask('GET', '/api/v1/exports/results?carrier=unicom&format=ndjson')).text).toBe('');
    const parquet = await fetch(`${api.server.baseUrl}/api/v1/exports/results?target=${target.id}&format=parquet`, {
      headers: { authorization: `Bearer ${api.keys.read}` },
    });
    expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    const rows = await parquetReadObjects({ file: await parquet.arrayBuffer() });
    const { json } = await api.ask('GET', `/api/v1/results?target=${target.id}`, { key: api.keys.read });
    expect(rows).toEqual(
      (json as { data: Result[] }).data.map((result) =>
        expect.objectContaining({
          id: result.id,
          url: result.url,
          startedAt: new Date(result.startedAt),
          ok: true,
          'vantage.carrier': 'telecom',
          'failure.reason': null,
          'phases.tls': result.phases.tls,
          'tls.resumed': false,
        }),
      ),
    );
    expect(Object.keys(rows[0] ?? {}).join(',')).toBe(csv.text.split('\r\n')[0]);
  });

  it.runIf(isLong)('are exported for Excel by the link of their page', async () => {
    const open = await startTestServer({ env: { ROUNDTRIP_PUBLIC_DASHBOARD: '1' } });
    try {
      const page = await (await fetch(`${open.baseUrl}/targets/${target.id}/results`)).text();
      const [, href = ''] = /href="(\/api\/v1\/exports\/results\?[^"]*)"/.exec(page) ?? [];
      const csv = await fetch(open.baseUrl + href.replaceAll('&amp;', '&'));
      expect(Buffer.from(await csv.arrayBuffer()).toString('utf8')).toMatch(/^\uFEFF\w/);
    } finally {
      await open.stop();
    }
  });

  it.each(['csv', 'ndjson'])(
    'are exported as %s with a broken connection where the database fails midway',
    async (format) => {
      const later = Array.from({ length: 12_000 }, (_, n) =>
        makeResult({ targetId: target.id, vantage, startedAt: start - n - 1 }),
      );
      for (let first = 0; first < later.length; first += 4_000) await insertResults(later.slice(first, first + 4_000));
      const url = `${api.server.baseUrl}/api/v1/results?format=${format}&to=${new Date(start).toISOString()}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${api.keys.read}` } });
      expect(answer.status).toBe(200);
      const reader = answer.body?.getReader();
      await reader?.read();
      // What was searched for already is sent; the next search fails.
      await getPool().query('alter table result rename to result_away');
      const rest = async () => {
        for (;;) if ((await reader?.read())?.done !== false) return 'the end';
      };
      try {
        await expect(rest()).rejects.toThrow();
      } finally {
        await getPool().query('alter table result_away rename to result');
        await getPool().query('delete from result where started_at < $1', [new Date(start)]);
      }
    },
  );

  it('that are unknown are 404, and their ids must be ids', async () => {
    expect((await api.ask('GET', '/api/v1/results/01970000-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await api.ask('GET', '/api/v1/results/latest')).status).toBe(400);
  });

  it.each([
    ['from=2026-11-21T08:00:00Z&to=2026-11-20T08:00:00Z', 'from'],
    ['from=yesterday', 'from'],
    ['from=0000-01-01T00:00:00Z', 'from'],
    ['cursor=made-up', 'cursor'],
    ['target=shop', 'target'],
    ['region=Guangdong', 'region'],
    ['ok=perhaps', 'ok'],
    ['format=xml', 'format'],
    ['targets=x', 'targets'],
    ['limit=1&limit=2', 'limit'],
    ['ids=latest', 'ids'],
    [`ids=${Array(MAX_IDS + 1).fill('01970000-0000-7000-8000-000000000000')}`, 'ids'],
  ])('refuse %s and name the parameter', async (query, field) => {
    const answer = await api.ask('GET', `/api/v1/results?${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });
});

describe('statistics', () => {
  it('come as a series and as a matrix', async () => {
    const series = (await api.ask('GET', `/api/v1/series?target=${target.id}&groupBy=carrier&stat=p95`)).json as Series;
    expect(series).toMatchObject({ metric: 'tls', stat: 'p95', unit: 'ms', demo: false });
    const matrix = (await api.ask('GET', `/api/v1/matrix?target=${target.id}&metric=total`)).json as Matrix;
    expect(matrix).toMatchObject({ metric: 'total', stat: 'p50', regions: ['CN-GD'], carriers: ['telecom'] });
  });

  it.each([
    ['/api/v1/series', '', 'target'],
    ['/api/v1/series', 'stat=p42', 'stat'],
    ['/api/v1/series', 'step=61', 'step'],
    ['/api/v1/series', 'groupBy=planet', 'groupBy'],
    ['/api/v1/series', 'from=2026-11-21T08:00:00Z&to=2026-11-21T08:00:00Z', 'from'],
    ['/api/v1/matrix', 'metric=ssl', 'metric'],
    ['/api/v1/matrix', 'compareFrom=2026-11-21T08:00:00Z', 'compareTo'],
  ])('%s?%s is refused with the parameter named', async (path, query, field) => {
    const answer = await api.ask('GET', `${path}?${field === 'target' ? '' : `target=${target.id}&`}${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('of a target that is unknown are 404', async () => {
    const nobody = 'target=01970000-0000-7000-8000-000000000000';
    expect((await api.ask('GET', `/api/v1/series?${nobody}`)).status).toBe(404);
    expect((await api.ask('GET', `/api/v1/matrix?${nobody}`)).status).toBe(404);
    expect((await api.ask('GET', `/api/v1/results?${nobody}`)).status).toBe(404);
  });
});

describe('the process', () => {
  it('is healthy at once and ready once the jobs are up', async () => {
    expect((await api.ask('GET', '/api/health')).json).toMatchObject({ status: 'ok' });
    expect((await api.ask('GET', '/api/ready')).json).toMatchObject({
      status: 503,
      detail: expect.stringMatching(/jobs/),
    });
    // Pages and ingest need none.
    const degraded = [{ part: 'jobs', reason: 'the jobs process has not started yet' }];
    expect((await api.ask('GET', '/api/ready?part=web')).json).toEqual({ ready: true, reason: null, degraded });
    expect((await api.ask('GET', '/api/ready?part=jobs')).status).toBe(400);
    await beatHeart();
    expect((await api.ask('GET', '/api/ready?part=web')).json).toEqual({ ready: true, reason: null });
    expect((await api.ask('GET', '/api/ready')).json).toEqual({ ready: true, reason: null });
  });

  it('gives its own metrics and those of targets to readers alone', async () => {
    const open = await asker(api.server.baseUrl)('GET', '/metrics');
    expect(open.text).not.toMatch(/shop|process_|ingested/);
    const full = await api.ask('GET', '/metrics', { key: api.keys.read });
    expect(full.text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(full.text).toMatch(/^roundtrip_ingested_results_total\{outcome="accepted"\} 7$/m);
    expect(full.text).toContain(
      'roundtrip_http_request_duration_seconds_count{operation="ingestResults",status="200"}',
    );
    expect(full.text).toContain('roundtrip_target_availability_ratio');
  });

  it('describes itself', async () => {
    expect((await asker(api.server.baseUrl)('GET', '/api/v1/openapi.json')).json).toMatchObject({ openapi: '3.1.1' });
  });

  it('sends headers that keep browsers safe', async () => {
    const { headers } = await api.ask('GET', '/api/health');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('has an icon in the head of its pages, and where browsers look for one that is not named', async () => {
    const page = await (await fetch(`${api.server.baseUrl}/login`)).text();
    expect(page.slice(0, page.indexOf('</head>'))).toContain('<link rel="icon" href="/icon.svg"');
    const icon = await fetch(`${api.server.baseUrl}/favicon.ico`);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });
});
