import type { RuleOf } from '#contract/alert-rule.ts';
import { getPool } from '#server/database/database.ts';
import type { StoredCell } from '#server/incidents/row.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import { type Broken, type RuleTarget, targetsOf, type Verdict, vantagesOf } from './verdict.ts';

type Rule = RuleOf<'down'>;

/** A vantage needs so many results to say that a target is down; the window is longer where they come seldom. */
const LEAST_RESULTS = 2;
const PERIODS = 2.5;

/**
 * Targets that enough vantages cannot reach: at each, every result of the window failed by the fault of the target or of
 * the resolver. What a prober got wrong says nothing and is left out.
 */
export async function judgeDown(rule: Rule, now: Date): Promise<Verdict> {
  const vantages = await vantagesOf(rule);
  const verdict: Verdict = { broken: [], healthy: new Set() };
  for (const target of await targetsOf(rule)) {
    const { measured, down, onsetAt } = await downAt(rule, target, vantages, now);
    if (measured === 0) continue;
    const key = `down:${target.id}`;
    // With a single vantage there is no second one to ask.
    const needed = Math.max(Math.min(rule.minCells, measured), Math.ceil(rule.params.share * measured), 1);
    if (down.length < needed) verdict.healthy.add(key);
    else verdict.broken.push(brokenOf({ key, target, down, onsetAt, now, measured }));
  }
  return verdict;
}

type Down = { measured: number; down: VantageLabels[]; onsetAt: Date };

async function downAt(
  { params }: Rule,
  target: RuleTarget,
  vantages: Map<string, VantageLabels>,
  now: Date,
): Promise<Down> {
  const seconds = Math.max(params.windowMinutes * 60, target.periodSeconds * PERIODS);
  const since = new Date(now.getTime() - seconds * 1_000);
  const { rows } = await getPool().query<{ id: string; ok: number; n: number; first: Date }>(
    `select vantage_id as id, sum(ok)::int as ok, sum(total - failed_prober)::int as n, min(bucket) as first
      from rollup_minute where target_id = $1 and bucket >= $2 and vantage_id = any($3::uuid[]) group by vantage_id`,
    [target.id, since, [...vantages.keys()]],
  );
  const measured = rows.filter(({ n }) => n >= LEAST_RESULTS);
  const down = measured.filter(({ ok }) => ok === 0);
  const first = Math.min(...down.map((row) => row.first.getTime()), now.getTime());
  return {
    measured: measured.length,
    down: down.flatMap(({ id }) => vantages.get(id) ?? []),
    onsetAt: new Date(first),
  };
}

type Finding = { key: string; target: RuleTarget; down: VantageLabels[]; onsetAt: Date; now: Date; measured: number };

function brokenOf({ key, target, down, onsetAt, now, measured }: Finding): Broken {
  const cells = down.map(
    ({ id, region, carrier }): StoredCell => ({
      targetId: target.id,
      vantageId: id,
      region,
      carrier,
      kind: 'down',
      metric: null,
      at: now.toISOString(),
      changeAt: onsetAt.toISOString(),
      beforeMs: null,
      afterMs: null,
      recoveredAt: null,
    }),
  );
  const evidence = { vantagesDown: down.length, vantagesMeasured: measured };
  return { key, cells, metric: null, onsetAt, evidence, demo: target.demo };
}
