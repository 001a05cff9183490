import { statisticOf } from '#analysis/summary.ts';
import type { RuleOf } from '#contract/alert-rule.ts';
import { cellOf, type StoredCell } from '#server/incidents/stored-incident.ts';
import { readRollups } from '#server/rollups/read.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import { type Broken, type RuleTarget, targetsOf, type Verdict, vantagesOf } from './verdict.ts';

type Rule = RuleOf<'threshold'>;

/** Results come in for a while after their minute. */
const GRACE_SECONDS = 60;

/** Targets with cells whose statistic over the last window is past the rule's value. Each vantage is judged by itself. */
export async function judgeThreshold(rule: Rule, now: Date): Promise<Verdict> {
  const vantages = await vantagesOf(rule);
  const verdict: Verdict = { broken: [], healthy: new Set() };
  for (const target of await targetsOf(rule)) {
    const found = await judgeTarget(rule, target, vantages, now);
    if (found === null) continue;
    if (found.cells.length >= rule.minCells) verdict.broken.push(found);
    else verdict.healthy.add(found.key);
  }
  return verdict;
}

/** Null where nothing was measured: no reason to say that it is better, or worse. */
async function judgeTarget(
  rule: Rule,
  target: RuleTarget,
  vantages: Map<string, VantageLabels>,
  now: Date,
): Promise<Broken | null> {
  const { metric, params } = rule;
  const to = Math.floor((now.getTime() / 1_000 - GRACE_SECONDS) / 60) * 60;
  const from = to - params.windowMinutes * 60;
  const [onsetAt, at] = [new Date(from * 1_000), new Date(to * 1_000)];
  const places = [...vantages.values()];
  const groups = new Map(places.map(({ id }, index) => [id, index]));
  const measured = await readRollups({ targetId: target.id, from, to, step: null, metric, groups });
  let judged = 0;
  const cells = measured.flatMap(({ group, summary }): StoredCell[] => {
    const place = places[group];
    const { value, n } = statisticOf(summary, metric, params.stat);
    if (!place || value === null || n < params.minResults) return [];
    judged += 1;
    if (!isPast(params, value)) return [];
    const { id: vantageId, region, carrier } = place;
    const change = { changeAt: onsetAt, beforeMs: params.above ?? params.below, afterMs: value };
    return [cellOf({ targetId: target.id, vantageId, region, carrier, kind: 'threshold', metric, at, ...change })];
  });
  if (judged === 0) return null;
  return {
    key: `threshold:${target.id}`,
    cells,
    metric,
    onsetAt,
    evidence: { stat: params.stat, above: params.above, below: params.below, windowMinutes: params.windowMinutes },
    demo: target.demo,
  };
}

/** Whether a value is past the rule's. */
export function isPast({ above, below }: Pick<Rule['params'], 'above' | 'below'>, value: number): boolean {
  return (above !== null && value > above) || (below !== null && value < below);
}
