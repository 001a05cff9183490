import { idleWatch, type SpikeWatch, step, stopWatch } from './cusum.ts';

/** Watches one line for bursts of failed probes, by the same sum as spikes. */
export type FailureWatch = { spike: SpikeWatch; rate: number };

const INCIDENT_RATE = 0.8;
const LEAST_RATE = 0.005;
/** A line's own rate of failures is a mean over about so many samples. */
const REMEMBERED = 1_000;
/** After so many seconds without a probe a burst is over. */
const INCIDENT_GAP = 7_200;

export function newFailureWatch(): FailureWatch {
  return { spike: idleWatch(), rate: LEAST_RATE };
}

/** Takes one probe into account; true where a burst is raised by it. */
export function observeOutcome(watch: FailureWatch, timestamp: number, ok: boolean): boolean {
  const usual = Math.max(LEAST_RATE, Math.min(0.5, watch.rate));
  const ratio = ok ? Math.log((1 - INCIDENT_RATE) / (1 - usual)) : Math.log(INCIDENT_RATE / usual);
  const result = step(watch.spike, timestamp, !ok, ratio);
  if (!watch.spike.open) watch.rate += ((ok ? 0 : 1) - watch.rate) / REMEMBERED;
  return result === 'raised';
}

/** Ends a burst of a line that was last probed at `last`, long before `now`. */
export function endIfSilent({ spike }: FailureWatch, last: number, now: number): void {
  if (spike.open && now - last > INCIDENT_GAP) stopWatch(spike, last, 'silence');
}
