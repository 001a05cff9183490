import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import * as copyStreams from 'pg-copy-streams';
import type { StorableResult } from '#contract/result.ts';
import { MEASURED_VARIANTS, type Variant } from '#contract/vocabulary.ts';
import { dayOf, mayBeSealed } from '#server/blocks/blocks.ts';
import { findSealed } from '#server/blocks/find.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { shareLocks } from '#server/database/lock.ts';
import { ensurePartitions, forgetPartitions } from '#server/database/partitions.ts';
import { noteLate } from '#server/detection/late-results.ts';
import { logMinutes } from '#server/rollups/rollups.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import { COLUMNS, writeResult } from './columns.ts';
import { CopyWriter } from './copy-writer.ts';
import { type Encoding, evidenceJson } from './evidence.ts';
import { type Allowance, Lookup } from './lookup.ts';

/**
 * What became of a batch: the results that are stored now for the first time, and those that are not, by `keyOf`. `retry`:
 * not now, but perhaps later.
 */
export type Stored = { fresh: StorableResult[]; refused: Map<string, Refusal> };
export type Refusal = { id: string; by: 'new' | 'database' | 'sealing'; message: string; retry: boolean };

/** What the detector has to know of a batch: see `insertBatch`. */
type Passed = number | null | 'unjudged';

const COPY_RESULTS = `copy result (${COLUMNS.map(({ column }) => column).join(', ')}) from stdin (format binary)`;
const COPY_EVIDENCE = 'copy result_evidence (target_id, started_at, id, evidence) from stdin (format binary)';
const MAX_ATTEMPTS = 5;
/** Most results that are encoded and stored at once: it bounds the memory of a batch whose texts are all new. */
const INSERTED_AT_ONCE = 1_000;
/** How often a batch that PostgreSQL refuses for its data is halved: enough to find a handful of bad ones in 5,000. */
export const MAX_HALVINGS = 64;

/**
 * Stores a batch, each result with its evidence and the mark that its minute is to be computed again in one transaction. Jobs
 * make the partitions of the days ahead; a day that has none gets it when PostgreSQL refuses a result for that.
 * Sending a batch again, at once or from two places, counts it once. Results that hold more new strings or certificates
 * than the allowance are left out. `passed`: results taken before may be behind the detector (server/vantages/delivered.ts);
 * 'unjudged' where the detector is not to look at them at all.
 *
 * What passes the contract can be stored. Should PostgreSQL refuse a batch for its data all the same, it is halved until
 * the result at fault is alone: else the same batch would come again, and fail, for ever. Throws for any other error.
 */
export async function insertBatch(
  results: StorableResult[],
  allowance: Allowance,
  passed: Passed = null,
): Promise<Stored> {
  const left = { halvings: MAX_HALVINGS, passed };
  const stored: Stored[] = [];
  const all = distinct(results);
  for (let from = 0; from < all.length; from += INSERTED_AT_ONCE)
    stored.push(await insertHalving(all.slice(from, from + INSERTED_AT_ONCE), allowance, left));
  return joined(stored);
}

const joined = (parts: Stored[]): Stored => ({
  fresh: parts.flatMap(({ fresh }) => fresh),
  refused: new Map(parts.flatMap(({ refused }) => [...refused])),
});

async function insertHalving(
  results: StorableResult[],
  allowance: Allowance,
  left: { halvings: number; passed: Passed },
): Promise<Stored> {
  try {
    return await insertNew(results, allowance, left.passed);
  } catch (error) {
    const code = codeOf(error);
    if (!DATA_ERROR.test(code)) throw error;
    const alone = results.length === 1;
    if (alone || left.halvings === 0) return refusedFor(results, code, !alone);
    left.halvings -= 1;
    const half = Math.ceil(results.length / 2);
    const first = await insertHalving(results.slice(0, half), allowance, left);
    return joined([first, await insertHalving(results.slice(half), allowance, left)]);
  }
}

/** SQLSTATE classes: data exception, integrity constraint, program limit exceeded. */
const DATA_ERROR = /^(22|23|54)/;

function refusedFor(results: StorableResult[], code: string, retry: boolean): Stored {
  const message = retry
    ? 'is in a batch that holds many results which cannot be stored: send it again'
    : `cannot be stored: the database refuses it with SQLSTATE ${code}`;
  return { fresh: [], refused: refusals(results, { by: 'database', message, retry }) };
}

const refusals = (results: StorableResult[], why: Omit<Refusal, 'id'>): Stored['refused'] =>
  new Map(results.map((result) => [keyOf(result), { id: result.id, ...why }]));

/**
 * Stores those that are not there yet, in one transaction.
 *
 * COPY is several times faster than INSERT ... ON CONFLICT but fails on a duplicate. Duplicates are rare, so a batch is
 * first copied whole; only when that fails the keys that exist are looked up and left out. What is sealed is no row that COPY
 * fails on: for days that may be, it is looked for behind COPY, in the same transaction. Before COPY, a row could be sealed in
 * between; behind it, it would have been a duplicate.
 */
async function insertNew(results: StorableResult[], allowance: Allowance, passed: Passed): Promise<Stored> {
  for (let attempt = 1; ; attempt++) {
    try {
      const missing = attempt === 1 ? results : await withoutStored(results);
      return missing.length > 0 ? await store(missing, allowance, passed) : { fresh: [], refused: new Map() };
    } catch (error) {
      if (error instanceof BeingSealedError) {
        const isOf = (result: StorableResult) => error.days.includes(dayOfResult(result));
        const others = results.filter((result) => !isOf(result));
        return joined([
          { fresh: [], refused: refusals(results.filter(isOf), BEING_SEALED) },
          await insertNew(others, allowance, passed),
        ]);
      }
      if (attempt === MAX_ATTEMPTS || !(await mayPassNextTime(error, results))) throw error;
    }
  }
}

/** Nothing is stored for a day from when it begins to be sealed until it is: some minutes where there are very many results. */
const BEING_SEALED: Omit<Refusal, 'id'> = {
  by: 'sealing',
  message: 'is of a day that is over and being packed at the moment: send it again later',
  retry: true,
};

/** Some of a batch are of days that are being sealed. */
class BeingSealedError extends Error {
  readonly days: readonly string[];

  constructor(days: readonly string[]) {
    super(`being sealed: ${days.join(', ')}`);
    this.days = days;
  }
}

const dayOfResult = ({ startedAt }: StorableResult) => String(dayOf(Date.parse(startedAt)));

const isLate = ({ startedAt }: StorableResult) => mayBeSealed(Date.parse(startedAt));

/** No day of these results is sealed until the transaction ends. Throws where one is being sealed. */
async function keepUnsealed(results: StorableResult[], client: PoolClient): Promise<void> {
  const days = new Set(results.filter(isLate).map(dayOfResult));
  if (days.size === 0) return;
  const taken = await shareLocks(client, 'sealing', [...days]);
  if (taken.length > 0) throw new BeingSealedError(taken);
}

/** Without repeats, of which the first counts, in the order of the key: two batches that overlap then wait for each other, never in a ring. */
function distinct(results: StorableResult[]): StorableResult[] {
  const byKey = new Map<string, StorableResult>();
  for (const result of results) {
    const key = keyOf(result);
    if (!byKey.has(key)) byKey.set(key, result);
  }
  const keys = [...byKey.keys()].sort();
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

/** What makes two results the same one. */
export function keyOf(result: Pick<StorableResult, 'id' | 'targetId' | 'startedAt'>): string {
  return `${result.targetId}${result.startedAt}${result.id}`.toLowerCase();
}

function startsOf(results: StorableResult[]): number[] {
  return results.map((result) => Date.parse(result.startedAt));
}

/**
 * True for a duplicate key, a partition gone since it was last seen, or a lost race between two transactions; of Citus, which
 * says XX000 of whatever a node had against a COPY, for all of these.
 */
async function mayPassNextTime(error: unknown, results: StorableResult[]): Promise<boolean> {
  const code = codeOf(error);
  if (code === '23514' || code === 'XX000') {
    forgetPartitions();
    await ensurePartitions(startsOf(results));
  }
  return ['23505', '23514', '40P01', '40001', 'XX000'].includes(code);
}

/** The SQLSTATE of an error of PostgreSQL, else ''. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

async function store(results: StorableResult[], allowance: Allowance, passed: Passed): Promise<Stored> {
  // Before the transaction: what has to be learnt takes a connection of its own.
  const { rows, evidence, fresh, refused } = await encode(results, allowance);
  if (fresh.length > 0) await write(fresh, { rows, evidence, passed });
  return { fresh, refused };
}

type Written = { rows: Buffer; evidence: Buffer | null; passed: Passed };

async function write(results: StorableResult[], { rows, evidence, passed }: Written): Promise<void> {
  await inTransaction(async (client) => {
    await keepUnsealed(results, client);
    await copy(client, COPY_RESULTS, rows);
    if ((await sealedAmong(results, client)).size > 0) throw new SealedError();
    if (evidence) await copy(client, COPY_EVIDENCE, evidence);
    // Redirects have no rollups: they make nothing due.
    await logMinutes(client, results.filter(hasStatistics));
    if (passed === 'unjudged') return;
    await noteLate(
      client,
      results.filter(({ variant = 'main' }) => variant === 'main'),
      { passed },
    );
  }, 'ingest');
}

/** Some of a batch are stored in blocks. */
class SealedError extends Error {
  readonly code = '23505'; // as PostgreSQL says it of rows
}

/** Those of these results that are in blocks, by `keyOf`. */
async function sealedAmong(
  results: StorableResult[],
  client: Pick<PoolClient, 'query'> = getPool(),
): Promise<Set<string>> {
  const sealed = await findSealed(
    results.filter(isLate).map(({ id }) => id),
    client,
  );
  return new Set(
    sealed.map((row) => keyOf({ id: row.id, targetId: row.target_id, startedAt: row.started_at.toISOString() })),
  );
}

const hasStatistics = ({ variant = 'main' }: StorableResult) =>
  (MEASURED_VARIANTS as readonly Variant[]).includes(variant);

/** Those of these results that the database does not hold. */
export async function withoutStored(results: StorableResult[]): Promise<StorableResult[]> {
  const { rows } = await getPool().query<{ position: number }>(
    `select key.position::int from unnest($1::uuid[], $2::timestamptz[], $3::uuid[])
        with ordinality as key (target_id, started_at, id, position)
      cross join lateral (select from result where target_id = key.target_id
        and started_at = key.started_at and id = key.id ${ONE_BY_ONE}) stored`,
    [
      results.map((result) => result.targetId),
      results.map((result) => result.startedAt),
      results.map((result) => result.id),
    ],
  );
  const stored = new Set(rows.map((row) => row.position - 1));
  // Rows first: one that is sealed meanwhile is met twice rather than never.
  const sealed = await sealedAmong(results);
  return results.filter((result, index) => !stored.has(index) && !sealed.has(keyOf(result)));
}

type Encoded = { rows: Buffer; evidence: Buffer | null };

async function encode(results: StorableResult[], allowance: Allowance): Promise<Encoded & Stored> {
  const lookup = new Lookup();
  const encoded = encodeWith(results, lookup);
  const excess = await lookup.learn(allowance);
  if (!excess) return { ...encoded, fresh: results, refused: new Map() };
  const fresh = results.filter((result) => !excess.has(result));
  return { ...encodeWith(fresh, lookup), fresh, refused: refusals([...excess], TOO_NEW) };
}

const TOO_NEW: Omit<Refusal, 'id'> = {
  by: 'new',
  message:
    'holds texts or a certificate that are new here, and as many new ones have come as are taken of one prober, or of all imports, in an hour: send it again later',
  retry: true,
};

function encodeWith(results: StorableResult[], lookup: Lookup): Encoded {
  const rows = new CopyWriter(results.length * 600);
  const evidence = new CopyWriter(results.length * 800);
  let withEvidence = 0;
  for (const result of results) {
    const to: Encoding = { lookup, tooLong: {} };
    lookup.begin(result);
    writeResult(rows, result, to);
    const json = evidenceJson(result, to);
    if (json === null) continue;
    withEvidence += 1;
    writeEvidence(evidence, result, json);
  }
  return { rows: rows.finish(), evidence: withEvidence > 0 ? evidence.finish() : null };
}

function writeEvidence(out: CopyWriter, result: StorableResult, json: string): void {
  out.row(4);
  out.uuid(result.targetId);
  out.time(Date.parse(result.startedAt));
  out.uuid(result.id);
  out.jsonb(json);
}

async function copy(client: PoolClient, statement: string, rows: Buffer): Promise<void> {
  const stream = client.query(copyStreams.from(statement));
  stream.end(rows);
  await finished(stream);
}
