import type { VantageRef } from '#contract/result.ts';
import { type ProbeEnvironment, realEnvironment } from '#probe/environment.ts';
import { type Destination, emulatedNetwork } from './network.ts';
import { seededRandom, seedOf } from './random.ts';

/** Gives every vantage this thread's real clock and an emulated network of its own, the same one at every call. */
export function demoEnvironments(destinations: readonly Destination[], seed: number) {
  const known = new Map<string, ProbeEnvironment>();
  return (vantage: Pick<VantageRef, 'region' | 'carrier'>): ProbeEnvironment => {
    const place = `${vantage.region} ${vantage.carrier}`;
    const found = known.get(place);
    if (found) return found;
    const random = seededRandom(seed ^ seedOf(place));
    const made = realEnvironment({ network: emulatedNetwork({ vantage, destinations, random }) });
    known.set(place, made);
    return made;
  };
}
