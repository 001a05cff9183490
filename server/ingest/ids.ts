import { isDeepStrictEqual } from 'node:util';
import type { StorableResult } from '#contract/result.ts';
import { mayBeSealed } from '#server/blocks/blocks.ts';
import { findSealed } from '#server/blocks/find.ts';
import { getPool } from '#server/database/database.ts';
import { keyOf } from '#server/results/insert.ts';
import { type Fault, ID_APART_MS } from './judge.ts';

/**
 * The results of a batch whose id another result has already, in the batch or stored, and why they are refused: an id names
 * one result, the first that came. The same result sent again is a duplicate, and no fault.
 *
 * No index spans the partitions of `result`, so what is stored is looked for on the days around the batch alone: as judge.ts
 * lets the time of an id and `startedAt` differ by half a day, two results of one id are a day apart at most. Of results of
 * today it is not asked what is sealed: yesterday at the latest.
 */
export async function reusedIds(batch: StorableResult[]): Promise<Map<StorableResult, Fault>> {
  const first = new Map<string, StorableResult>();
  const faults = new Map<StorableResult, Fault>();
  for (const result of batch) {
    const before = first.get(result.id);
    if (before === undefined) first.set(result.id, result);
    else if (!isDeepStrictEqual(before, result)) faults.set(result, faultOf(result, 'was sent before in this batch'));
  }
  const stored = await storedUnder([...first.values()]);
  for (const result of batch) {
    const keys = stored.get(result.id);
    if (keys && !keys.has(keyOf(result))) faults.set(result, faultOf(result, 'was sent before'));
  }
  return faults;
}

const faultOf = ({ id }: StorableResult, when: string): Fault => ({
  id,
  field: 'id',
  message: `${when} with another time, target or content: each result needs an id of its own`,
});

/** The keys of stored results by id; without an id that none has. */
async function storedUnder(results: StorableResult[]): Promise<Map<string, Set<string>>> {
  const keys = new Map<string, Set<string>>();
  if (results.length === 0) return keys;
  const times = results.map(({ startedAt }) => Date.parse(startedAt));
  const { rows } = await getPool().query<{ id: string; targetId: string; startedAt: Date }>(
    `select id, target_id as "targetId", started_at as "startedAt" from result
      where id = any($1::uuid[]) and started_at between $2 and $3`,
    [
      results.map(({ id }) => id),
      new Date(times.reduce((a, b) => Math.min(a, b)) - 2 * ID_APART_MS),
      new Date(times.reduce((a, b) => Math.max(a, b)) + 2 * ID_APART_MS),
    ],
  );
  const late = results.filter(({ startedAt }) => mayBeSealed(Date.parse(startedAt))).map(({ id }) => id);
  const sealed = (await findSealed(late)).map((row) => ({
    id: row.id,
    targetId: row.target_id,
    startedAt: row.started_at,
  }));
  for (const { id, targetId, startedAt } of [...rows, ...sealed]) {
    const of = keys.get(id) ?? new Set();
    keys.set(id, of.add(keyOf({ id, targetId, startedAt: startedAt.toISOString() })));
  }
  return keys;
}
