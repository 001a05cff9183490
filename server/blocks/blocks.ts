import type { PoolClient } from 'pg';
import { isCluster } from '#server/database/cluster.ts';
import { getPool } from '#server/database/database.ts';

// Results of days that are over, packed. The life of a block: a result is stored as a row (server/results). When its day (UTC)
// has been over for SETTLE_MS, the jobs process seals the day (seal.ts): the successful results of each target, up to
// BLOCK_ROWS at a time in the order of time, are packed into a block (pack.ts: columns, then zstd), and the rows are dropped
// with their partition's pages. Failed results stay rows, since reasons of failures are looked for among them alone. A day
// is not written to while it is sealed: results that come are to come again (server/results/insert.ts). Those that come for a
// sealed day are rows until they are put into blocks of their own. Blocks never change; retention drops their partitions with
// those of the rows.
//
// Readers of results read both, in one of three ways: single ones by their ids (find.ts), the newest of a filter (scan.ts),
// or whatever SQL asks of a range (read.ts). A result is at any instant either a row or in a block, and moves in one
// transaction: read.ts looks at one instant; the others look at rows first, so that a result that moves meanwhile is found
// twice rather than never.

/** A day is left alone for so long after its end (ms): results may be under way, and clocks differ. */
export const SETTLE_MS = 3 * 3_600_000;
/** Most results of a block: enough to compress well, and few enough that one of them is read in a few ms. */
export const BLOCK_ROWS = 1_000;
export const DAY_MS = 86_400_000;
/** How long sealing waits for writers of a day; then it is tried again later. */
export const WAITS_MS = 3_000;
/** The same for its readers; all later readers wait meanwhile. */
export const WAITS_FOR_READERS_MS = 200;

/** The beginning of the day (UTC) of an instant, ms since 1970. */
export const dayOf = (instant: number) => Math.floor(instant / DAY_MS) * DAY_MS;

/** Whether a result of this instant (ms since 1970) may be in a block: the rest of SETTLE_MS allows for wrong clocks. */
export const mayBeSealed = (instant: number) => instant < dayOf(Date.now());

/** `name_p20261118` as the beginning of its day, ms since 1970. */
export const dayOfPartition = (name: string) =>
  Date.parse(name.slice(-8).replace(/(\d{4})(\d{2})(\d{2})/, '$1-$2-$3T00:00:00Z'));

/** The partition of a table for a day, quoted. */
export const partitionOf = (table: string, day: number) =>
  `"${table}_p${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}"`;

/** How many days are over for long enough, and not sealed; null on a cluster, where days stay rows. */
export async function unsealedDays(now: number): Promise<number | null> {
  if (await isCluster()) return null;
  const sealed = new Set(await daysIn('result_block'));
  return (await daysIn('result')).filter((day) => day + DAY_MS + SETTLE_MS <= now && !sealed.has(day)).length;
}

/** Null where somebody used a day for longer than it was waited for. */
export function unlessBusy(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === '55P03') return null;
  throw error;
}

/** The days (beginnings, ms since 1970) that `parent` has partitions of, newest first. */
export async function daysIn(
  parent: 'result' | 'result_block',
  client: Pick<PoolClient, 'query'> = getPool(),
): Promise<number[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid
      where inhparent = $1::regclass and relname ~ '_p\\d{8}$' order by relname desc`,
    [parent],
  );
  return rows.map(({ name }) => dayOfPartition(name));
}
