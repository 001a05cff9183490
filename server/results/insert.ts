import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import * as copyStreams from 'pg-copy-streams';
import { getPool, inTransaction } from '../database.ts';
import { ensurePartitions, forgetPartitions } from '../partitions.ts';
import { markDirty } from '../rollups/dirty.ts';
import { CopyWriter } from './copy-writer.ts';
import { RESULT_COLUMNS, writeResult } from './encode.ts';
import { evidenceJson } from './evidence.ts';
import { Lookup } from './lookup.ts';
import { repeatedOf } from './repeated.ts';
import type { StorableResult } from './storable.ts';

/** How many of a batch were new, and how many were there already (or twice in the batch). */
export type InsertCounts = { accepted: number; duplicates: number };

const COPY_RESULTS = `copy result (${RESULT_COLUMNS.join(', ')}) from stdin (format binary)`;
const COPY_EVIDENCE = 'copy result_evidence (target_id, started_at, id, evidence) from stdin (format binary)';
const MAX_ATTEMPTS = 5;

/**
 * Stores a batch in one transaction: the results that are not there yet, their evidence, and the mark that their
 * minutes are to be computed anew. Sending a batch again, at once or from two places, counts it once.
 *
 * COPY is several times faster than INSERT ... ON CONFLICT but fails on a duplicate. Duplicates are rare, so a batch is
 * first copied whole; only when that fails the keys that exist are looked up and left out.
 */
export async function insertResults(results: StorableResult[]): Promise<InsertCounts> {
  const unique = distinct(results);
  if (unique.length === 0) return { accepted: 0, duplicates: 0 };
  await ensurePartitions(startsOf(unique));
  for (let attempt = 1; ; attempt++) {
    try {
      const fresh = attempt === 1 ? unique : await withoutStored(unique);
      if (fresh.length > 0) await store(fresh);
      return { accepted: fresh.length, duplicates: results.length - fresh.length };
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(await mayPassNextTime(error, unique))) throw error;
    }
  }
}

/** Without repeats, in the order of the key: two batches that overlap then wait for each other, never in a ring. */
function distinct(results: StorableResult[]): StorableResult[] {
  const byKey = new Map<string, StorableResult>();
  for (const result of results) byKey.set(keyOf(result), result);
  const keys = [...byKey.keys()].sort();
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

function keyOf(result: StorableResult): string {
  return `${result.targetId}${result.startedAt}${result.id}`.toLowerCase();
}

function startsOf(results: StorableResult[]): number[] {
  return results.map((result) => Date.parse(result.startedAt));
}

/** True for a duplicate key, a partition gone since it was last seen, or a lost race between two transactions. */
async function mayPassNextTime(error: unknown, results: StorableResult[]): Promise<boolean> {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === '23514') {
    forgetPartitions();
    await ensurePartitions(startsOf(results));
  }
  return code === '23505' || code === '23514' || code === '40P01' || code === '40001';
}

async function store(results: StorableResult[]): Promise<void> {
  // Before the transaction: what has to be learnt takes a connection of its own.
  const { rows, evidence } = await encode(results);
  await inTransaction(async (client) => {
    await copy(client, COPY_RESULTS, rows);
    if (evidence) await copy(client, COPY_EVIDENCE, evidence);
    // Rollups are made of main handshakes: the others make nothing due.
    await markDirty(client, results.filter(isMain));
  }, 'ingest');
}

const isMain = ({ variant = 'main' }: StorableResult) => variant === 'main';

async function withoutStored(results: StorableResult[]): Promise<StorableResult[]> {
  const { rows } = await getPool().query<{ position: number }>(
    `select key.position::int from unnest($1::uuid[], $2::timestamptz[], $3::uuid[])
        with ordinality as key (target_id, started_at, id, position)
      where exists (select from result where result.target_id = key.target_id
        and result.started_at = key.started_at and result.id = key.id)`,
    [
      results.map((result) => result.targetId),
      results.map((result) => result.startedAt),
      results.map((result) => result.id),
    ],
  );
  const stored = new Set(rows.map((row) => row.position - 1));
  return results.filter((_, index) => !stored.has(index));
}

type Encoded = { rows: Buffer; evidence: Buffer | null };

async function encode(results: StorableResult[]): Promise<Encoded> {
  const lookup = new Lookup();
  const encoded = encodeWith(results, lookup);
  return (await lookup.learn()) ? encodeWith(results, lookup) : encoded;
}

function encodeWith(results: StorableResult[], lookup: Lookup): Encoded {
  const rows = new CopyWriter(results.length * 600);
  const evidence = new CopyWriter(results.length * 800);
  let withEvidence = 0;
  for (const result of results) {
    const repeated = repeatedOf(result);
    writeResult(rows, result, repeated, lookup);
    const json = evidenceJson(result, repeated, lookup);
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
