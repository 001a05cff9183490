import {
  calmThreshold,
  incidentGapSeconds,
  incidentRate,
  jeffreysPrior,
  leastSamples,
  longestIncidentSeconds,
  rateMemory,
  usualRateFloor,
} from '../parameters.ts';
import { type Cusum, idleCusum, step, stopCusum } from './cusum.ts';

// Sessions that a server refuses: the client offered to resume one and got a full handshake. A server that has lost its session cache, or
// whose nodes do not share their ticket keys, does so; some always do, and some do it to every tenth client. So unlike failures, which are
// never usual, a series' own share is learnt before anything is said of it, and what is suspected is learnt only when nothing came of it.

/** Watches one series for a jump of its share of refused sessions. */
export type RefusalMonitor = {
  spike: Cusum;
  /** The usual share of refused sessions, 0 to 1, and of how many it was learnt (no more than `rateMemory`). */
  rate: number;
  count: number;
  /** What has been seen since the present run of evidence began. */
  held: { count: number; refused: number };
  /** The time of the last one, epoch seconds, and whether it was refused. */
  last: number;
  lastRefused: boolean;
};

export function newRefusalMonitor(): RefusalMonitor {
  return { spike: idleCusum(), rate: 0, count: 0, held: { count: 0, refused: 0 }, last: 0, lastRefused: false };
}

/** Takes one offered session into account; true where a jump of the share is raised by it. */
export function observeRefusal(monitor: RefusalMonitor, timestamp: number, refused: boolean): boolean {
  endRefusals(monitor, timestamp);
  monitor.last = timestamp;
  monitor.lastRefused = refused;
  monitor.held.count += 1;
  monitor.held.refused += refused ? 1 : 0;
  const result = isKnown(monitor) ? step(monitor.spike, timestamp, refused, llrOf(monitor, refused)) : 'nothing';
  if (monitor.spike.open) monitor.held = { count: 0, refused: 0 };
  else if (monitor.spike.evidence === 0) learnHeld(monitor);
  return result === 'raised';
}

/** Ends a jump of a series that was silent for long before `now`, or that lasts for so long that it is usual: it is relearnt. */
export function endRefusals(monitor: RefusalMonitor, now: number): void {
  const { spike, last } = monitor;
  if (!spike.open) return;
  if (now - last > incidentGapSeconds) stopCusum(spike, last, 'silence');
  else if (now - spike.runStart > longestIncidentSeconds) {
    stopCusum(spike, now, 'length');
    monitor.rate = 0;
    monitor.count = 0;
  }
}

/** Whether more sessions are refused than usual, as far as is known by now: a jump, or what may become one and is not mending. */
export const isRefusing = ({ spike }: RefusalMonitor): boolean =>
  spike.open ? spike.calm < calmThreshold : spike.exceeding > 0;

/** Enough was seen, and there is room for more to be refused. */
const isKnown = ({ count, rate }: RefusalMonitor) => count >= leastSamples && rate <= incidentRate;

/** Between a share of `incidentRate`, or halfway from the usual one to all, and the usual one (with Jeffreys' prior). */
function llrOf({ rate, count }: RefusalMonitor, refused: boolean): number {
  const usual = Math.max(usualRateFloor, (rate * count + jeffreysPrior) / (count + 2 * jeffreysPrior));
  const high = Math.max(incidentRate, (1 + usual) / 2);
  return refused ? Math.log(high / usual) : Math.log((1 - high) / (1 - usual));
}

function learnHeld(monitor: RefusalMonitor): void {
  const { held } = monitor;
  monitor.count += held.count;
  monitor.rate += (held.refused - held.count * monitor.rate) / monitor.count;
  monitor.count = Math.min(monitor.count, rateMemory);
  monitor.held = { count: 0, refused: 0 };
}
