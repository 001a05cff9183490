import { incidentGapSeconds, incidentRate, rateMemory, usualRateFloor } from '../parameters.ts';
import { type Cusum, idleCusum, step, stopCusum } from './cusum.ts';

/** Watches one series for bursts of failed probes, by the same sum as spikes. */
export type FailureMonitor = { spike: Cusum; rate: number };

export function newFailureMonitor(): FailureMonitor {
  return { spike: idleCusum(), rate: usualRateFloor };
}

/** Takes one probe into account; true where a burst is raised by it. */
export function observeOutcome(monitor: FailureMonitor, timestamp: number, ok: boolean): boolean {
  const usual = Math.max(usualRateFloor, Math.min(incidentRate / 2, monitor.rate));
  const ratio = ok ? Math.log((1 - incidentRate) / (1 - usual)) : Math.log(incidentRate / usual);
  const result = step(monitor.spike, timestamp, !ok, ratio);
  if (!monitor.spike.open) monitor.rate += ((ok ? 0 : 1) - monitor.rate) / rateMemory;
  return result === 'raised';
}

/** Ends a burst of a series that was last probed at `last`, long before `now`. */
export function endIfSilent({ spike }: FailureMonitor, last: number, now: number): void {
  if (spike.open && now - last > incidentGapSeconds) stopCusum(spike, last, 'silence');
}
