import { DEMO_CARRIERS, type DemoCarrier, type LineConditions, pathBetween, type Site } from '../places.ts';

// What happens in the demo while somebody looks on: the same for everybody, counted from when the demo was made.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Every hour one carrier is congested. The first time as soon as the live detector knows the paths on a busy machine
 * (cli/demo/load-past.ts), whatever the minute of the hour: a person who starts the demo sees it.
 */
const CONGESTION = { after: 2 * MINUTE, lasts: 7 * MINUTE, every: HOUR };
/** At the height of a congestion: how much longer a round trip takes, and how much more is lost. */
const QUEUE_MS = 55;
const QUEUE_LOSS = 0.02;
/** It comes and goes within this time. */
const RAMP = MINUTE;

/** What is changed of an origin: when for the first time, for how long, and how often, ms. */
const DEPLOYS = {
  /** A setting that costs its handshakes a round trip. */
  costlyGroup: { origin: 'stale', after: 12 * MINUTE, lasts: 12 * HOUR, every: DAY },
  /**
   * Nodes that do not know each other's sessions: each refuses those of the others. As soon as the live detector knows how many
   * are refused otherwise (20 probes), and after the two others, so that each is seen by itself.
   */
  lostSessions: { origin: 'good', after: 24 * MINUTE, lasts: 15 * MINUTE, every: 6 * HOUR },
} as const;
export type DeployKind = keyof typeof DEPLOYS;
export const DEPLOY_KINDS = Object.keys(DEPLOYS) as DeployKind[];
/** The origin that is deployed. */
export const deployedOrigin = (kind: DeployKind): string => DEPLOYS[kind].origin;

/** The carrier that is congested at a time, and how much: from 0 to 1. All in ms since 1970. */
export function congestionAt(madeAtMs: number, atMs: number): { carrier: DemoCarrier; weight: number } | null {
  const passed = atMs - madeAtMs - CONGESTION.after;
  if (passed < 0) return null;
  const into = passed % CONGESTION.every;
  if (into >= CONGESTION.lasts) return null;
  const carrier = DEMO_CARRIERS[Math.floor(passed / CONGESTION.every + 1) % DEMO_CARRIERS.length];
  if (!carrier) return null;
  return { carrier, weight: Math.min(1, into / RAMP, (CONGESTION.lasts - into) / RAMP) };
}

/** The path between a vantage and an origin, with the congestion of the hour. */
export function presentConditions(madeAtMs: number) {
  return (vantage: Site, origin: Site, atMs: number): LineConditions => {
    const path = pathBetween(vantage, origin, atMs);
    const congestion = congestionAt(madeAtMs, atMs);
    if (congestion === null || congestion.carrier !== vantage.carrier) return path;
    const { weight } = congestion;
    return { rttMs: path.rttMs + QUEUE_MS * weight, loss: path.loss + QUEUE_LOSS * weight };
  };
}

/** A deploy of an origin: whether it has the costly setting since then. */
export type Deploy = { atMs: number; costly: boolean };

/** The last deploy before a time, or at it; null where there was none yet. */
export function deployBefore(kind: DeployKind, madeAtMs: number, atMs: number): Deploy | null {
  const { after, lasts, every } = DEPLOYS[kind];
  const first = madeAtMs + after;
  if (atMs < first) return null;
  const begun = first + Math.floor((atMs - first) / every) * every;
  const costly = atMs < begun + lasts;
  return { atMs: costly ? begun : begun + lasts, costly };
}

/** The first deploy after a time. */
export function nextDeploy(kind: DeployKind, madeAtMs: number, atMs: number): Deploy {
  const { after, lasts, every } = DEPLOYS[kind];
  const last = deployBefore(kind, madeAtMs, atMs);
  if (last === null) return { atMs: madeAtMs + after, costly: true };
  if (last.costly) return { atMs: last.atMs + lasts, costly: false };
  return { atMs: last.atMs - lasts + every, costly: true };
}
