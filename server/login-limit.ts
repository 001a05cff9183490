import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from './errors.ts';

const WINDOW_SECONDS = 15 * 60;

// An address can be forged where no proxy sets it: the second limit bounds guesses from everywhere together.
const perAddress = new RateLimiterMemory({ keyPrefix: 'login', points: 10, duration: WINDOW_SECONDS });
const everywhere = new RateLimiterMemory({ keyPrefix: 'login-all', points: 200, duration: WINDOW_SECONDS });
const ALL = 'all';

/**
 * Counts an attempt to sign in, before the password is looked at, so that guesses made at once count too.
 * Throws `rate_limited` where too many came from this address, or from everywhere, of late.
 */
export async function countLogin(address: string): Promise<void> {
  try {
    await perAddress.consume(address);
    await everywhere.consume(ALL);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const minutes = Math.ceil(refusal.msBeforeNext / 60_000);
    throw new ServiceError('rate_limited', `Too many attempts to sign in: try again in ${minutes} min.`);
  }
}

/** Takes the attempts of an address back once it knew the password. */
export async function forgiveLogin(address: string): Promise<void> {
  await Promise.all([perAddress.delete(address), everywhere.reward(ALL)]);
}
