import type { Phase } from '#contract/vocabulary.ts';
import type { Clock } from '../clock.ts';
import { type FailureReason, ProbeFailure } from '../failure.ts';

const TIMEOUT: Record<Phase, FailureReason> = {
  dns: 'dns_timeout',
  tcp: 'tcp_timeout',
  tls: 'tls_timeout',
  firstByte: 'http_timeout',
  download: 'http_timeout',
};

/** A timer this late (ms) says that this process was busy or asleep: the time-out proves nothing about the target. */
export const TIMER_LATE_MS = 1_000;

/** When the whole probe must be over, on the clock, and what was allowed (ms). */
export type Overall = { endsAt: number; timeoutMs: number };

/**
 * Runs one phase under its own time-out and the probe's. `work` gets a signal that aborts when time is up; the phase
 * then fails whether or not the work stops. So it does when `givenUp` rejects.
 */
export async function withinPhase<T>(
  clock: Clock,
  phase: Phase,
  phaseMs: number,
  overall: Overall,
  work: (signal: AbortSignal) => Promise<T>,
  givenUp?: Promise<never>,
): Promise<T> {
  const startedAt = clock.now();
  const left = Math.max(0, overall.endsAt - startedAt);
  const allowed = Math.min(phaseMs, left);
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const late = clock.now() - startedAt - allowed;
      reject(late > TIMER_LATE_MS ? overloaded(phase, late) : timedOut(phase, phaseMs, left, overall));
    }, allowed);
  });
  try {
    return await Promise.race([work(abort.signal), timeUp, ...(givenUp ? [givenUp] : [])]);
  } catch (error) {
    abort.abort();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function timedOut(phase: Phase, phaseMs: number, left: number, overall: Overall): ProbeFailure {
  const what = left < phaseMs ? `the probe was not over after ${overall.timeoutMs} ms` : `not over after ${phaseMs} ms`;
  return new ProbeFailure(phase, TIMEOUT[phase], phase === 'dns' ? 'resolver' : 'target', what);
}

export function overloaded(phase: Phase, late: number): ProbeFailure {
  const message = `the prober's own timer fired ${Math.round(late)} ms late`;
  return new ProbeFailure(phase, 'prober_overloaded', 'prober', message);
}
