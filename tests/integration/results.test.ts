import { beforeAll, describe, expect, it } from 'vitest';
import type { StorableResult } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { getResult } from '#server/results/results.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// That a result comes back as it was sent: results-verbatim.test.ts.

const vantage = makeVantage('CN-GD', 'telecom');
let targetId: string;
prepareTestDatabase([vantage]);
beforeAll(async () => {
  targetId = await insertTarget();
});

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
