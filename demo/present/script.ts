import { DEMO_CARRIERS, type DemoCarrier, type LineConditions, pathBetween, type Site } from '../places.ts';

// What happens in the demo while somebody looks on: the same for everybody, counted from when the demo was made.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Every hour one carrier is congested. The first time as soon as the live detector knows the paths on a busy machine
 * (cli/demo/past.ts), whatever the minute of the hour: whoever starts the demo is to see it.
 */
const CONGESTION = { after: 2 * MINUTE, lasts: 7 * MINUTE, every: HOUR };
/** At the height of a congestion: how much longer a round trip takes, and how much more is lost. */
const QUEUE_MS = 55;
const QUEUE_LOSS = 0.02;
/** It comes and goes within this time. */
const RAMP = MINUTE;

/** Every day one origin is deployed with a setting that costs its handshakes a round trip, and half a day later without. */
const DEPLOY = { after: 12 * MINUTE, lasts: 12 * HOUR, every: DAY };
/** The origin that is deployed. */
export const DEPLOYED_ORIGIN = 'stale';

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

/** A deploy of the origin: whether its setting costs a round trip since then. */
export type Deploy = { atMs: number; costly: boolean };

/** The last deploy before a time, or at it; null where there was none yet. */
export function deployBefore(madeAtMs: number, atMs: number): Deploy | null {
  const first = madeAtMs + DEPLOY.after;
  if (atMs < first) return null;
  const day = first + Math.floor((atMs - first) / DEPLOY.every) * DEPLOY.every;
  const costly = atMs < day + DEPLOY.lasts;
  return { atMs: costly ? day : day + DEPLOY.lasts, costly };
}

/** The first deploy after a time. */
export function nextDeploy(madeAtMs: number, atMs: number): Deploy {
  const last = deployBefore(madeAtMs, atMs);
  if (last === null) return { atMs: madeAtMs + DEPLOY.after, costly: true };
  if (last.costly) return { atMs: last.atMs + DEPLOY.lasts, costly: false };
  return { atMs: last.atMs - DEPLOY.lasts + DEPLOY.every, costly: true };
}
