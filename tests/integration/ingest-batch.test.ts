import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { getResult } from '#server/results/results.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

let targetId: string;
let vantage: VantageRef;
let prober: { id: string; vantageIds: string[] };
prepareTestDatabase();
beforeAll(async () => {
  targetId = await insertTarget();
  vantage = makeVantage('CN-GD', 'telecom');
  prober = { id: await insertProber([vantage]), vantageIds: [vantage.id] };
  await assignAll();
});

const make = (ago = 60_000) => makeResult({ targetId, vantage, startedAt: Date.now() - ago });
const DAY = 86_400_000;

describe('a batch', () => {
  it('keeps the good results and names each bad one with the field to blame', async () => {
    const good = make();
    const deleted = await insertTarget();
    await getPool().query('update target set deleted_at = now() where id = $1', [deleted]);
    const bad: [unknown, string | null][] = [
      [{ ...make(), phases: { ...good.phases, tls: -1 } }, 'phases.tls'],
      ['nonsense', null],
      [{ ...make(), targetId: v7() }, 'targetId'],
      [{ ...make(), targetId: deleted }, 'targetId'],
      [{ ...make(), targetId: null }, 'targetId'],
      [{ ...make(), vantage: makeVantage('CN-BJ', 'mobile') }, 'vantage.id'],
      [make(31 * DAY), 'startedAt'],
      [make(-2 * 3_600_000), 'startedAt'],
      [{ ...make(), ok: false }, 'failure'],
      [{ ...make(), startedAt: '2026-02-31T00:00:00.000Z' }, 'startedAt'],
    ];
    const report = await ingestBatch(prober, { results: [...bad.map(([result]) => result), good] });
    expect(report).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(report.rejected.map(({ index, field }) => [index, field])).toEqual(
      bad.map(([, field], index) => [index, field]),
    );
    expect(await getResult(good.id)).toEqual(good);
  });

  it('tells those that may come again, at another time, from those that may not, and what time it is', async () => {
    const hour = 3_600_000;
    const results = [
      make(-2 * hour),
      make(400 * 24 * hour),
      { ...make(), url: 5 },
      { ...make(), startedAt: '2026-02-31T00:00:00.000Z' },
    ];
    const before = Date.now();
    const { rejected, serverTime } = await ingestBatch(prober, { results });
    expect(rejected.map(({ retry }) => retry)).toEqual([true, true, undefined, undefined]);
    expect(Date.parse(serverTime ?? '')).toBeGreaterThanOrEqual(before);
    expect(Date.parse(serverTime ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('takes a result written by hand: no demo flag, the vantage by its id, other forms of RFC 3339', async () => {
    const good = make(90_000);
    const { demo: _demo, ...sent } = good;
    const startedAt = good.startedAt.replace('Z', '+00:00');
    const byHand = { ...sent, startedAt, vantage: { id: good.vantage?.id } };
    expect(await ingestBatch(prober, { results: [byHand] })).toMatchObject({
      accepted: 1,
      duplicates: 0,
      rejected: [],
    });
    const stored = await getResult(good.id);
    expect(stored).toMatchObject({ demo: false, startedAt: good.startedAt, vantage: { id: good.vantage?.id } });
  });

  it('takes a result for a target made a moment ago', async () => {
    await ingestBatch(prober, { results: [make()] });
    const fresh = await insertTarget();
    await assignAll();
    const report = await ingestBatch(prober, { results: [{ ...make(), targetId: fresh }] });
    expect(report).toMatchObject({ accepted: 1, duplicates: 0, rejected: [] });
  });

  it('has NUL and halves of surrogate pairs replaced, which PostgreSQL cannot hold, wherever they stand', async () => {
    const good = make(95_000);
    const failure = { phase: 'tls', reason: 'tls_alert', source: 'target', message: 'a\0b \ud800 c' } as const;
    const { tls, http } = good;
    const certificate = { ...tls?.certificate, sha256: 'ab'.repeat(32), names: ['\0.example', 'b.example'] };
    const odd = { ...good, ok: false, failure, tls: { ...tls, certificate }, http: { ...http, location: '/\udfff' } };
    expect(await ingestBatch(prober, { results: [odd] })).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [],
      serverTime: expect.any(String),
    });
    expect(await getResult(good.id)).toMatchObject({
      failure: { message: 'a\uFFFDb \uFFFD c' },
      tls: { certificate: { names: ['\uFFFD.example', 'b.example'] } },
      http: { location: '/\uFFFD' },
    });
  });

  it('loses one result, and no other, to a value that no column holds', async () => {
    const good = make(96_000);
    const withCertificate = (field: object) => {
      const result = make(97_000);
      return { ...result, tls: { ...result.tls, certificate: { ...result.tls?.certificate, ...field } } };
    };
    const bad: [unknown, string][] = [
      [withCertificate({ notBefore: '0000-01-01T00:00:00.000Z' }), 'tls.certificate.notBefore'],
      [withCertificate({ notAfter: '+275760-09-13T00:00:00.000Z' }), 'tls.certificate.notAfter'],
      [withCertificate({ notAfter: '-000044-03-15T00:00:00.000Z' }), 'tls.certificate.notAfter'],
      [withCertificate({ notAfter: '9999-12-31T23:59:59.000-05:00' }), 'tls.certificate.notAfter'],
      [withCertificate({ keyBits: 2 ** 31 }), 'tls.certificate.keyBits'],
      [{ ...make(), http: { ...good.http, bytes: 2 ** 31 } }, 'http.bytes'],
      [{ ...make(), phases: { ...good.phases, tls: 1e39 } }, 'phases.tls'],
      [{ ...make(), engineVersion: 2 ** 15 }, 'engineVersion'],
    ];
    const report = await ingestBatch(prober, { results: [...bad.map(([result]) => result), good] });
    expect(report.rejected.map(({ field }) => field)).toEqual(bad.map(([, field]) => field));
    expect(report.accepted).toBe(1);
    expect(await getResult(good.id)).toEqual(good);
  });

  it('of any depth and any junk beside its fields harms nobody', async () => {
    const good = make(98_000);
    const deep = JSON.parse(`${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}`);
    const report = await ingestBatch(prober, { results: [{ ...good, junk: deep }, { id: deep }, deep] });
    expect(report).toMatchObject({ accepted: 1, rejected: [{ index: 1 }, { index: 2 }] });
  });

  it('is demo where its target is, whatever the sender says', async () => {
    const sent = { ...make(), demo: true };
    await ingestBatch(prober, { results: [sent] });
    expect((await getResult(sent.id)).demo).toBe(false);
    const demoTarget = await insertTarget({ demo: true });
    const report = await ingestBatch(prober, { results: [{ ...make(), targetId: demoTarget }] });
    expect(report.rejected).toMatchObject([{ field: 'vantage.id' }]);
  });

  it('is refused whole when its envelope is not in order', async () => {
    for (const [body, field] of [
      [{ results: [] }, 'results'],
      [{ results: [make()], surprise: 1 }, 'surprise'],
      [{ results: [make()], sentAt: 'yesterday' }, 'sentAt'],
      [[], ''],
    ] as const) {
      await expect(ingestBatch(prober, body)).rejects.toMatchObject({ code: 'invalid', fields: [{ field }] });
    }
  });
});
