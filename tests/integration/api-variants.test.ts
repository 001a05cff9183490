import { beforeAll, describe, expect, it } from 'vitest';
import type { EnrolResponse } from '#contract/ingest.ts';
import type { Problem } from '#contract/problem.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import type { Staples } from '#contract/staples.ts';
import type { Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { type Asker, asker } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';

let prober: Asker;
let proberId: string;
let vantage: VantageRef;
let target: Target;
const api = prepareApi();
beforeAll(async () => {
  target = (await api.ask('POST', '/api/v1/targets', { body: { url: 'https://shop.example.org/' } })).json as Target;
  const place = { name: 'Guangdong', region: 'CN-GD', carrier: 'telecom' };
  const { token } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
  const enrolled = (await asker(api.server.baseUrl)('POST', '/api/ingest/enrol', { body: { token } }))
    .json as Required<EnrolResponse>;
  prober = asker(api.server.baseUrl, enrolled.credential);
  proberId = enrolled.proberId;
  [vantage] = enrolled.vantages as [VantageRef];
});

const make = (ago: number): Result => makeResult({ targetId: target.id, vantage, startedAt: Date.now() - ago * 1_000 });
const send = (results: Result[]) => prober('POST', '/api/ingest/results', { body: { results } });
const stapled = (result: Result): Result => ({
  ...result,
  tls: result.tls && { ...result.tls, staple: { ...result.tls.staple, status: 'good' } },
});

describe('a run of several handshakes', () => {
  it('is handed in, listed, filtered and linked', async () => {
    const main = make(60);
    const resumed: Result = { ...make(59), variant: 'resumed', mainId: main.id };
    expect((await send([main, resumed])).json).toMatchObject({ accepted: 2 });
    const ids = async (query: string) =>
      ((await api.ask('GET', `/api/v1/results?${query}`)).json as { data: Result[] }).data.map(({ id }) => id);
    expect(await ids(`target=${target.id}`)).toEqual([resumed.id, main.id]);
    expect(await ids(`target=${target.id}&variant=main`)).toEqual([main.id]);
    expect(await ids(`mainId=${main.id}`)).toEqual([resumed.id]);
    const read = async (id: string) => (await api.ask('GET', `/api/v1/results/${id}`)).json;
    expect(await read(main.id)).toEqual({ ...main, followers: [resumed.id] });
    expect(await read(resumed.id)).toEqual(resumed);
  });

  it.each([
    ['variant=other', 'variant'],
    ['mainId=7', 'mainId'],
  ])('cannot be asked for with %s', async (query, field) => {
    const answer = await api.ask('GET', `/api/v1/results?${query}`);
    expect(answer.status).toBe(400);
    expect((answer.json as Problem).errors).toMatchObject([{ field }]);
  });
});

describe('staples', () => {
  it('are told by address', async () => {
    await send([stapled(make(200)), stapled(make(190))]);
    await drainRollups({ settled: true });
    const staples = (await api.ask('GET', `/api/v1/targets/${target.id}/staples`)).json as Staples;
    expect(staples).toMatchObject({ connections: 2, hits: 2, hitRatio: 1, notApplicable: 1 });
    expect(staples.rows).toMatchObject([{ peerAddress: '203.0.113.7', certificateKind: 'ECDSA', worstStatus: 'good' }]);
  });

  it('are of a week and of a known target', async () => {
    const path = `/api/v1/targets/${target.id}/staples`;
    const long = await api.ask('GET', `${path}?from=2026-01-01T00:00:00Z&to=2026-01-09T00:00:00Z`);
    expect(long.json).toMatchObject({ status: 400, errors: [{ field: 'from' }] });
    expect((await api.ask('GET', `${path}?form=2026-01-01T00:00:00Z`)).status).toBe(400);
    expect((await api.ask('GET', `/api/v1/targets/${vantage.id}/staples`)).status).toBe(404);
  });
});

describe('a report', () => {
  it('shows at the vantage, and in the metrics of whoever may read', async () => {
    const report = {
      since: new Date(Date.now() - 60_000).toISOString(),
      checks: 7,
      threads: 2,
      started: 50,
      missed: 4,
      retaken: 0,
      unclean: 6,
      dropped: 0,
    };
    const answer = await prober('POST', '/api/ingest/results', { body: { results: [], report } });
    expect(answer.json).toMatchObject({ accepted: 0, duplicates: 0, rejected: [] });
    const { since: _since, checks, threads, ...runs } = report;
    expect((await api.ask('GET', `/api/v1/vantages/${vantage.id}`)).json).toMatchObject({
      prober: { checks, threads, lastHour: runs, lastDay: runs },
    });
    expect((await asker(api.server.baseUrl)('GET', '/metrics')).text).not.toContain(proberId);
    const full = (await api.ask('GET', '/metrics')).text;
    expect(full).toContain('roundtrip_prober_runs_total{outcome="missed"} 4');
    expect(full).toContain(`roundtrip_prober_runs_last_hour{prober="${proberId}",outcome="unclean"} 6`);
  });
});
