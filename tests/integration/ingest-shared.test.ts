import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_BATCH_BYTES } from '#contract/ingest.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { getResult } from '#server/results/results.ts';
import { withSharedParts } from '#workers/prober/share.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

let targetIds: string[];
let vantages: VantageRef[];
let prober: { id: string; vantageIds: string[] };
prepareTestDatabase();
beforeAll(async () => {
  targetIds = [await insertTarget(), await insertTarget()];
  vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'mobile')];
  prober = { id: await insertProber(vantages), vantageIds: vantages.map(({ id }) => id) };
  await assignAll();
});

let made = 0;
function make(): StorableResult {
  made += 1;
  const [targetId = '', vantage] = [targetIds[made % 2], vantages[(made >> 1) % 2]];
  if (!vantage) throw new Error('no vantage');
  return makeResult({ targetId, vantage, startedAt: Date.now() - 60_000 - made, tls: 20 + made });
}

/** A batch as a prober makes it of these results, parsed. */
async function batchOf(results: unknown[]): Promise<{ results: Record<string, unknown>[]; shared: unknown[] }> {
  const lists = await withSharedParts(results.map((result) => JSON.stringify(result)));
  return { results: JSON.parse(lists?.results ?? ''), shared: JSON.parse(lists?.shared ?? '') };
}

const withoutTls = (result: StorableResult) => ({ ...result, tls: null });
const certified = (result: StorableResult, change: object) => ({
  ...result,
  tls: result.tls && { ...result.tls, certificate: result.tls.certificate && { ...result.tls.certificate, ...change } },
});

describe('a batch whose results share parts', () => {
  it('stores each result as if it had come whole, and sends none twice', async () => {
    const results = [
      ...Array.from({ length: 20 }, make),
      withoutTls(make()),
      certified(make(), { subject: 'CN=another observer' }),
      certified(make(), { sent: null, names: Array.from({ length: 200 }, (_, n) => `host-${n}.example.org`) }),
      { ...make(), roundTrips: null },
    ];
    const batch = await batchOf(results);
    expect(await ingestBatch(prober, structuredClone(batch))).toMatchObject({ accepted: results.length, rejected: [] });
    for (const result of results) expect(await getResult(result.id)).toEqual(result);
    const whole = await ingestBatch(prober, { results: structuredClone(results) });
    expect(whole).toMatchObject({ accepted: 0, duplicates: results.length, rejected: [] });
    expect(await ingestBatch(prober, batch)).toMatchObject({ accepted: 0, duplicates: results.length, rejected: [] });
  });

  it('has a part brought into the stored form, as a whole result has it', async () => {
    const good = make();
    const odd = certified(make(), { subject: 'CN=\0odd', notBefore: '2026-10-01T02:00:00+02:00' });
    const batch = await batchOf([good, odd, { ...odd, id: make().id }]);
    expect(await ingestBatch(prober, batch)).toMatchObject({ accepted: 3, rejected: [] });
    expect((await getResult(odd.id))?.tls?.certificate).toMatchObject({
      subject: 'CN=\uFFFDodd',
      notBefore: '2026-10-01T00:00:00.000Z',
    });
  });

  it('has the results of a bad part named, with the field to blame, and no others', async () => {
    const [good, bad] = [make(), make()];
    const batch = await batchOf([certified(bad, { keyBits: -1 }), good, certified(make(), { keyBits: -1 })]);
    const { accepted, rejected } = await ingestBatch(prober, batch);
    expect(accepted).toBe(1);
    expect(rejected).toMatchObject([
      { index: 0, id: bad.id, field: 'tls.certificate.keyBits' },
      { index: 2, field: 'tls.certificate.keyBits' },
    ]);
  });

  it.each([
    ['vantage', 7],
    ['vantage', -1],
    ['vantage', 0.5],
    ['roundTrips', 1],
    ['roundTrips', 2],
  ])('refuses a result whose %s is %d, a number without such a part', async (field, number) => {
    const good = make();
    const shared = [good.vantage, 5, 'text'];
    const results = [
      { ...make(), [field]: number },
      { ...good, vantage: 0 },
    ];
    const { accepted, rejected } = await ingestBatch(prober, { results, shared });
    expect({ accepted, rejected }).toMatchObject({ accepted: 1, rejected: [{ index: 0, field }] });
  });

  it('takes a part for what its place is: one of another kind is refused', async () => {
    const [good, bad] = [make(), make()];
    const shared = [good.vantage, good.roundTrips];
    const results = [
      { ...good, vantage: 0, roundTrips: 1 },
      { ...bad, vantage: 1, roundTrips: 0 },
    ];
    const { accepted, rejected } = await ingestBatch(prober, { results, shared });
    expect({ accepted, fields: rejected.map(({ index }) => index) }).toEqual({ accepted: 1, fields: [1] });
  });

  it('takes a number for a part in no other place, and in no batch that shares nothing', async () => {
    const shared = [{ ...make().phases }];
    const batch = { results: [{ ...make(), phases: 0 }], shared };
    expect((await ingestBatch(prober, batch)).rejected).toMatchObject([{ field: 'phases' }]);
    const unshared = { results: [{ ...make(), vantage: 0 }] };
    expect((await ingestBatch(prober, unshared)).rejected).toMatchObject([{ field: 'vantage' }]);
  });

  it('is refused whole where it would be larger with its parts than a batch may be', async () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(250, 'a'));
    const large = { ...make().tls?.certificate, names };
    const count = Math.ceil(MAX_BATCH_BYTES / JSON.stringify(large).length) + 1;
    const results = Array.from({ length: count }, () => certified(make(), {})).map((result) => ({
      ...result,
      tls: { ...result.tls, certificate: 0 },
    }));
    const sent = ingestBatch(prober, { results, shared: [large] });
    await expect(sent).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('shared parts') });
    await expect(getResult(results[0]?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });
});
