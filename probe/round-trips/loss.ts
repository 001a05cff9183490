import type { ResultNetwork } from '#contract/result.ts';
import type { Flights } from './flights.ts';

/** What the kernel says about lost packets; null or left out where it was not asked. */
export type KernelCounts = Pick<ResultNetwork, 'minRttMs' | 'rttMs' | 'synRetransmits' | 'retransmits' | 'outOfOrder'>;

/** A sentence that shows a loss, and its figures. */
export type Shown = { evidence: string; values: Record<string, number | string> };

/** What shows a lost SYN, and a lost segment after it; null where nothing shows one. */
export type Loss = { syn: Shown | null; segment: Shown | null };

/** A SYN is repeated after a second, then after one or two more; what is off by more than this (ms) is something else. */
const SYN_STEP_MS = 1_000;
const SYN_SLACK_MS = 100;
/** No TCP in wide use retransmits a segment earlier, unless later ones were acknowledged. */
const LEAST_REPEAT_MS = 190;

/** The kernel's round-trip time; null where it is not known. */
export function kernelRttOf({ minRttMs, rttMs }: Pick<KernelCounts, 'minRttMs' | 'rttMs'>): number | null {
  return minRttMs ?? rttMs ?? null;
}

/**
 * Whether packets of the connection were lost. The kernel's counts decide where they are known; elsewhere the time does,
 * and the sentence then says "consistent with". `tcpMs` is the connect's duration.
 */
export function lossOf(network: KernelCounts, tcpMs: number, flights: Flights | null): Loss {
  return { syn: lostSyn(network, tcpMs, flights), segment: lostSegment(network, flights) };
}

/**
 * What the kernel says of a connect that failed: how often it sent the SYN. Null where it was sent once, and where the
 * kernel was not asked: the failure itself says that no answer came in time.
 */
export function lossBeforeConnect({ synRetransmits }: KernelCounts): Shown | null {
  if (!synRetransmits) return null;
  const evidence = `the SYN was sent ${synRetransmits + 1} times and the connect failed: consistent with packets that were lost or dropped`;
  return { evidence, values: { syn: 'failed', synSent: synRetransmits + 1 } };
}

function lostSyn(network: KernelCounts, tcpMs: number, flights: Flights | null): Shown | null {
  const repeats = network.synRetransmits ?? null;
  const took = `the connect took ${tcpMs.toFixed(0)} ms`;
  if (repeats !== null) {
    if (repeats === 0) return null;
    const values = { syn: 'sent', synSent: repeats + 1, tcpMs };
    return { evidence: `the SYN was sent ${repeats + 1} times: ${took}`, values };
  }
  const rttMs = kernelRttOf(network) ?? flights?.answerMs ?? null;
  if (rttMs === null) return null;
  const excess = tcpMs - rttMs;
  const steps = Math.round(excess / SYN_STEP_MS);
  if (steps < 1 || Math.abs(excess - steps * SYN_STEP_MS) > SYN_SLACK_MS) return null;
  const evidence = `${took} at a round-trip time of ${rttMs.toFixed(1)} ms: consistent with a lost SYN`;
  return { evidence, values: { syn: 'slow', tcpMs, rttMs } };
}

function lostSegment(network: KernelCounts, flights: Flights | null): Shown | null {
  const repeated = Math.max(0, (network.retransmits ?? 0) - (network.synRetransmits ?? 0));
  const early = network.outOfOrder ?? 0;
  if (repeated > 0) {
    const evidence = `the kernel sent ${counted(repeated, 'segment')} again`;
    return { evidence, values: { segment: 'resent', segments: repeated } };
  }
  if (early > 0) {
    const evidence = `${counted(early, 'segment')} arrived before an earlier one: consistent with a lost segment`;
    return { evidence, values: { segment: 'early', segments: early } };
  }
  if (typeof network.outOfOrder === 'number') return null;
  const pause = flights?.stalls.find(({ gapMs, oneRoundTrip }) => !oneRoundTrip && gapMs >= LEAST_REPEAT_MS);
  if (!pause) return null;
  const shown = `the server's flight paused for ${pause.gapMs.toFixed(0)} ms after ${pause.afterBytes} bytes`;
  const values = { segment: 'pause', waitMs: pause.gapMs, afterBytes: pause.afterBytes };
  return { evidence: `${shown}: consistent with a lost segment`, values };
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
