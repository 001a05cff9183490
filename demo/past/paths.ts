import type { SeriesModel, TargetModel } from '#analysis/synthetic/series-model.ts';
import { pathBetween, type Site } from '../places.ts';
import { seedOf } from '../random.ts';

// Levels as the real probes of the demo find them on an idle machine (docs/decisions/0006-demo-network.md), so that what
// is measured goes on where the generated past ends.

/** Seconds between two probes of a path: every ten minutes of the rollups hold one of them. */
export const PAST_PERIOD = 600;

/** Noon and 21:00 in China: the path by day, and at the height of the evening. */
const NOON = Date.UTC(2026, 0, 1, 4);
const EVENING = Date.UTC(2026, 0, 1, 13);

/** An origin of the past: what its handshakes consist of until anything happens to it, and where it stands. */
export type PastOrigin = {
  key: string;
  site: Site;
  target: TargetModel;
  /** Round trips until the first byte of a page: 2 where its first record overflows the window. */
  firstByteTrips: number;
  /** Segments of a handshake that may be lost. */
  segments: number;
};

const usual = {
  workSpread: 0.25,
  resumedWorkMs: 1,
  firstByteMs: 6.5,
  firstByteSpread: 0.3,
  periodSeconds: PAST_PERIOD,
  load: 0.04,
  loadSeconds: 5_400,
  echo: false,
} as const;

/**
 * The origins as they were fourteen days ago. `good` still had a chain that needed a second round trip, `legacy` a session
 * cache that most handshakes resumed from: the story tells how each came to be what it is now.
 */
export const PAST_ORIGINS: readonly PastOrigin[] = [
  {
    key: 'good',
    site: { region: 'CN-BJ', carrier: 'unicom' },
    target: { ...usual, name: 'good', fullTrips: 2, resumedTrips: 1, resumedShare: 0, fullWorkMs: 1.8, loadSeed: 11 },
    firstByteTrips: 1,
    segments: 5,
  },
  {
    key: 'legacy',
    site: { region: 'CN-GD', carrier: 'telecom' },
    target: {
      ...usual,
      name: 'legacy',
      fullTrips: 3,
      resumedTrips: 1,
      resumedShare: 0.85,
      fullWorkMs: 5,
      loadSeed: 12,
    },
    firstByteTrips: 1,
    segments: 14,
  },
  {
    key: 'stale',
    site: { region: 'CN-SH', carrier: 'telecom' },
    target: { ...usual, name: 'stale', fullTrips: 1, resumedTrips: 1, resumedShare: 0, fullWorkMs: 1.8, loadSeed: 13 },
    firstByteTrips: 2,
    segments: 5,
  },
];

/** The path between a vantage and an origin, as the emulated network has it by day and in the evening. */
export function pastPath(origin: PastOrigin, vantage: Site): SeriesModel {
  const { rttMs, loss } = pathBetween(vantage, origin.site, NOON);
  const height = pathBetween(vantage, origin.site, EVENING).rttMs / rttMs - 1;
  return {
    target: origin.target,
    region: vantage.region,
    carrier: vantage.carrier,
    rttMs: rttMs * 1.01,
    paths: [{ share: 1, rttFactor: 1 }],
    jitter: 0.02,
    queueMs: 0.4 + 0.03 * rttMs,
    correlatedNoise: 0.01,
    correlatedSeconds: 3_600,
    correlatedShared: 0.4,
    sharedSeconds: 3_600,
    wander: 0.005,
    wanderSeconds: 86_400,
    tail: 0.005,
    loss: loss * origin.segments,
    loss1s: loss * 2,
    loss3s: (loss * 2) ** 2,
    failure: 0.0004,
    dnsMs: 2.5,
    dailyPeak: { weekday: height, weekend: height, hour: 21, widthHours: 3 },
    dailyPeakVariety: 0.05,
    carrierSeed: seedOf(vantage.carrier),
    stepMs: 0.001,
    periodJitter: 0.02,
    missing: 0.002,
  };
}
