import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResultsQuery } from '#contract/query.ts';
import { Result, type StorableResult } from '#contract/result.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { streamResults } from '#server/results/stream.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// The lines of CSV are written straight from rows: here, that they say what the Results do, of rows and of what is sealed.

const DAY = 86_400_000;
const day = Math.floor(WEDNESDAY / DAY) * DAY;
const vantage = makeVantage('CN-GD', 'telecom');

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase([vantage]);
  const targetId = await insertTarget();
  const made = Array.from({ length: 8 }, (_, n) => makeResult({ targetId, vantage, startedAt: day + n * 60_000 }));
  const [plain, failed, bare, resumed, formula, quoted, untrusted, older] = made as [
    StorableResult,
    ...StorableResult[],
  ] & { length: 8 };
  if (!failed || !bare || !resumed || !formula?.http || !quoted?.http || !untrusted?.tls?.certificate || !older)
    throw new Error('the made results have all parts');
  const failure = {
    phase: 'tls',
    reason: 'tls_reset',
    source: 'target',
    message: 'reset, "at once"\nby peer',
  } as const;
  await insertResults([
    plain,
    { ...failed, ok: false, failure },
    { ...bare, ok: false, failure: { ...failure, phase: 'tcp', message: '' }, tls: null, http: null, roundTrips: null },
    { ...resumed, variant: 'resumed', mainId: plain.id },
    { ...formula, http: { ...formula.http, server: '=1+1' } },
    { ...quoted, http: { ...quoted.http, server: 'a "b", c' } },
    { ...untrusted, tls: { ...untrusted.tls, certificate: null } },
    { ...older, engineVersion: 1, variant: undefined } as StorableResult,
  ]);
});
afterAll(() => database.drop());

async function exported(format: 'csv' | 'ndjson'): Promise<string> {
  let text = '';
  for await (const piece of await streamResults(ResultsQuery.parse({}), format)) text += piece;
  return text;
}

/** The records of a CSV text by RFC 4180. */
function recordsOf(text: string): string[][] {
  const fields = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g;
  const records: string[][] = [[]];
  for (const [, field = '', end] of text.matchAll(fields)) {
    records.at(-1)?.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end !== ',') records.push([]);
  }
  return records.slice(0, -1);
}

const at = (whole: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], whole);

function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  return typeof value === 'string' && /^[=+\-@]/.test(text) ? `'${text}` : text;
}

async function compare(): Promise<void> {
  const [head = [], ...records] = recordsOf(await exported('csv'));
  const results = (await exported('ndjson'))
    .trim()
    .split('\n')
    .map((line) => Result.parse(JSON.parse(line)));
  expect(results).toHaveLength(8);
  const expected = results.map((result) =>
    head.map((name) => asText(at({ ...result, variant: result.variant ?? 'main' }, name))),
  );
  expect(records).toEqual(expected);
  // Each column has something in some line, but for what these results have none of.
  const empty = head.filter((_, column) => records.every((record) => record[column] === ''));
  expect(empty.length).toBeLessThan(head.length / 4);
}

describe('lines of an export', () => {
  it('as CSV say what the Results do', compare);

  it('say the same of what is sealed', async () => {
    const before = await exported('csv');
    expect(await sealDays(day + 2 * DAY)).toBe(6);
    await compare();
    expect(await exported('csv')).toBe(before);
  });
});
