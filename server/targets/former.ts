import { z } from 'zod';

/**
 * What a prober was told to measure may come in so many days after it was told otherwise: it may have been cut off, and
 * gone on, with its results on its disk.
 */
export const LATE_DAYS = 30;
/** Most changes of a target that are remembered. */
export const MAX_FORMER = 100;
const DAY_MS = 86_400_000;

type Measured = { url: string; periodSeconds: number };
const Former = z.array(z.object({ url: z.string(), periodSeconds: z.number(), until: z.iso.datetime() }));
type Former = z.infer<typeof Former>;

/** The column `former` of a target that changes now: what it was, where that is another URL or period. */
export function formerAfter(before: Measured & { former: unknown }, after: Measured): Former {
  const { url, periodSeconds } = before;
  const kept = lately(before.former);
  if (url === after.url && periodSeconds === after.periodSeconds) return kept;
  return [{ url, periodSeconds, until: new Date().toISOString() }, ...kept].slice(0, MAX_FORMER);
}

/** Every URL that a target has or lately had, and the shortest of its periods. */
export function lateMeasured({ url, periodSeconds, former }: Measured & { former: unknown }): {
  urls: string[];
  periodSeconds: number;
} {
  const all = [{ url, periodSeconds }, ...lately(former)];
  return {
    urls: [...new Set(all.map((each) => each.url))],
    periodSeconds: Math.min(...all.map((each) => each.periodSeconds)),
  };
}

function lately(former: unknown): Former {
  const since = Date.now() - LATE_DAYS * DAY_MS;
  return Former.parse(former).filter(({ until }) => Date.parse(until) >= since);
}
