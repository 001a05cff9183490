import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { ResultsQuery } from '#contract/query.ts';
import { Result, type StorableResult, type VantageRef } from '#contract/result.ts';
import { listResults } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

let targets: string[];
let vantages: VantageRef[];
let stored: StorableResult[];
const begin = WEDNESDAY;

prepareTestDatabase();
beforeAll(async () => {
  targets = [await insertTarget(), await insertTarget()];
  vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'mobile')];
  await insertProber(vantages);
  // Two targets from two vantages over three days; two results share every instant, so that ids decide their order.
  stored = Array.from({ length: 240 }, (_, n) => {
    const [targetId, vantage] = [targets[n % 2], vantages[Math.floor(n / 2) % 2]];
    if (!targetId || !vantage) throw new Error('nothing to measure');
    return makeResult({ targetId, vantage, startedAt: begin + Math.floor(n / 2) * 2_000_000 });
  });
  const failure = {
    phase: 'tls',
    reason: 'tls_alert',
    source: 'target',
    message: '=HYPERLINK("x")\nand, more',
  } as const;
  Object.assign(stored[10] ?? {}, { ok: false, failure });
  await insertResults(stored);
  // Newest first, then by id: the order of the list.
  stored.sort((a, b) => (a.startedAt === b.startedAt ? (a.id < b.id ? 1 : -1) : a.startedAt < b.startedAt ? 1 : -1));
});

const query = (fields: Record<string, string | undefined> = {}) => ResultsQuery.parse(fields);

async function allPages(fields: Record<string, string | undefined>): Promise<Result[]> {
  const results: Result[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listResults>> = await listResults(
      query(cursor ? { ...fields, cursor } : fields),
    );
    results.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor);
  return results;
}

async function exported(fields: Record<string, string>, format: 'csv' | 'ndjson'): Promise<string> {
  let text = '';
  for await (const piece of await streamResults(query(fields), format)) text += piece;
  return text;
}

describe('the list of results', () => {
  it('gives every result once, newest first, over pages of any size', async () => {
    expect((await listResults(query({ limit: '1000' }))).nextCursor).toBeNull();
    for (const limit of ['1', '7', '240']) {
      const fields = limit === '1' ? { limit, from: new Date(begin + 100 * 2_000_000).toISOString() } : { limit };
      const expected = limit === '1' ? stored.slice(0, 40) : stored;
      expect(await allPages(fields)).toEqual(expected);
    }
  });

  it('is narrowed by target, place, outcome and a half-open range', async () => {
    const from = begin + 10 * 2_000_000;
    const to = begin + 20 * 2_000_000;
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const within = stored.filter((r) => Date.parse(r.startedAt) >= from && Date.parse(r.startedAt) < to);
    expect(await allPages(range)).toEqual(within);
    const [target = ''] = targets;
    expect(await allPages({ target })).toEqual(stored.filter((r) => r.targetId === target));
    expect(await allPages({ region: 'CN-BJ,CN-SH' })).toEqual(stored.filter((r) => r.vantage.region === 'CN-BJ'));
    expect(await allPages({ carrier: 'telecom', country: 'CN' })).toEqual(
      stored.filter((r) => r.vantage.carrier === 'telecom'),
    );
    expect(await allPages({ vantage: vantages[1]?.id ?? '' })).toHaveLength(120);
    expect(await allPages({ ok: 'false' })).toEqual(stored.filter((r) => !r.ok));
    expect(await allPages({ country: 'US' })).toEqual([]);
  });

  it('is of up to 100 ids, in its own order and with the other filters, whatever is asked for beside them', async () => {
    const some = stored.filter((_, n) => n % 24 === 0);
    const ids = some.map(({ id }) => id).toReversed();
    expect(await allPages({ ids: ids.join(',') })).toEqual(some);
    expect(await allPages({ ids: ids.join(','), limit: '3' })).toEqual(some);
    // Those that are not there are left out; one twice and in capitals is one.
    expect(await allPages({ ids: [v7(), ids[0], ids[0]?.toUpperCase()].join(',') })).toEqual(some.slice(-1));
    expect(await allPages({ ids: '' })).toEqual([]);
    const all = stored.slice(0, 100);
    const asked = { ids: all.map(({ id }) => id).join(',') };
    const [target = ''] = targets;
    expect(await allPages({ ...asked, target })).toEqual(all.filter((r) => r.targetId === target));
    expect(await allPages({ ...asked, carrier: 'mobile' })).toEqual(all.filter((r) => r.vantage.carrier === 'mobile'));
    const [first, last] = [all.at(-11)?.startedAt ?? '', all[9]?.startedAt ?? ''];
    const within = all.filter((r) => r.startedAt >= first && r.startedAt < last);
    expect(within.length).toBeGreaterThan(70);
    expect(await allPages({ ...asked, from: first, to: last })).toEqual(within);
    expect(
      await allPages({
        ids: stored
          .filter((r) => !r.ok)
          .map(({ id }) => id)
          .join(','),
        ok: 'true',
      }),
    ).toEqual([]);
    const lines = (await exported(asked, 'ndjson')).trimEnd().split('\n');
    expect(lines.map((line) => Result.parse(JSON.parse(line)))).toEqual(all);
    expect((await exported(asked, 'csv')).split('\r\n')).toHaveLength(102);
  });

  it('refuses a cursor that it did not give, and an unknown target', async () => {
    for (const cursor of ['x', 'bm9uc2Vuc2U', Buffer.from('[1,"a"]').toString('base64url'), '____']) {
      await expect(listResults(query({ cursor }))).rejects.toMatchObject({ fields: [{ field: 'cursor' }] });
    }
    await expect(listResults(query({ target: v7() }))).rejects.toMatchObject({ code: 'not_found' });
    await expect(streamResults(query({ target: v7() }), 'csv')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('an export', () => {
  it('is a header and a row a result as CSV, with nothing a spreadsheet would run', async () => {
    const text = await exported({}, 'csv');
    const [header = '', first = ''] = text.split('\r\n');
    expect(text.split('\r\n')).toHaveLength(stored.length + 2);
    expect(first.replaceAll(/"[^"]*"/g, '').split(',')).toHaveLength(header.split(',').length);
    expect(first.startsWith(`${stored[0]?.id},${stored[0]?.startedAt},`)).toBe(true);
    expect(text).toContain(`,"'=HYPERLINK(""x"")\nand, more",`);
  });
});
