import type { StorableResult } from '#contract/result.ts';
import { mayBeSealed } from '#server/blocks/blocks.ts';
import { findSealed } from '#server/blocks/find.ts';
import { IS_MAIN } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import type { Fault } from './judge.ts';

/** No main result began longer than this (ms) before its redirects. */
const HOUR_MS = 3_600_000;

/**
 * The redirects of a batch that are bound to no main result of the same target and vantage, neither in the batch nor
 * stored, and why: such a result could be of any URL.
 */
export async function unboundRedirects(batch: StorableResult[]): Promise<Map<StorableResult, Fault>> {
  const redirects = batch.filter(({ variant }) => variant === 'redirect');
  if (redirects.length === 0) return new Map();
  const mains = batch.filter(({ variant = 'main' }) => variant === 'main');
  const bound = new Set(mains.map((main) => placeOf(main.id, main.targetId, main.vantage.id)));
  const lost = redirects.filter((redirect) => !bound.has(mainPlaceOf(redirect)));
  const stored = await storedMains(lost);
  const faults = lost.flatMap((redirect) =>
    stored.has(mainPlaceOf(redirect)) ? [] : [[redirect, faultOf(redirect)] as const],
  );
  return new Map(faults);
}

async function storedMains(redirects: StorableResult[]): Promise<Set<string>> {
  if (redirects.length === 0) return new Set();
  const times = redirects.map(({ startedAt }) => Date.parse(startedAt));
  const { rows } = await getPool().query<{ id: string; target: string; vantage: string }>(
    `select id, target_id as target, vantage_id as vantage from result
      where id = any($1::uuid[]) and started_at between $2 and $3 and ${IS_MAIN}`,
    [
      redirects.map(({ mainId }) => mainId),
      new Date(Math.min(...times) - HOUR_MS),
      new Date(Math.max(...times) + HOUR_MS),
    ],
  );
  const late = redirects.filter(({ startedAt }) => mayBeSealed(Date.parse(startedAt) - HOUR_MS));
  const sealed = (await findSealed(late.flatMap(({ mainId }) => mainId ?? []))).flatMap((row) =>
    (row.variant ?? 0) === 0 ? { id: row.id, target: row.target_id, vantage: String(row.vantage_id) } : [],
  );
  return new Set([...rows, ...sealed].map(({ id, target, vantage }) => placeOf(id, target, vantage)));
}

/** Its main result may wait for another try itself, also in a spool of a day: so may the redirect. */
const faultOf = ({ id }: StorableResult): Fault => ({
  id,
  field: 'mainId',
  message: 'is no main result of this target at this vantage',
  retry: true,
});

const mainPlaceOf = ({ mainId, targetId, vantage }: StorableResult) => placeOf(mainId ?? '', targetId, vantage.id);
const placeOf = (id: string, target: string, vantage: string) => `${id}${target}${vantage}`.toLowerCase();
