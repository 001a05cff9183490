import type { PoolClient } from 'pg';
import { isCluster } from '#server/database/cluster.ts';
import { inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { noteDeleted, readRetentionDays } from '#server/database/retention.ts';
import { DAY_MS, daysIn, partitionOf, unlessBusy, WAITS_FOR_READERS_MS, WAITS_MS } from './blocks.ts';
import type { SealedRow } from './pack.ts';
import { leaveKept, lockOutReaders, lockOutWriters, setAside } from './swap-partition.ts';

// Results that are out of the ordinary are packed into blocks of their own. Once a day is past the retention of results, its
// other blocks go; these, and the failed results, which are rows, stay for the retention of their class.

/** A finding that fewer of the results around have is out of the ordinary, and so is a result with one. */
const RARE_SHARE = 1 / 20;

/** Parts neighbouring results of a target. Of fewer than 21 none is rare: there, once is one in twenty. */
export function partRare(rows: readonly SealedRow[]): { usual: SealedRow[]; rare: SealedRow[] } {
  const times = new Map<string, number>();
  const codes = rows.map(({ evidence }) => codesIn(evidence));
  for (const own of codes) for (const code of own) times.set(code, (times.get(code) ?? 0) + 1);
  const isRare = (_: SealedRow, at: number) =>
    [...(codes[at] ?? [])].some((code) => (times.get(code) ?? 0) < rows.length * RARE_SHARE);
  return { usual: rows.filter((row, at) => !isRare(row, at)), rare: rows.filter(isRare) };
}

const NONE: ReadonlySet<string> = new Set();

function codesIn(evidence: unknown): ReadonlySet<string> {
  if (typeof evidence !== 'object' || evidence === null || !('findings' in evidence)) return NONE;
  const { findings } = evidence;
  return Array.isArray(findings) ? new Set(findings.map(({ code }) => String(code))) : NONE;
}

/** `step` is called where a crash may come between (for tests). */
type Step = (name: string) => void;

/**
 * Takes out of days past the retention of results all but the odd ones, and returns these days (ms since 1970): of sealed days
 * other blocks, of days that are still rows all that succeeded, since what is odd among these was never told apart. A day at a time
 * in one transaction; one that is in use is left for the next time. One process does it at a time.
 */
export async function thinOldDays(now: number, step?: Step): Promise<number[]> {
  if (await isCluster()) return [];
  const { rawDays } = await readRetentionDays();
  const isOld = (day: number) => day + DAY_MS <= now - rawDays * DAY_MS;
  const sealed = (await daysIn('result_block')).filter(isOld);
  const rows = (await daysIn('result')).filter((day) => isOld(day) && !sealed.includes(day));
  const thinned: number[] = [];
  for (const day of sealed)
    if (await inTransaction((client) => thin(client, day, step)).catch(unlessBusy)) thinned.push(day);
  for (const day of rows)
    if (await inTransaction((client) => thinRows(client, day)).catch(unlessBusy)) thinned.push(day);
  return thinned;
}

/** Leaves the failed results of a day that was not sealed in time: a disk that is full must not wait for what takes room first. */
async function thinRows(client: PoolClient, day: number): Promise<boolean> {
  // In the order in which sealing locks.
  await lockOutWriters(client, day);
  await lock(client, 'sealing');
  if ((await daysIn('result_block', client)).includes(day)) return false; // sealed meanwhile: next time
  const { rows: found } = await client.query<{ usual: boolean }>(
    `select exists (select from ${partitionOf('result', day)} where ok) as usual`,
  );
  if (!found[0]?.usual) return false;
  await setAside(client, day);
  await lockOutReaders(client, day);
  await leaveKept(client, day);
  await noteDeleted('rawDays', day + DAY_MS, client);
  return true;
}

/** What is left is little, and is written again: the pages go with TRUNCATE, and nothing is to be vacuumed. */
async function thin(client: PoolClient, day: number, step?: Step): Promise<boolean> {
  const blocks = partitionOf('result_block', day);
  // No process packs late results meanwhile.
  await lock(client, 'sealing');
  const { rows } = await client.query<{ usual: boolean }>(
    `select exists (select from ${blocks} where not odd) as usual`,
  );
  if (!rows[0]?.usual) return false;
  await client.query(`create temporary table kept_blocks on commit drop as select * from ${blocks} where odd`);
  step?.('set aside');
  await client.query(`set local lock_timeout = ${WAITS_FOR_READERS_MS}; truncate ${blocks}`);
  step?.('truncated');
  await client.query(`set local lock_timeout = ${WAITS_MS}; insert into ${blocks} select * from kept_blocks`);
  step?.('written back');
  await noteDeleted('rawDays', day + DAY_MS, client);
  return true;
}
