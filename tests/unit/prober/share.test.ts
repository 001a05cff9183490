import { describe, expect, it } from 'vitest';
import { SHARED_PLACES } from '#contract/ingest.ts';
import { withSharedParts } from '#workers/prober/share.ts';
import { joined } from '../../support/ingest-server.ts';
import { makeResult } from '../../support/results.ts';
import { makeVantage } from '../../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
const make = (n: number) =>
  makeResult({ targetId: vantage.id, vantage, startedAt: 1_763_800_000_000 + n, tls: 20 + n });

async function listsOf(lines: string[]) {
  const lists = await withSharedParts(lines);
  if (!lists) throw new Error('they share nothing');
  return { results: JSON.parse(lists.results) as unknown[], shared: JSON.parse(lists.shared) as unknown[] };
}

describe('what the results of a batch share', () => {
  it('is sent once, and makes the same results again', async () => {
    const made = Array.from({ length: 120 }, (_, n) => make(n));
    const { results, shared } = await listsOf(made.map((result) => JSON.stringify(result)));
    expect(shared).toHaveLength(SHARED_PLACES.length);
    expect(results[119]).toMatchObject({ vantage: 0, roundTrips: 1, tls: { certificate: 2, staple: 3 } });
    expect(results.map((result) => joined(result, shared))).toEqual(made);
  });

  it('leaves little more than half of a batch', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => JSON.stringify(make(n)));
    const lists = await withSharedParts(lines);
    expect((lists?.results.length ?? 0) + (lists?.shared.length ?? 0)).toBeLessThan(lines.join().length * 0.55);
  });

  it('is apart where two results differ in it, and null where it did not happen', async () => {
    const failed = { ...make(1), tls: null, roundTrips: null };
    const elsewhere = { ...make(2), vantage: makeVantage('CN-BJ', 'unicom') };
    const made = [make(0), failed, elsewhere];
    const { results, shared } = await listsOf(made.map((result) => JSON.stringify(result)));
    expect(results.map((result) => joined(result, shared))).toEqual(made);
  });

  it('leaves a line that is no JSON, or no object, as it is', async () => {
    expect(await withSharedParts(['{"id":', '5', '{"tls":7}'])).toEqual({
      results: '[{"id":,5,{"tls":7}]',
      shared: '[]',
    });
  });

  it('is not taken out where a result has a number in the place of a part: the server would take it for one', async () => {
    const odd = { ...make(1), roundTrips: 0 };
    expect(await withSharedParts([make(0), odd].map((result) => JSON.stringify(result)))).toBeNull();
  });
});
