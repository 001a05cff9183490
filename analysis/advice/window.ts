import { connectMsOf, type Result, type VantageRef, type Wait } from '#contract/result.ts';

/**
 * What one vantage measured of a target: `all` its Results, the oldest first, and of these `full`, the main ones that show what
 * a handshake takes (complete, not resumed, no packet lost, the prober not delayed). `rttMs` is their median round-trip time.
 */
export type Window = {
  ref: VantageRef | null;
  all: readonly Result[];
  full: readonly Result[];
  rttMs: number | null;
  /** The share of main Results in which packets were lost. */
  lossShare: number;
};

/** Bytes of a full segment where the kernel did not say: Ethernet's, with timestamps. */
export const USUAL_MSS = 1_448;
/** Segments that servers send before they wait (RFC 6928). */
export const USUAL_SEGMENTS = 10;
/** A pause from this share of a round trip on waited for an acknowledgement; below it is noise, or the server's work. */
export const LEAST_WAIT_SHARE = 0.6;
/** A pause beyond this many round trips was something else. */
const MOST_WAIT_SHARE = 1.6;
/** Below this round-trip time (ms) pauses are lost in noise. */
const LEAST_RTT_MS = 1.7;
/** A window holds two segments at least: a pause after fewer bytes filled none. */
const LEAST_WINDOW_BYTES = 2_000;

/** The Results of each vantage, by its id, and those of none (a probe from the command line) as one. */
export function windowsOf(results: readonly Result[]): Window[] {
  const groups = Map.groupBy(results, ({ vantage }) => vantage?.id ?? null);
  const ids = [...groups.keys()].toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));
  return ids.map((id) => windowOf(groups.get(id) ?? []));
}

function windowOf(results: readonly Result[]): Window {
  const all = results.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
  const mains = all.filter(isMain);
  const complete = mains.filter(isFull);
  const full = complete.filter((result) => !hasLoss(result) && result.prober.clean);
  const lost = mains.filter(hasLoss).length;
  return {
    ref: all.at(-1)?.vantage ?? null,
    all,
    full,
    rttMs: median(full.flatMap((result) => rttOf(result) ?? [])),
    lossShare: mains.length === 0 ? 0 : lost / mains.length,
  };
}

export const isMain = ({ variant = 'main' }: Result): boolean => variant === 'main';

/** Whether the handshake came to its end and was no resumption. */
const isFull = ({ tls }: Result): boolean => tls !== null && !tls.resumed && tls.handshake.wireMs !== null;

/** Whether packets of the connection were lost: its pauses then show nothing about the server. */
export function hasLoss({ network, findings }: Result): boolean {
  const counted = (network.retransmits ?? 0) + (network.synRetransmits ?? 0) + (network.outOfOrder ?? 0);
  return counted > 0 || findings.some(({ code }) => code === 'loss');
}

/** The round-trip time of a connection, ms: the kernel's, else the time of the connect. */
export function rttOf(result: Result): number | null {
  return result.network.minRttMs ?? result.network.rttMs ?? connectMsOf(result);
}

/** Pauses of a phase that a full congestion window made, each about a round trip. Before engine 3 judged by bytes and time. */
export function windowWaits(result: Result, phase: Wait['phase']): Wait[] {
  return waitsOf(result, 'window').filter((wait) => wait.phase === phase);
}

/** Pauses that a held-back small segment made, by Nagle's algorithm or a small buffer of writes. */
export function nagleWaits(result: Result): Wait[] {
  return waitsOf(result, 'nagle');
}

function waitsOf(result: Result, cause: 'window' | 'nagle'): Wait[] {
  const rtt = rttOf(result);
  if (rtt === null || rtt < LEAST_RTT_MS) return [];
  return (result.roundTrips?.waits ?? []).filter((wait) => causeOf(wait, rtt, result) === cause);
}

/** What held the server back: as the engine says; before engine 3 a window alone can be told. */
export function causeOf(
  wait: Wait,
  rttMs: number,
  { network }: Pick<Result, 'network'>,
): 'window' | 'nagle' | 'unknown' {
  if (wait.heldBy) {
    const isFullWindow = wait.heldBy === 'nagle' && network.mss && wait.afterBytes % network.mss === 0;
    return isFullWindow ? 'window' : wait.heldBy;
  }
  const isOneTrip = wait.waitMs >= LEAST_WAIT_SHARE * rttMs && wait.waitMs <= MOST_WAIT_SHARE * rttMs;
  return isOneTrip && wait.afterBytes >= LEAST_WINDOW_BYTES && wait.afterBytes % 4_096 !== 0 ? 'window' : 'unknown';
}

/** Round trips from the request to the first byte of the body, or of the response where it has none. */
export function bodyTripsOf({ roundTrips }: Result): number {
  return roundTrips?.firstBody?.took ?? roundTrips?.firstByte.took ?? 1;
}

/** The middle of some numbers, the lower one of two; null of none. */
export function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null;
}

/** A quantile (0 to 1) of some numbers, by the nearest rank; null of none. */
export function quantileOf(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}
