import { describe, expect, it } from 'vitest';
import type { Staple } from '#contract/certificate.ts';
import type { StorableResult } from '#contract/result.ts';
import { MAX_STAPLE_DAYS } from '#contract/staples.ts';
import { queryStaples } from '#server/figures/staples.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
prepareTestDatabase([vantage]);

const MINUTE = 60_000;
const base = WEDNESDAY;

type Made = { minute?: number; address?: string; status: Staple['status']; keyType?: string };

function make(targetId: string, { minute = 0, address = '203.0.113.7', status, keyType = 'ec' }: Made): StorableResult {
  const made = makeResult({ targetId, vantage, startedAt: base + minute * MINUTE });
  const certificate = made.tls?.certificate;
  if (!made.tls || !certificate) throw new Error('a made result has a certificate');
  return {
    ...made,
    network: { ...made.network, peerAddress: address },
    tls: {
      ...made.tls,
      certificate: { ...certificate, keyType, sha256: (keyType === 'rsa' ? 'a1' : 'b2').repeat(32) },
      staple: { ...made.tls.staple, status },
    },
  };
}

async function staplesOf(targetId: string, made: StorableResult[]) {
  await insertResults(made);
  await drainRollups({ settled: true });
  return await queryStaples(targetId, { from: minute(-60), to: minute(60) });
}

const minute = (n: number) => new Date(base + n * MINUTE).toISOString();

describe('staples of a target', () => {
  it('are counted by server address and kind of certificate, the worst first', async () => {
    const targetId = await insertTarget();
    const staples = await staplesOf(targetId, [
      make(targetId, { status: 'good' }),
      make(targetId, { minute: 1, status: 'good' }),
      make(targetId, { minute: 2, status: 'missing' }),
      make(targetId, { minute: 3, status: 'stale' }),
      make(targetId, { status: 'good', keyType: 'rsa' }),
      make(targetId, { status: 'missing', address: '203.0.113.9' }),
    ]);
    expect(staples).toMatchObject({ connections: 6, hits: 3, hitRatio: 0.5, notApplicable: 0 });
    expect(staples.rows).toEqual([
      {
        peerAddress: '203.0.113.9',
        certificateKind: 'ECDSA',
        connections: 1,
        hits: 0,
        hitRatio: 0,
        firstSeenAt: minute(0),
        lastSeenAt: minute(0),
        lastHitAt: null,
        worstStatus: 'missing',
        statuses: { missing: 1 },
      },
      {
        peerAddress: '203.0.113.7',
        certificateKind: 'ECDSA',
        connections: 4,
        hits: 2,
        hitRatio: 0.5,
        firstSeenAt: minute(0),
        lastSeenAt: minute(3),
        lastHitAt: minute(1),
        worstStatus: 'stale',
        statuses: { good: 2, missing: 1, stale: 1 },
      },
      {
        peerAddress: '203.0.113.7',
        certificateKind: 'RSA',
        connections: 1,
        hits: 1,
        hitRatio: 1,
        firstSeenAt: minute(0),
        lastSeenAt: minute(0),
        lastHitAt: minute(0),
        worstStatus: 'good',
        statuses: { good: 1 },
      },
    ]);
  });

  it('are of clean main handshakes that could have stapled', async () => {
    const targetId = await insertTarget();
    const good = make(targetId, { status: 'good' });
    const staples = await staplesOf(targetId, [
      good,
      { ...make(targetId, { status: 'missing' }), variant: 'rsa', mainId: good.id },
      { ...make(targetId, { status: 'missing' }), prober: { loopDelayMs: 50, inFlight: 1, clean: false } },
      make(targetId, { status: 'not_observed' }),
      make(targetId, { status: 'not_applicable' }),
      { ...make(targetId, { status: 'missing' }), tls: null },
    ]);
    expect(staples).toMatchObject({ connections: 1, hits: 1, hitRatio: 1, notApplicable: 1 });
  });

  it('that the prober could not verify are told, and count for and against nobody', async () => {
    const targetId = await insertTarget();
    const address = '203.0.113.9';
    const staples = await staplesOf(targetId, [
      make(targetId, { status: 'missing' }),
      make(targetId, { status: 'good' }),
      make(targetId, { minute: 1, status: 'unverified' }),
      make(targetId, { status: 'unverified', address }),
    ]);
    expect(staples).toMatchObject({ connections: 2, hits: 1, hitRatio: 0.5 });
    expect(staples.rows).toMatchObject([
      { connections: 2, hits: 1, worstStatus: 'missing', statuses: { missing: 1, good: 1, unverified: 1 } },
      { peerAddress: address, connections: 0, hitRatio: null, worstStatus: 'unverified', statuses: { unverified: 1 } },
    ]);
  });

  it('are counted once when a minute is computed anew', async () => {
    const targetId = await insertTarget();
    await staplesOf(targetId, [make(targetId, { status: 'missing' })]);
    const staples = await staplesOf(targetId, [make(targetId, { status: 'good' })]);
    expect(staples.rows).toMatchObject([{ connections: 2, hits: 1 }]);
  });

  it('have no ratio where nothing was to be stapled', async () => {
    const targetId = await insertTarget();
    expect(await queryStaples(targetId, {})).toMatchObject({ connections: 0, hitRatio: null, rows: [] });
  });

  it('are not told of a target that nobody knows, which blames the id', async () => {
    await expect(queryStaples('01a1ff08-0000-7000-8000-000000000000', {})).rejects.toMatchObject({
      code: 'not_found',
      fields: [{ field: 'id', message: 'is unknown' }],
    });
  });

  it('are told for a week at the most', async () => {
    const targetId = await insertTarget();
    const range = (minutes: number) => ({ from: minute(-minutes), to: minute(0) });
    await queryStaples(targetId, range(MAX_STAPLE_DAYS * 1_440));
    await expect(queryStaples(targetId, range(MAX_STAPLE_DAYS * 1_440 + 1))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('7 days'),
    });
  });
});
