import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { environment } from '#server/environment/environment.ts';

const WINDOW_SECONDS = 60;

let limiter: RateLimiterMemory | undefined;

/** Whether one more request of this caller is let through, and what to tell it of its limit. */
export type Allowance = { allowed: boolean; headers: Record<string, string> };

/** Counts a request. Each web process counts for itself: behind a balancer the limit is that many times as high. */
export async function allowance(limitBy: string): Promise<Allowance> {
  const points = environment().ROUNDTRIP_RATE_LIMIT;
  limiter ??= new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  const state = await limiter.consume(limitBy).catch((refusal: unknown) => {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  });
  const reset = String(Math.ceil(state.msBeforeNext / 1_000));
  const allowed = state.consumedPoints <= points;
  return {
    allowed,
    headers: {
      'RateLimit-Limit': String(points),
      'RateLimit-Remaining': String(state.remainingPoints),
      'RateLimit-Reset': reset,
      ...(allowed ? {} : { 'Retry-After': reset }),
    },
  };
}
