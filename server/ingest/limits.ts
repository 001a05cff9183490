import type { StorableResult } from '#contract/result.ts';
import { MAX_REDIRECTS } from '#contract/target.ts';
import { getPool } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import type { Allowance } from '#server/results/lookup.ts';
import type { KnownTarget } from './reference-data.ts';

// What one credential may store at the most: the limits keep a prober that went wrong, or was taken over, from filling the
// database, and need not be exact. Results are counted over all web processes, in the table of request counts: each process counts in
// memory and publishes a sixth of the limit at a time, which a check that runs as it should comes to twice an hour, for all of
// its checks together every half minute; of twice as much at once, and from half of the limit on with each batch. So a window
// holds at most a third more for each further process. New strings and certificates are counted by each by itself, from 0 after a
// restart.

/** Most results of a check, as a multiple of the runs that its period makes, of each variant by itself. */
export const RATE_FACTOR = 3;
/**
 * They are counted by the time that they claim, so that a spool of a day may come in at once: over an hour of it, or over
 * ten runs where that is longer (first runs after a restart and runs taken again stand outside of the period).
 */
const WINDOW_MS = 3_600_000;
const WINDOW_RUNS = 10;
/** Windows that are remembered, about 20 MB; beyond it the oldest half is forgotten. */
export const MAX_WINDOWS = 100_000;

/** New strings and new certificates that the results of one prober may bring in an hour. */
export const NEW_STRINGS_AN_HOUR = 20_000;
export const NEW_CERTIFICATES_AN_HOUR = 2_000;
const HOUR_MS = 3_600_000;

/**
 * Results of a check and variant in one window: those stored here, those being stored, and how many there may be; how many of those
 * stored here are published to the others, and how many the others published.
 */
export type Window = {
  key: string;
  stored: number;
  pending: number;
  most: number;
  published: number;
  others: number;
  lastsMs: number;
};
const windows = new Map<string, Window>();
/** The share of a window that a process stores before it publishes, and the one from which on it publishes with each batch. */
const PUBLISH_SHARE = 1 / 6;
const CLOSE_SHARE = 1 / 2;
/** What has come to that share is published so often, ms. */
const PUBLISH_EVERY_MS = 30_000;
/** Windows with counts to publish. */
const unpublished = new Set<Window>();
let publishedAt = 0;

/** How many results a window holds, those of other processes too, as far as they have published. */
export const storedIn = ({ stored, others }: Window) => stored + others;

/** Counts a result that was stored. */
export function countStored(window: Window): void {
  window.stored += 1;
  if (window.stored - window.published >= window.most * PUBLISH_SHARE) unpublished.add(window);
}

/** Before a batch is held against its windows: asks of those that it would fill by much, or that are more than half full. */
export async function refreshCounts(batch: readonly Window[], now: number): Promise<void> {
  const coming = new Map<Window, number>();
  for (const window of batch) coming.set(window, (coming.get(window) ?? 0) + 1);
  await publish(
    [...coming].flatMap(([window, count]) => (isClose(window, count) ? window : [])),
    now,
  );
}

/** After a batch: publishes a sixth of a window now and then; twice as much, or close to the limit, at once. */
export async function publishCounts(batch: Iterable<Window>, now: number): Promise<void> {
  const close = [...new Set(batch)].filter((window) => {
    const unpublishedHere = window.stored - window.published;
    return unpublishedHere > 0 && (unpublishedHere >= 2 * PUBLISH_SHARE * window.most || isClose(window, 0));
  });
  const isTime = now - publishedAt >= PUBLISH_EVERY_MS && unpublished.size > 0;
  if (isTime) publishedAt = now;
  await publish(isTime ? [...new Set([...unpublished, ...close])] : close, now);
}

function isClose(window: Window, coming: number): boolean {
  return coming >= window.most * PUBLISH_SHARE || storedIn(window) + coming > window.most * CLOSE_SHARE;
}

/** Publishes the counts that others lack, and reads theirs: one statement. A limit that cannot be shared is this process's own. */
async function publish(some: Window[], now: number): Promise<void> {
  if (some.length === 0) return;
  const published = some.map((window) => window.stored - window.published);
  for (const window of some) {
    window.published = window.stored;
    unpublished.delete(window);
  }
  try {
    const { rows } = await getPool().query<{ key: string; points: number }>(
      `insert into request_count as c (key, points, expire)
        select key, points, expire from unnest($1::text[], $2::int[], $3::bigint[]) as stored (key, points, expire) order by key
        on conflict (key) do update set points = c.points + excluded.points, expire = excluded.expire
        returning key, points`,
      [some.map(({ key }) => `stored ${key}`), published, some.map(({ lastsMs }) => now + lastsMs)],
    );
    const points = new Map(rows.map((row) => [row.key, row.points]));
    for (const window of some)
      window.others = Math.max(window.others, (points.get(`stored ${window.key}`) ?? 0) - window.published);
  } catch (error) {
    some.forEach((window, index) => {
      window.published -= published[index] ?? 0;
      unpublished.add(window);
    });
    log.warn({ err: error }, 'how many results checks have sent could not be shared with other web processes');
  }
}

/** The window of a result. The caller that stores the result counts it there, as pending first. */
export function windowOf(result: StorableResult, target: KnownTarget): Window {
  const variant = result.variant ?? 'main';
  const periodMs = target.periodSeconds * 1_000;
  const windowMs = Math.max(WINDOW_MS, WINDOW_RUNS * periodMs);
  const number = Math.floor(Date.parse(result.startedAt) / windowMs);
  const key = `${result.targetId}${result.vantage.id}${variant}${number}`;
  const most = Math.ceil((RATE_FACTOR * windowMs) / periodMs) * (variant === 'redirect' ? MAX_REDIRECTS : 1);
  const known = windows.get(key);
  if (known) {
    known.most = Math.max(known.most, most); // the period may have been shortened meanwhile
    return known;
  }
  if (windows.size >= MAX_WINDOWS) forgetHalf();
  const window = { key, stored: 0, pending: 0, most, published: 0, others: 0, lastsMs: windowMs };
  windows.set(key, window);
  return window;
}

function forgetHalf(): void {
  let left = windows.size / 2;
  for (const key of windows.keys()) {
    if (left-- <= 0) return;
    const window = windows.get(key);
    if (window) unpublished.delete(window);
    windows.delete(key);
  }
}

let hour = 0;
const allowances = new Map<string, Allowance>();

/** What this prober may still add in this hour (of `now`, ms since 1970); the caller that adds counts it down. */
export function allowanceOf(proberId: string, now: number): Allowance {
  const current = Math.floor(now / HOUR_MS);
  if (current !== hour) allowances.clear();
  hour = current;
  const allowance = allowances.get(proberId) ?? {
    strings: NEW_STRINGS_AN_HOUR,
    certificates: NEW_CERTIFICATES_AN_HOUR,
  };
  allowances.set(proberId, allowance);
  return allowance;
}
