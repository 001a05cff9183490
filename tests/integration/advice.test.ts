import { describe, expect, it } from 'vitest';
import { AdviceList, AdviceQuery, MAX_ADVICE_DAYS } from '#contract/advice.ts';
import { Audience } from '#contract/audience.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { queryAdvice } from '#server/advice/advice.ts';
import { sampleResults } from '#server/advice/sample.ts';
import { readSnapshots, refreshSnapshots } from '#server/advice/snapshots.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { targetMetrics } from '#server/monitoring/monitoring.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { getTarget } from '#server/targets/targets.ts';
import { changeAudience, readAudience } from '#server/vantages/audience.ts';
import { adviseResult, type Changed } from '../support/advised.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const near = makeVantage('CN-SH', 'telecom');
const far = makeVantage('CN-XJ', 'unicom');
prepareTestDatabase([near, far]);

const tls12: Changed = {
  tls: { version: 'TLSv1.2', cipher: 'ECDHE-RSA-AES128-GCM-SHA256', group: 'X25519', falseStart: true },
  roundTrips: { tls: { took: 2, expected: 2 } },
};

const instant = (ms: number) => new Date(ms).toISOString();
const RTT_MS = new Map([
  [near.id, 20],
  [far.id, 80],
]);

/** A Result every ten minutes of two hours, at both vantages. */
async function measured(changed: Changed): Promise<string> {
  const targetId = await insertTarget();
  const results = [near, far].flatMap((vantage) =>
    Array.from({ length: 12 }, (_, n) => made(targetId, vantage, WEDNESDAY + n * 10 * MINUTE, changed)),
  );
  await insertResults(results);
  await drainRollups({ settled: true });
  return targetId;
}

function made(targetId: string, vantage: VantageRef, at: number, changed: Changed): StorableResult {
  const rttMs = RTT_MS.get(vantage.id) ?? 30;
  const measured = { url: 'https://shop.example.org/', ...changed, rttMs, vantage, startedAt: instant(at) };
  return { ...adviseResult(measured), targetId, vantage };
}

const twoHours = { from: instant(WEDNESDAY), to: instant(WEDNESDAY + 120 * MINUTE) };
const ask = (targetId: string, asked: Record<string, string> = {}) =>
  queryAdvice(targetId, AdviceQuery.parse({ ...twoHours, ...asked }));

describe('snapshots of advice', () => {
  it('hold what a visit wastes and which code costs it, for lists and for Prometheus', async () => {
    const targetId = await insertTarget({ name: 'wasteful' });
    const startedAt = Date.now() - 5 * MINUTE;
    const slow: Changed = {
      tls: { helloRetry: true, group: 'secp256r1' },
      roundTrips: { tls: { took: 2, expected: 1 } },
    };
    await insertResults([near, far].flatMap((vantage) => made(targetId, vantage, startedAt, slow)));
    while ((await refreshSnapshots()) > 0);
    expect((await readSnapshots(targetId)).get(targetId)).toEqual({
      waste: {
        roundTrips: 4,
        wasted: 1,
        medianMs: 20,
        worst: { region: 'CN-XJ', ms: 80 },
        until: { firstBody: { ms: 20, ofMs: 84 }, total: { ms: 20, ofMs: 85 } },
      },
      codes: [{ code: 'hello_retry', roundTrips: 1 }],
    });
    expect(await targetMetrics()).toMatch(
      new RegExp(
        `roundtrip_waste_round_trips\\{target="${targetId}",name="wasteful",demo="false",code="hello_retry"\\} 1`,
      ),
    );
  });

  it('are not made again until they are old, and not of targets that are deleted or paused', async () => {
    const targetId = await insertTarget();
    await getPool().query('update target set enabled = false where id = $1', [targetId]);
    while ((await refreshSnapshots()) > 0);
    expect(await refreshSnapshots()).toBe(0);
    expect(await readSnapshots(targetId)).toEqual(new Map());
    await getPool().query("update target_advice set at = at - interval '1 hour'");
    expect(await refreshSnapshots()).toBeGreaterThan(0);
  });
});

describe('a dead address', () => {
  it('is told beside the waste, and left out where there is none', async () => {
    const values = { addresses: '192.0.2.1, 192.0.2.2', lostMs: 1_671 };
    const finding = { code: 'dead_address', severity: 'warning', savesRoundTrips: null, savesMs: 1_671 } as const;
    const lost = await measured({ phases: { total: 1_678 }, findings: [{ ...finding, evidence: 'none', values }] });
    const addresses = ['192.0.2.1', '192.0.2.2'];
    expect(AdviceList.parse(await ask(lost))).toMatchObject({
      waste: null,
      deadAddress: { addresses, ms: 1_671, ofMs: 1_678 },
    });
    expect(await ask(await measured({}))).not.toHaveProperty('deadAddress');
  });
});

describe('weights of regions and carriers', () => {
  it('decide what advice saves on average', async () => {
    const targetId = await measured(tls12);
    await changeAudience({ regions: { 'CN-XJ': 0 }, carriers: { telecom: 5 } });
    expect(await readAudience()).toEqual({ regions: { 'CN-XJ': 0 }, carriers: { telecom: 5 } });
    expect((await ask(targetId, { client: 'api' })).data[0]?.savesMs.total).toBe(20);
    await changeAudience({ regions: {}, carriers: {} });
    expect((await ask(targetId, { client: 'api' })).data[0]?.savesMs.total).toBe(50);
    expect(Audience.safeParse({ regions: { Guangdong: 1 } }).success).toBe(false);
    expect(Audience.safeParse({ carriers: { telecom: -1 } }).success).toBe(false);
  });
});

describe('advice of a target', () => {
  it('is what its Results show, worth the round-trip time of each vantage', async () => {
    const targetId = await measured(tls12);
    const answer = await ask(targetId, { client: 'api' });
    expect(AdviceList.parse(answer)).toEqual(answer);
    expect(answer.data.map(({ code }) => code)).toEqual(['tls12']);
    expect(answer.data[0]).toMatchObject({
      title: 'Switch on TLS 1.3',
      evidence: 'The server chose TLSv1.2 although TLS 1.3 was offered.',
      server: 'nginx',
      snippets: { nginx: 'ssl_protocols TLSv1.2 TLSv1.3;' },
      roundTrips: 1,
      savesMs: { handshake: 50, firstUsable: 50, firstBody: 50, total: 50 },
    });
    expect(answer.data[0]?.vantages.map(({ region, savesMs }) => [region, savesMs.total])).toEqual([
      ['CN-XJ', 80],
      ['CN-SH', 20],
    ]);
    expect(answer.waste).toEqual({
      roundTrips: 4,
      wasted: 1,
      medianMs: 20,
      worst: { region: 'CN-XJ', ms: 80 },
      until: { firstBody: { ms: 20, ofMs: 84 }, total: { ms: 20, ofMs: 85 } },
    });
  });

  it('is nothing for a healthy server', async () => {
    expect(await ask(await measured({}))).toEqual({
      waste: null,
      sample: { results: 24, vantages: 2, ofVantages: 2, enough: true },
      data: [],
    });
  });

  it('is of the regions that are asked about, in the language that is asked for', async () => {
    const targetId = await measured(tls12);
    const { data } = await ask(targetId, { client: 'api', region: 'CN-XJ', language: 'zh-CN' });
    expect(data[0]).toMatchObject({ title: '启用 TLS 1.3', savesMs: { total: 80 }, judged: { vantages: 1 } });
    expect((await ask(targetId, { client: 'api', carrier: 'mobile' })).data).toEqual([]);
  });

  it('says how much it is made of, and nothing from times before that is enough', async () => {
    const targetId = await insertTarget();
    const at = (vantage: VantageRef, n: number) => {
      const rttMs = RTT_MS.get(vantage.id) ?? 0;
      return made(targetId, vantage, WEDNESDAY + n * MINUTE, {
        http: { bytes: 24_000, firstBodyRecordBytes: 16_406, maxRecordBytes: 16_406, firstBodyPacketMs: rttMs },
        phases: { firstBody: 2 * rttMs },
      });
    };
    await assignAll([near, far]);
    await getPool().query('update prober set last_seen_at = now()');
    await insertResults([at(near, 0), at(near, 1)]);
    const early = await ask(targetId);
    expect(early.data.map(({ code }) => code)).not.toContain('record_over_window');
    expect(early.sample).toEqual({ results: 2, vantages: 1, ofVantages: 2, enough: false });
    await insertResults([at(far, 0)]);
    const then = await ask(targetId);
    expect(then.data[0]).toMatchObject({ code: 'record_over_window', shown: { vantages: 2, results: 3 } });
    expect(then.sample).toEqual({ results: 3, vantages: 2, ofVantages: 2, enough: true });
  });

  it('is of the URL that the target has now, not of what its former one showed', async () => {
    const targetId = await insertTarget();
    const moved: Changed = {
      ...tls12,
      url: 'https://old.example.org/',
      http: { status: 301, location: 'https://shop.example.org/', server: 'Apache/2.4.66' },
    };
    const before = [near, far].flatMap((vantage) =>
      [0, 10, 20, 30].map((minute) => made(targetId, vantage, WEDNESDAY + minute * MINUTE, moved)),
    );
    const led = before.map((main) => ({
      ...made(targetId, main.vantage, Date.parse(main.startedAt), { variant: 'redirect' }),
      mainId: main.id,
    }));
    const since = [near, far].flatMap((vantage, index) =>
      [40, 50].map((minute) => {
        const url = index === 0 ? 'https://shop.example.org/' : 'https://SHOP.example.org';
        return made(targetId, vantage, WEDNESDAY + minute * MINUTE, { url, tls: { helloRetry: true } });
      }),
    );
    await insertResults([...before, ...led, ...since]);
    await drainRollups({ settled: true });
    const answer = await ask(targetId, { client: 'api' });
    expect(answer.data.map(({ code, server }) => [code, server])).toEqual([['hello_retry', 'nginx']]);
    expect(answer.sample).toMatchObject({ results: 4, vantages: 2 });
    const range = { from: WEDNESDAY / 1_000, to: WEDNESDAY / 1_000 + 7_200 };
    const ids = (await sampleResults(await getTarget(targetId), range)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(since.map(({ id }) => id).toSorted());
  });

  it.skipIf(ON_CLUSTER)('stays the same once the day is sealed', async () => {
    const targetId = await measured(tls12);
    const before = await ask(targetId, { client: 'api' });
    await sealDays(WEDNESDAY + 3 * DAY);
    expect(await ask(targetId, { client: 'api' })).toEqual(before);
  });

  it('says which part of the question is wrong', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    await expect(ask(unknown)).rejects.toMatchObject({ code: 'not_found' });
    const from = instant(WEDNESDAY - (MAX_ADVICE_DAYS + 1) * DAY);
    await expect(ask(await insertTarget(), { from })).rejects.toMatchObject({ code: 'invalid' });
    expect(AdviceQuery.safeParse({ client: 'robot' }).error?.issues[0]?.path).toEqual(['client']);
  });

  it('is made of a few Results of each vantage, however many there are', async () => {
    const targetId = await insertTarget();
    const everyMinute = Array.from({ length: 600 }, (_, n) => made(targetId, near, WEDNESDAY + n * MINUTE, {}));
    await insertResults(everyMinute);
    const range = { from: WEDNESDAY / 1_000, to: WEDNESDAY / 1_000 + 600 * 60 };
    const sample = await sampleResults(await getTarget(targetId), range);
    const minutes = sample.map(({ startedAt }) => (Date.parse(startedAt) - WEDNESDAY) / MINUTE);
    // Twelve each before five instants of ten hours.
    expect(minutes).toEqual(
      [599, 479, 359, 239, 119].flatMap((last) => Array.from({ length: 12 }, (_, n) => last - n)),
    );
  });
});
