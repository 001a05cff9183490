import type { TargetSummary } from '#contract/target-summary.ts';

/** What makes a target stand out. */
export type Trouble = 'failing' | 'slower' | 'slow';
export type RankedTarget = { target: TargetSummary; trouble: Trouble[] };

/** Below this availability a target is failing. */
const FAILING = 0.99;
/** Growth of the TLS P50 against yesterday from which on a target is called slower. */
const SLOWER = 0.15;
/** Growth of the worst line alone from which on, so that one bad carrier is not averaged away; and its fewest probes. */
const LINE_SLOWER = 0.3;
const LINE_PROBES = 10;
/** A TLS P95 beyond this many ms is slow whatever it was yesterday. */
const SLOW_MS = 500;

function troubleOf(target: TargetSummary): Trouble[] {
  const trouble: Trouble[] = [];
  if (target.availability !== null && target.availability < FAILING) trouble.push('failing');
  if (isSlower(target)) trouble.push('slower');
  if ((target.p95 ?? 0) > SLOW_MS) trouble.push('slow');
  return trouble;
}

function isSlower({ changeVsYesterday, worst }: TargetSummary): boolean {
  if ((changeVsYesterday ?? 0) >= SLOWER) return true;
  return worst !== null && worst.n >= LINE_PROBES && (worst.change ?? 0) >= LINE_SLOWER;
}

/** Those in trouble first, the failing before the slower before the slow; then the slowest first, those without data last. */
export function rankTargets(targets: TargetSummary[]): RankedTarget[] {
  const weight = ({ target, trouble }: RankedTarget) =>
    (trouble.includes('failing') ? 4 + (1 - (target.availability ?? 1)) : 0) +
    (trouble.includes('slower') ? 2 : 0) +
    (trouble.includes('slow') ? 1 : 0);
  return targets
    .map((target) => ({ target, trouble: troubleOf(target) }))
    .sort((a, b) => weight(b) - weight(a) || (b.target.p50 ?? -1) - (a.target.p50 ?? -1));
}
