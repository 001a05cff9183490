import { quietSeconds } from '#analysis/detection/parameters.ts';
import type { ExplainedWhere } from '#contract/explanation.ts';
import type { Location } from '#contract/extent.ts';
import type { Impact, Incident } from '#contract/incident.ts';
import { affectedBy, subCauseOf } from '#contract/incident-parts.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { markerRange } from './candidates.ts';
import { counterfactualIn } from './counterfactual.ts';
import { peakOf } from './effect.ts';
import { failureIn } from './failure.ts';
import { measuredAt } from './impact.ts';
import { costOf, nextOf, overAt, stateOf } from './life.ts';
import { type Lowered, loweredAt, notUsefulOf } from './sensitivity.ts';
import type { IncidentRecord } from './stored-incident.ts';

type Names = {
  targets: Map<string, string>;
  vantages: Map<string, string>;
  rules: Map<string, string>;
  /** Where each target is measured. */
  measured: Map<string, Location[]>;
};

/** Incidents as the API shows them, with the names that things have now. */
export async function presentIncidents(
  db: Prisma.TransactionClient,
  records: IncidentRecord[],
  now = new Date(),
): Promise<Incident[]> {
  if (records.length === 0) return [];
  const known = { names: await namesOf(db, records), lowered: await loweredAt(db, now), now };
  return records.map((record) => present(record, known));
}

type Known = { names: Names; lowered: readonly Lowered[]; now: Date };

async function namesOf(db: Prisma.TransactionClient, records: IncidentRecord[]): Promise<Names> {
  const cells = records.flatMap((record) => record.cells);
  const select = { id: true, name: true };
  const idsOf = (ids: (string | null)[]) => ({ id: { in: [...new Set(ids)].filter((id) => id !== null) } });
  const targets = await db.target.findMany({
    where: idsOf([...cells.map(({ targetId }) => targetId), ...records.map(({ targetId }) => targetId)]),
    select,
  });
  const vantages = await db.vantage.findMany({ where: idsOf(cells.map(({ vantageId }) => vantageId)), select });
  const rules = await db.alertRule.findMany({ where: idsOf(records.map(({ ruleId }) => ruleId)), select });
  const byId = (rows: { id: string; name: string }[]) => new Map(rows.map(({ id, name }) => [id, name]));
  const measured = await measuredAt(
    db,
    targets.map(({ id }) => id),
  );
  return { targets: byId(targets), vantages: byId(vantages), rules: byId(rules), measured };
}

function present(record: IncidentRecord, { names, lowered, now }: Known): Incident {
  const { targets, vantages, rules, measured } = names;
  const quietSince = quietSinceOf(record);
  const over = overAt(record);
  const markers = markerRange(record);
  const closesAt = quietSince && new Date(quietSince.getTime() + quietSeconds * 1_000);
  const nameIn = (known: Map<string, string>, id: string | null) => (id === null ? null : (known.get(id) ?? null));
  const cells = record.cells.map((cell) => ({
    ...cell,
    targetName: nameIn(targets, cell.targetId),
    vantageName: nameIn(vantages, cell.vantageId),
    variant: cell.variant ?? ('main' as const),
  }));
  const where = [...new Set(cells.map((cell) => cell.targetId ?? ''))].flatMap((id) => measured.get(id) ?? []);
  const affected = affectedBy(cells, record.metric, where);
  return {
    id: record.id,
    kind: record.kind,
    state: stateOf(record, quietSince),
    status: record.status,
    resolution: record.resolution,
    severity: record.severity,
    ruleId: record.ruleId,
    ruleName: nameIn(rules, record.ruleId),
    metric: record.metric,
    targetId: record.targetId,
    targetName: nameIn(targets, record.targetId),
    carrier: record.carrier,
    region: record.region,
    cause: record.cause,
    subCause: subCauseOf(record),
    explanation: namedExplanation(explanationOf(record), targets),
    counterfactual: counterfactualIn(record, affected),
    candidates: record.candidates,
    cells,
    affected,
    evidence: record.evidence,
    failure: failureIn(record),
    openedAt: record.openedAt.toISOString(),
    onsetAt: record.onsetAt.toISOString(),
    markersFrom: markers.from.toISOString(),
    markersTo: markers.to.toISOString(),
    acknowledgedAt: record.acknowledgedAt?.toISOString() ?? null,
    acknowledgedBy: record.acknowledgedBy,
    quietSince: quietSince?.toISOString() ?? null,
    closesAt: closesAt?.toISOString() ?? null,
    next: nextOf(record, closesAt),
    resolvedAt: record.resolvedAt?.toISOString() ?? null,
    overAt: over?.toISOString() ?? null,
    reopened: record.reopened,
    effectMs: record.effectMs,
    effectRatio: record.effectRatio,
    peakMs: peakOf(record.cells),
    impact: impactIn(record),
    silenced: record.silenced,
    flapping: record.flapping,
    demo: record.demo,
    mergedInto: record.mergedInto,
    heldUntil: record.heldUntil?.toISOString() ?? null,
    standingSince: record.standingSince?.toISOString() ?? null,
    cost: record.standingSince === null ? null : costOf(record, over ?? record.resolvedAt ?? now),
    resolvedBy: record.resolvedBy,
    splitFrom: record.splitFrom,
    notUseful: notUsefulOf(lowered, record),
  };
}

/** What is stored of an incident's impact. */
export function impactIn({
  userShare: share,
  excessMs,
}: Pick<IncidentRecord, 'userShare' | 'excessMs'>): Impact | null {
  if (share === null) return null;
  return { share, excessMs, weightedMs: excessMs === null ? null : share * excessMs };
}

/**
 * What an excess is made of, as parts of the incident's own effect where both are of one metric: an incident has one effect. What went
 * the other way meanwhile is taken off the parts, each by its share, so that they add up and none is negative.
 */
function explanationOf({ explanation, metric, effectMs }: IncidentRecord): Incident['explanation'] {
  if (!explanation) return null;
  const excessMs =
    explanation.metric === metric && effectMs !== null && Math.sign(effectMs) === Math.sign(explanation.excessMs)
      ? effectMs
      : explanation.excessMs;
  const grown = explanation.parts.filter(({ share }) => share > 0);
  const all = grown.reduce((sum, { share }) => sum + share, 0);
  const parts = grown.map(({ code, share }) => ({ code, share: share / all, ms: (share / all) * excessMs }));
  return { ...explanation, excessMs, parts };
}

/** Targets in what it is limited to, by their names. */
function namedExplanation(explanation: Incident['explanation'], targets: Names['targets']): Incident['explanation'] {
  if (!explanation?.where) return explanation;
  const named = (each: ExplainedWhere['fixed'][number]) =>
    each.dimension === 'target' ? { ...each, values: each.values.map((id) => targets.get(id) ?? id) } : each;
  const { fixed, spared, explains } = explanation.where;
  return { ...explanation, where: { fixed: fixed.map(named), explains, spared: spared.map(named) } };
}

/** Since when a spike that is not over has been quiet at every cell that has not recovered; null where it is not. */
export function quietSinceOf({ kind, status, cells }: Pick<IncidentRecord, 'kind' | 'status' | 'cells'>): Date | null {
  if (kind !== 'spike' || status === 'resolved') return null;
  const since = cells.filter(({ recoveredAt }) => recoveredAt === null).map(({ quietSince }) => quietSince);
  const known = since.filter((instant) => instant !== null);
  if (known.length === 0 || known.length < since.length) return null;
  return new Date(Math.max(...known.map((instant) => Date.parse(instant))));
}
