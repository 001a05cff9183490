import { failureRateMemory, incidentGapSeconds, incidentRate, usualRateCap, usualRateFloor } from '../parameters.ts';
import { idleWatch, type SpikeWatch, step, stopWatch } from './cusum.ts';

/** Watches one line for bursts of failed probes, by the same sum as spikes. */
export type FailureWatch = { spike: SpikeWatch; rate: number };

export function newFailureWatch(): FailureWatch {
  return { spike: idleWatch(), rate: usualRateFloor };
}

/** Takes one probe into account; true where a burst is raised by it. */
export function observeOutcome(watch: FailureWatch, timestamp: number, ok: boolean): boolean {
  const usual = Math.max(usualRateFloor, Math.min(usualRateCap, watch.rate));
  const ratio = ok ? Math.log((1 - incidentRate) / (1 - usual)) : Math.log(incidentRate / usual);
  const result = step(watch.spike, timestamp, !ok, ratio);
  if (!watch.spike.open) watch.rate += ((ok ? 0 : 1) - watch.rate) / failureRateMemory;
  return result === 'raised';
}

/** Ends a burst of a line that was last probed at `last`, long before `now`. */
export function endIfSilent({ spike }: FailureWatch, last: number, now: number): void {
  if (spike.open && now - last > incidentGapSeconds) stopWatch(spike, last, 'silence');
}
