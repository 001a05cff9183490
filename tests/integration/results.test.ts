import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Failure, StorableResult } from '#contract/result.ts';
import { networkOf } from '#probe/result/network.ts';

import { getPool } from '#server/database/database.ts';

import { getResult } from '#server/results/results.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
let database: TestDatabase;
let targetId: string;
beforeAll(async () => {
  database = await testDatabase([vantage]);
  targetId = await insertTarget();
});
afterAll(() => database.drop());

let clock = WEDNESDAY;
function make(changes: Partial<StorableResult> = {}): StorableResult {
  clock += 1_000;
  return { ...makeResult({ targetId, vantage, startedAt: clock }), ...changes };
}

async function countOf(results: StorableResult[]): Promise<number> {
  const { rows } = await getPool().query<{ n: number }>('select count(*)::int as n from result where id = any($1)', [
    results.map((result) => result.id),
  ]);
  return rows[0]?.n ?? 0;
}

describe('a stored result', () => {
  it('comes back exactly as it was sent', async () => {
    const sent = make({
      findings: [
        { code: 'hello_retry', severity: 'warning', savesRoundTrips: 1, savesMs: 28.125, evidence: 'ß "q" 中' },
      ],
    });
    await insertResults([sent]);
    expect(await getResult(sent.id)).toEqual(sent);
  });

  it('keeps null as null where nothing happened', async () => {
    const failure: Failure = { phase: 'dns', reason: 'dns_not_found', source: 'resolver', message: 'no such name' };
    const nothing = { dns: 3.1, tcp: null, tls: null, firstByte: null, download: null, total: 3.1, firstBody: null };
    const sent = make({
      ok: false,
      failure,
      phases: nothing,
      marks: {
        namelookup: null,
        connect: null,
        appconnect: null,
        pretransfer: null,
        starttransfer: null,
        total: 3.1,
        firstBody: null,
      },
      network: networkOf({ startedAt: new Date(0), start: 0, resolver: null }),
      tls: null,
      http: null,
      prober: { loopDelayMs: 0, inFlight: 0, clean: false, lateMs: null },
    });
    await insertResults([sent]);
    // What an engine from 2 on leaves out did not happen either.
    const leftOut = {
      rttMs: null,
      synRetransmits: null,
      segmentsIn: null,
      segmentsOut: null,
      outOfOrder: null,
      mss: null,
    };
    expect(await getResult(sent.id)).toEqual({ ...sent, network: { ...leftOut, ...sent.network } });
  });

  it('keeps its own words about a certificate that another prober described otherwise', async () => {
    const first = make();
    const second = make();
    if (second.tls?.certificate) second.tls.certificate.subject = 'CN=another way to write it';
    await insertResults([first]);
    await insertResults([second]);
    expect((await getResult(first.id)).tls?.certificate).toEqual(first.tls?.certificate);
    expect((await getResult(second.id)).tls?.certificate).toEqual(second.tls?.certificate);
  });

  it('is not found under another id', async () => {
    await expect(getResult(make().id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('sending results again', () => {
  it('counts each once, also within one batch', async () => {
    const batch = [make(), make(), make()];
    expect(await insertResults([...batch, ...batch.slice(0, 1)])).toEqual({ accepted: 3, duplicates: 1 });
    expect(await insertResults(batch)).toEqual({ accepted: 0, duplicates: 3 });
    const more = make();
    expect(await insertResults([...batch, more])).toEqual({ accepted: 1, duplicates: 3 });
    expect(await countOf([...batch, more])).toBe(4);
  });

  it('counts each once when the same batch arrives from many sides at once', async () => {
    const batch = Array.from({ length: 500 }, () => make());
    const backwards = [...batch].reverse();
    const counts = await Promise.all([batch, backwards, batch, backwards, batch].map(insertResults));
    expect(counts.reduce((sum, count) => sum + count.accepted, 0)).toBe(500);
    expect(await countOf(batch)).toBe(500);
  });
});
