import { sweepIncidents } from '#server/incidents/sweep.ts';
import { evaluateFastRules, evaluateSlowRules } from '#server/rules/evaluate.ts';
import { loop } from './loop.ts';

/** How often rules are evaluated, and what time alone brings to incidents is looked at, ms. */
const FAST_MS = 30_000;
const SLOW_MS = 120_000;
const SWEEP_MS = 3_000;

/** Evaluates the alert rules until the signal. */
export async function runRules(signal: AbortSignal): Promise<void> {
  const upSince = new Date();
  await Promise.all([
    loop('rules', FAST_MS, () => evaluateFastRules(new Date(), upSince), signal),
    loop('slow rules', SLOW_MS, () => evaluateSlowRules(new Date()), signal),
    loop('incidents', SWEEP_MS, () => sweepIncidents(new Date()), signal),
  ]);
}
