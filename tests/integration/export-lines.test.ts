import { beforeAll, describe, expect, it } from 'vitest';
import { ResultsQuery } from '#contract/query.ts';
import { Result, type StorableResult } from '#contract/result.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { resolveFilter } from '#server/results/filter.ts';
import { searchRows } from '#server/results/search.ts';
import { streamResults } from '#server/results/stream.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { plainCsvLines } from '../support/csv-reference.ts';
import { isLong } from '../support/extent.ts';
import { chance } from '../support/history.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { SLOW_MS } from '../support/stored-scene.ts';
import { makeVantage } from '../support/vantages.ts';
import { words } from '../support/words.ts';

// The lines of CSV are written straight from rows: here, that they say what the Results do, of rows and of what is sealed.

const DAY = 86_400_000;
const day = Math.floor(WEDNESDAY / DAY) * DAY;
const vantage = makeVantage('CN-GD', 'telecom');

let targetId: string;
prepareTestDatabase([vantage]);
beforeAll(async () => {
  targetId = await insertTarget();
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

  it.skipIf(ON_CLUSTER)('say the same of what is sealed', async () => {
    const before = await exported('csv');
    expect(await sealDays(day + 2 * DAY)).toBe(6);
    await compare();
    expect(await exported('csv')).toBe(before);
  });

  it('are byte by byte what whole rows give field by field, whatever results hold', async () => {
    const next = day + 5 * DAY;
    await insertResults(Array.from({ length: 400 }, (_, n) => oddResult(n, next + n * 60_000)));
    const range = { from: new Date(next).toISOString(), to: new Date(next + DAY).toISOString() };
    const filter = await resolveFilter(ResultsQuery.parse(range));
    const expected = await plainCsvLines((await searchRows(filter, null, 1_000, SLOW_MS)).rows);
    expect(expected).toHaveLength(400);
    const lines = async () => {
      let text = '';
      for await (const piece of await streamResults(ResultsQuery.parse(range), 'csv')) text += piece;
      return text.slice(text.indexOf('\r\n') + 2);
    };
    const whole = expected.map((line) => `${line}\r\n`).join('');
    expect(await lines()).toBe(whole);
    await sealDays(next + 2 * DAY);
    expect(await lines()).toBe(whole);
  });
});

it.runIf(isLong)(
  'an export of more than a million results has them all, within bounded memory',
  async () => {
    const first = day + 20 * DAY;
    const rows = 1_000_001;
    await insertResults([makeResult({ targetId, vantage, startedAt: first })]);
    const { rows: columns } = await getPool().query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute where attrelid = 'result'::regclass and attnum > 0 and not attisdropped`,
    );
    const others = columns.map(({ name }) => name).filter((name) => name !== 'id' && name !== 'started_at');
    await getPool().query(
      `insert into result (id, started_at, ${others}) select gen_random_uuid(), started_at + n * interval '50 ms', ${others}
      from result cross join generate_series(1, ${rows - 1}) as n where started_at = $1`,
      [new Date(first)],
    );
    const query = ResultsQuery.parse({ from: new Date(first).toISOString(), to: new Date(first + DAY).toISOString() });
    for (const format of ['csv', 'ndjson'] as const) {
      let lines = 0;
      let most = 0;
      // What earlier files left is no part of it.
      const before = process.memoryUsage().rss;
      for await (const piece of await streamResults(query, format)) {
        lines += String(piece).split('\n').length - 1;
        most = Math.max(most, process.memoryUsage().rss);
      }
      expect(lines).toBe(rows + (format === 'csv' ? 1 : 0));
      expect(most - before).toBeLessThan(1_400_000_000);
    }
  },
  600_000,
);

/** A result in which any number, word or part may be another one or missing, as far as its columns hold that. */
function oddResult(seed: number, startedAt: number): StorableResult {
  const random = chance(seed);
  const made = makeResult({ targetId, vantage, startedAt });
  const words = ['=1+1', 'a "b", c', '\tx', 'ok', '', 'line\nbreak', '@home', "it's", 'ü, ä'];
  const change = (value: unknown, key: string): unknown => {
    if (FIXED.has(key)) return value;
    if (Array.isArray(value)) return value;
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, change(each, inner)]));
    if (random() < 0.7) return value;
    if (typeof value === 'number')
      return Number.isInteger(value) ? Math.floor(random() * 9) : Math.floor(random() * 2_000_000) / 1_000;
    return typeof value === 'string' && WORDS.has(key) ? words[Math.floor(random() * words.length)] : value;
  };
  const changed = change(made, '') as StorableResult;
  if (random() < 0.2) changed.tls = null;
  if (random() < 0.2) changed.http = null;
  if (random() < 0.2) changed.roundTrips = null;
  if (changed.tls && random() < 0.2) changed.tls.certificate = null;
  if (random() < 0.3) {
    const message = words[Math.floor(random() * words.length)] ?? '';
    changed.ok = false;
    changed.failure = { phase: 'tls', reason: 'tls_reset', source: 'target', message };
  }
  return changed;
}
const FIXED = new Set(words('id targetId vantage startedAt mainId variant wire hellos engineVersion sent'));
const WORDS = new Set(words('url peerAddress resolver cipher group alpn server subject issuer location'));
