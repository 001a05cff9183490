import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import { getPool } from '#server/database/database.ts';
import { environment } from '#server/environment/environment.ts';

const WINDOW_SECONDS = 60;

let limiter: RateLimiterPostgres | undefined;
let limiterOfHere: RateLimiterMemory | undefined;

/** Counted over all web processes. Who is over the limit is refused from memory; while PostgreSQL is away each counts for itself. */
function limiterHere(points: number): RateLimiterPostgres {
  limiter ??= new RateLimiterPostgres({
    storeClient: { query: (query: { text: string; values: unknown[] }) => getPool().query(query) },
    storeType: 'pool',
    tableName: 'request_count',
    keyPrefix: '',
    tableCreated: true,
    clearExpiredByTimeout: false, // the jobs do it
    points,
    duration: WINDOW_SECONDS,
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: new RateLimiterMemory({ points, duration: WINDOW_SECONDS }),
  });
  return limiter;
}

/** Whether one more request of this caller is let through, and what to tell it of its limit. */
export type Allowance = { allowed: boolean; headers: Record<string, string> };

/** Counts a request: whether it is let in. A caller's window begins with the first request after the one before is over. */
export async function countRequest(limitBy: string): Promise<Allowance> {
  const points = environment().ROUNDTRIP_RATE_LIMIT;
  return await consume(limiterHere(points), limitBy, points);
}

/**
 * The same by this process alone, from memory: for pages and batches of probers, which do not wait for the database to be
 * let in. With a `cost` of 0 it only looks.
 */
export async function countRequestHere(limitBy: string, cost = 1): Promise<Allowance> {
  const points = environment().ROUNDTRIP_RATE_LIMIT;
  limiterOfHere ??= new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  return await consume(limiterOfHere, limitBy, points, cost);
}

type Limiter = Pick<RateLimiterMemory, 'consume'>;

async function consume(limiter: Limiter, limitBy: string, points: number, cost = 1): Promise<Allowance> {
  let allowed = true;
  const state = await limiter.consume(limitBy, cost).catch((refusal: RateLimiterRes | Error) => {
    // Its class may be that of another bundle layer's copy of the library.
    if (refusal instanceof Error) throw refusal;
    allowed = false;
    return refusal;
  });
  const reset = String(Math.ceil(state.msBeforeNext / 1_000));
  return {
    allowed,
    headers: {
      'RateLimit-Limit': String(points),
      'RateLimit-Remaining': String(allowed ? state.remainingPoints : 0),
      'RateLimit-Reset': reset,
      ...(allowed ? {} : { 'Retry-After': reset }),
    },
  };
}

/** Deletes the counts of windows that are over. */
export async function dropOldCounts(): Promise<void> {
  await getPool().query('delete from request_count where expire < $1', [Date.now()]);
}
