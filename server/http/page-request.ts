import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { isDatabaseAway, isSlowToConnect, isTooSlow, within } from '#server/database/faults.ts';
import { log } from '#server/environment/log.ts';
import { onceAProcess } from '#server/environment/once-a-process.ts';

// What a page knows of the request it is made for, and can say of its answer: Next lets no page set a status.

/** A page that waits for the database longer than this (ms, from the arrival of its request) says so instead. */
export const PAGE_PATIENCE_MS = 8_000;
/** When a reader may ask again for a page that the database kept from being made, s. */
const RETRY_AFTER_SECONDS = 5;

type PageRequest = { startedAt: number; unavailable: boolean; logged: boolean };

/** The HTTP server begins what pages end. */
const pageRequests = onceAProcess('page-request', () => new AsyncLocalStorage<PageRequest>());

/** Runs what makes a page. Where the database kept it from that, its status is 503, with a time to come back. */
export function servePage(response: ServerResponse, run: () => void): void {
  const page: PageRequest = { startedAt: performance.now(), unavailable: false, logged: false };
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    if (!page.unavailable || (status !== 200 && status !== 500)) return writeHead(status, ...rest);
    response.setHeader('retry-after', String(RETRY_AFTER_SECONDS));
    return writeHead(503, ...rest);
  };
  pageRequests().run(page, run);
}

/** `work`, or a rejection that `isTooSlow` once the page's patience, or `limitMs`, is over. The work itself goes on. */
export async function inPageTime<T>(work: Promise<T>, limitMs = PAGE_PATIENCE_MS): Promise<T> {
  const spent = performance.now() - (pageRequests().getStore()?.startedAt ?? performance.now());
  // A page that comes late still gets a moment: what it asks may be in memory.
  const leftMs = Math.max(Math.min(limitMs, PAGE_PATIENCE_MS - spent), 500);
  return await within(leftMs, work);
}

/**
 * What keeps a page, or a part of it, from being made, where that is the database: `slow` or `away`; null for every other error.
 * Logs the first such error of a request.
 */
export function databaseTrouble(error: unknown): 'slow' | 'away' | null {
  const isSlow = isTooSlow(error) || isSlowToConnect(error);
  const trouble = isSlow ? 'slow' : isDatabaseAway(error) ? 'away' : null;
  if (trouble === null) return null;
  const page = pageRequests().getStore();
  if (!page?.logged) log.warn({ err: error }, `a page could not be made whole: the database is ${trouble}`);
  if (page) page.logged = true;
  return trouble;
}

/** The page that was asked for could not be made: the answer's status becomes 503. */
export function notePageUnavailable(): void {
  const page = pageRequests().getStore();
  if (page) page.unavailable = true;
}
