import { setTimeout as pause } from 'node:timers/promises';
import { cookieHeader, sessionCookies } from './session.ts';

/** Cells of the mainland's 31 regions and three carriers; so many of them make a coloured matrix. */
export const ENOUGH_CELLS = Math.ceil(93 * 0.9);
const GIVE_UP_MS = 30_000;
const COLOURED_CELL = /<td class="[^"]*\b(?:heat|change)-\d[^"]*" data-region="CN-[A-Z]{2}" data-carrier="(?!all")/g;

/**
 * Milliseconds until the page of a demo target comes with a coloured matrix, asked for again and again from the moment on
 * when the address was printed: what the test runner and the browser need to start is not the product's time.
 * Infinity where it does not within 30 s.
 */
export async function timeToFirstColour(url: string, password: string): Promise<number> {
  const since = performance.now();
  const headers = { cookie: cookieHeader(await sessionCookies(url, password)) };
  const { data } = (await (await fetch(`${url}/api/v1/targets`, { headers })).json()) as { data: { id: string }[] };
  while (performance.now() - since < GIVE_UP_MS) {
    const page = await (await fetch(`${url}/targets/${data[0]?.id}`, { headers })).text();
    if ([...page.matchAll(COLOURED_CELL)].length >= ENOUGH_CELLS) return performance.now() - since;
    await pause(500);
  }
  return Number.POSITIVE_INFINITY;
}
