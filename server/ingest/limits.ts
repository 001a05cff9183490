import type { StorableResult } from '#contract/result.ts';
import { MAX_REDIRECTS } from '#contract/target.ts';
import type { Allowance } from '#server/results/lookup.ts';
import type { KnownTarget } from './reference-data.ts';

// What one credential may store at the most: the limits keep a prober that went wrong, or was taken over, from filling the
// database, and need not be exact. Each web process counts by itself, in memory, from 0 after a restart.

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

/** Results of a check and variant in one window: those stored, those being stored, and how many there may be. */
export type Window = { stored: number; pending: number; most: number };
const windows = new Map<string, Window>();

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
  const window = { stored: 0, pending: 0, most };
  windows.set(key, window);
  return window;
}

function forgetHalf(): void {
  let left = windows.size / 2;
  for (const key of windows.keys()) {
    if (left-- <= 0) return;
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
