import type { Effect } from './event.ts';

/** What a target's handshakes are made of. */
export type TargetModel = {
  name: string;
  /** Round trips of a full and of a resumed handshake. */
  fullTrips: number;
  resumedTrips: number;
  resumedShare: number;
  /** Cryptography and other work of a full and of a resumed handshake, ms. */
  fullWorkMs: number;
  resumedWorkMs: number;
  workSpread: number;
  /** From the request's arrival to the first byte, ms. */
  firstByteMs: number;
  firstByteSpread: number;
  periodSeconds: number;
  /** Deviation, memory and seed of how busy the machines are: the same factor on work seen from everywhere. */
  load: number;
  loadSeconds: number;
  loadSeed: number;
  /** Nothing but one round trip is known, written into all columns: archives of pings. */
  echo: boolean;
};

/** One of several paths that a load balancer sends a connection along. */
export type Path = { share: number; rttFactor: number };

/** One series: a target from a vantage. Spreads are deviations of a logarithm, times are seconds. */
export type SeriesModel = {
  target: TargetModel;
  region: string;
  carrier: string;
  rttMs: number;
  paths: readonly Path[];
  jitter: number;
  /** Mean of an exponential part of the jitter, ms. */
  queueMs: number;
  correlatedNoise: number;
  correlatedSeconds: number;
  /** Share of the correlated noise's variance that all series of a carrier have in common. */
  correlatedShared: number;
  sharedSeconds: number;
  wander: number;
  wanderSeconds: number;
  tail: number;
  /** Chances of +200 ms, +1 s, +3 s. */
  loss: number;
  loss1s: number;
  loss3s: number;
  failure: number;
  dnsMs: number;
  /** Height of the evening peak on weekdays and on weekends, as a share of the round trip. */
  dailyPeak: { weekday: number; weekend: number; hour: number; widthHours: number };
  /** Evenings differ by this factor, the same for all series of a carrier: `carrierSeed` draws them. */
  dailyPeakVariety: number;
  carrierSeed: number;
  /** Values are multiples of this, ms. */
  stepMs: number;
  periodJitter: number;
  missing: number;
};

export type Conditions = Required<Effect>;

/** Conditions of a series on which nothing acts. */
export function calmConditions(target: TargetModel): Conditions {
  return {
    rttFactor: 1,
    rttMs: 0,
    serverMs: 0,
    roundTrips: 0,
    resumedShare: target.resumedShare,
    firstByteMs: 0,
    dnsFactor: 1,
    spread: 1,
    lossFactor: 1,
    failing: 0,
  };
}

/** Adds what an event does at `weight` to the conditions. Factors multiply, milliseconds add. */
export function apply(conditions: Conditions, effect: Effect, weight: number): void {
  conditions.rttFactor *= 1 + ((effect.rttFactor ?? 1) - 1) * weight;
  conditions.rttMs += (effect.rttMs ?? 0) * weight;
  conditions.serverMs += (effect.serverMs ?? 0) * weight;
  conditions.roundTrips += (effect.roundTrips ?? 0) * weight;
  if (effect.resumedShare !== undefined)
    conditions.resumedShare += (effect.resumedShare - conditions.resumedShare) * weight;
  conditions.firstByteMs += (effect.firstByteMs ?? 0) * weight;
  conditions.dnsFactor *= 1 + ((effect.dnsFactor ?? 1) - 1) * weight;
  conditions.spread *= 1 + ((effect.spread ?? 1) - 1) * weight;
  conditions.lossFactor *= 1 + ((effect.lossFactor ?? 1) - 1) * weight;
  conditions.failing = Math.max(conditions.failing, (effect.failing ?? 0) * weight);
}
