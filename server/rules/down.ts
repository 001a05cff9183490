import type { RuleOf } from '#contract/alert-rule.ts';
import { getPool } from '#server/database/database.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { readRollups } from '#server/rollups/read.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import { type Broken, type RuleTarget, targetsOf, type Verdict, vantagesOf } from './verdict.ts';

type Rule = RuleOf<'down'>;

/** A vantage needs so many results to say that a target is down; the window is longer where they come seldom. */
export const LEAST_RESULTS = 2;
export const PERIODS = 2.5;

/**
 * Targets that enough of the vantages cannot reach at which they are to be measured: at each, every result of the window failed by the
 * fault of the target or of the resolver. What a prober got wrong says nothing and is left out. Where the silent ones would decide, it
 * is not known.
 */
export async function judgeDown(rule: Rule, now: Date): Promise<Verdict> {
  const vantages = await vantagesOf(rule);
  const verdict: Verdict = { broken: [], healthy: new Set() };
  for (const target of await targetsOf(rule)) {
    const { measured, down, silentSince, onsetAt } = await downAt(rule, target, vantages, now);
    if (measured.size === 0) continue;
    const key = `down:${target.id}`;
    const silent = (await expectedAt(target, silentSince)).filter((id) => vantages.has(id) && !measured.has(id));
    const counts = { down: down.length, measured: measured.size, expected: measured.size + silent.length };
    const isDown = isTargetDown(rule, counts);
    if (isDown === false) verdict.healthy.add(key);
    if (isDown !== true) continue;
    const names = silent.map((id) => vantages.get(id)?.name ?? id).sort();
    verdict.broken.push(brokenOf({ key, target, down, onsetAt, now, measured: measured.size, silent: names }));
  }
  return verdict;
}

/** Most silent vantages that are named. */
const MOST_NAMED = 20;

/** Where a target is to be measured, and was to be since `since` already. */
async function expectedAt({ id, updatedAt }: RuleTarget, since: Date): Promise<string[]> {
  if (updatedAt > since) return [];
  const { rows } = await getPool().query<{ id: string }>(
    `select v.id from "check" c join vantage v on v.id = c.vantage_id join prober p on p.id = v.prober_id
      where c.target_id = $1 and c.deleted_at is null and v.deleted_at is null and p.created_at < $2`,
    [id, since],
  );
  return rows.map((row) => row.id);
}

/** How many vantages cannot reach a target, of those that measured it, and of those that were to. */
type Counts = { down: number; measured: number; expected: number };

/** Whether a target is down; null where that is not known: enough of those that measured fail, and not enough of all. */
export function isTargetDown(
  rule: Pick<Rule, 'minCells' | 'params'>,
  { down, measured, expected }: Counts,
): boolean | null {
  if (measured === 0) return null;
  if (down < neededOf(rule, measured)) return false;
  return down >= neededOf(rule, expected) ? true : null;
}

/** How many of so many vantages must fail. With a single vantage there is no second one to ask. */
function neededOf({ minCells, params }: Pick<Rule, 'minCells' | 'params'>, vantages: number): number {
  return Math.max(Math.min(minCells, vantages), Math.ceil(params.share * vantages), 1);
}

/** `measured` are ids of vantages with enough results since `silentSince`; the others said too little to count. */
type Down = { measured: Set<string>; down: VantageLabels[]; silentSince: Date; onsetAt: Date };

async function downAt(
  { params }: Rule,
  target: RuleTarget,
  vantages: Map<string, VantageLabels>,
  now: Date,
): Promise<Down> {
  const seconds = Math.max(params.windowMinutes * 60, target.periodSeconds * PERIODS);
  const to = Math.ceil(now.getTime() / 60_000) * 60;
  const from = Math.ceil((now.getTime() / 1_000 - seconds) / 60) * 60;
  const places = [...vantages.values()];
  const groups = new Map(places.map(({ id }, index) => [id, index]));
  const minutes = await readRollups({ targetId: target.id, from, to, step: 60, metric: null, groups });
  const measured = [...Map.groupBy(minutes, ({ group }) => group)]
    .map(([group, own]) => ({
      place: places[group],
      ok: own.reduce((sum, { summary }) => sum + summary.ok, 0),
      n: own.reduce((sum, { summary }) => sum + summary.total - summary.failedProber, 0),
      first: Math.min(...own.map(({ slot }) => slot)) * 1_000,
    }))
    .filter(({ n }) => n >= LEAST_RESULTS);
  const down = measured.filter(({ ok }) => ok === 0);
  return {
    measured: new Set(measured.flatMap(({ place }) => place?.id ?? [])),
    silentSince: new Date(from * 1_000),
    down: down.flatMap(({ place }) => place ?? []),
    onsetAt: new Date(Math.min(...down.map(({ first }) => first), now.getTime())),
  };
}

type Finding = {
  key: string;
  target: RuleTarget;
  down: VantageLabels[];
  onsetAt: Date;
  now: Date;
  measured: number;
  silent: string[];
};

function brokenOf({ key, target, down, onsetAt, now, measured, silent }: Finding): Broken {
  const cells = down.map(({ id, region, carrier }) =>
    cellOf({ targetId: target.id, vantageId: id, region, carrier, kind: 'down', at: now, changeAt: onsetAt }),
  );
  const evidence = {
    vantagesDown: down.length,
    vantagesMeasured: measured,
    vantagesExpected: measured + silent.length,
    vantagesSilent: silent.slice(0, MOST_NAMED),
  };
  return { key, cells, metric: null, onsetAt, evidence, demo: target.demo };
}
