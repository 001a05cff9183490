import type { VantageRef } from '#contract/result.ts';
import { type ProbeEnvironment, realEnvironment } from '#probe/environment.ts';
import { type Destination, type EmulatedNetworkOptions, emulatedNetwork } from './network.ts';
import { pathBetween } from './places.ts';
import { seededRandom, seedOf } from './random.ts';

/**
 * A demo's result is clean up to this delay (ms), which is what a real prober without the kernel's timestamps allows its loop: the
 * paths are emulated, and no truer than the timers of a machine that serves dashboard, database and browser as well.
 */
const CLEAN_BELOW_MS = 10;

/** Gives every vantage this thread's real clock and an emulated network of its own, the same one at every call. */
export function demoEnvironments(
  destinations: readonly Destination[],
  seed: number,
  conditions: EmulatedNetworkOptions['conditions'] = pathBetween,
) {
  const known = new Map<string, ProbeEnvironment>();
  return (vantage: Pick<VantageRef, 'region' | 'carrier'>): ProbeEnvironment => {
    const place = `${vantage.region} ${vantage.carrier}`;
    const found = known.get(place);
    if (found) return found;
    const random = seededRandom(seed ^ seedOf(place));
    const made = realEnvironment({
      cleanBelowMs: CLEAN_BELOW_MS,
      network: emulatedNetwork({ vantage, destinations, random, conditions }),
    });
    known.set(place, made);
    return made;
  };
}
