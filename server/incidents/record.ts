import type { RuleOf } from '#contract/alert-rule.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import type { Detected } from '../detection/detected.ts';
import { continueIncident, type Finding, openIncident, REOPEN_WITHIN_MS, resolveIncident } from './open.ts';
import { type IncidentRecord, lockIncidents, StoredCell, saveIncident } from './row.ts';
import { note } from './timeline.ts';

type Rule = RuleOf<'detector'>;

/** Makes incidents of new detections, under every rule that wants them, and ends regressions that were taken back. */
export async function recordDetections(
  db: Prisma.TransactionClient,
  found: Detected[],
  rules: Rule[],
  now: Date,
): Promise<void> {
  for (const rule of rules) {
    const wanted = found.filter((each) => wants(rule, each));
    const groups = Map.groupBy(wanted, ({ group, kind }) => `${group}\n${kind === 'improvement'}`);
    for (const same of groups.values()) await recordGroup(db, rule, same, now);
  }
  await endRegressions(db, found, now);
}

function wants(rule: Rule, { kind, metric, cell }: Pick<Detected, 'kind' | 'metric' | 'cell'>): boolean {
  const { targetIds, regions, carriers, params } = rule;
  return (
    params.kinds.includes(kind) &&
    (rule.metric === null || rule.metric === metric) &&
    (targetIds.length === 0 || targetIds.includes(cell.targetId)) &&
    (regions.length === 0 || (cell.region !== null && regions.includes(cell.region))) &&
    (carriers.length === 0 || (cell.carrier !== null && carriers.includes(cell.carrier)))
  );
}

/** Detections of one event and direction. */
async function recordGroup(db: Prisma.TransactionClient, rule: Rule, same: Detected[], now: Date): Promise<void> {
  const [first] = same;
  if (!first) return;
  const finding = findingOf(rule, same, first);
  const known = await incidentFor(db, finding);
  if (known) {
    await continueIncident(db, known, finding, now);
    await link(db, known.id, same);
    return;
  }
  // With a least number of cells the first ones waited, stored, until there are enough.
  const cells = rule.minCells > 1 ? await cellsSoFar(db, rule, first) : finding.cells;
  const places = new Set(cells.map(({ targetId, vantageId }) => `${targetId} ${vantageId}`));
  if (places.size < rule.minCells) return;
  const { id } = await openIncident(db, { ...finding, cells }, now);
  await link(db, id, same);
}

function findingOf(rule: Rule, same: Detected[], first: Detected): Finding {
  const lasting = same.find(({ kind }) => kind !== 'spike');
  const kind = lasting?.kind ?? 'spike';
  const metrics = new Set(same.map(({ metric }) => metric));
  return {
    ruleId: rule.id,
    severity: kind === 'improvement' ? 'info' : rule.severity,
    kind,
    groupKey: first.scope,
    groups: [first.group],
    metric: metrics.has('tls') ? 'tls' : first.metric,
    cause: (lasting ?? first).cause,
    onsetAt: new Date(Math.min(...same.map(({ changeAt }) => changeAt.getTime()))),
    at: new Date(Math.max(...same.map(({ at }) => at.getTime()))),
    cells: same.map(({ cell }) => cell),
    evidence: {},
    demo: same.every(({ demo }) => demo),
  };
}

/** The incident of the detector's group; else, for a spike, one about the same thing that has only just ended. */
async function incidentFor(db: Prisma.TransactionClient, finding: Finding): Promise<IncidentRecord | undefined> {
  const { ruleId, groups, groupKey, kind, at } = finding;
  const kinds = kind === 'improvement' ? ['improvement'] : ['spike', 'regression'];
  const since = new Date(at.getTime() - REOPEN_WITHIN_MS);
  const [same] = await lockIncidents(db, { ruleId, kind: { in: kinds }, groups: { hasSome: groups } });
  if (same || kind !== 'spike') return same;
  const ended = { status: 'resolved', resolvedAt: { gt: since } };
  return (await lockIncidents(db, { ruleId, kind: 'spike', groupKey, ...ended })).at(-1);
}

async function link(db: Prisma.TransactionClient, incidentId: string, same: Detected[]): Promise<void> {
  const groupKeys = [...new Set(same.map(({ group }) => group))];
  await db.detection.updateMany({
    where: { incidentId: null, groupKey: { in: groupKeys }, kind: { in: [...new Set(same.map(({ kind }) => kind))] } },
    data: { incidentId },
  });
}

/** The cells of all detections of a group so far that the rule wants. */
async function cellsSoFar(db: Prisma.TransactionClient, rule: Rule, first: Detected): Promise<StoredCell[]> {
  const rows = await db.detection.findMany({ where: { groupKey: first.group }, orderBy: { at: 'asc' } });
  const vantages = await db.vantage.findMany({
    where: { id: { in: rows.map(({ vantageId }) => vantageId) } },
    select: { id: true, region: true, carrier: true },
  });
  const places = new Map(vantages.map((vantage) => [vantage.id, vantage]));
  return rows.flatMap((row) => {
    const place = places.get(row.vantageId);
    const cell = StoredCell.parse({
      targetId: row.targetId,
      vantageId: row.vantageId,
      region: place?.region ?? null,
      carrier: place?.carrier ?? null,
      kind: row.kind,
      metric: row.metric,
      at: row.at.toISOString(),
      changeAt: row.changeAt.toISOString(),
      beforeMs: row.beforeMs,
      afterMs: row.afterMs,
      recoveredAt: null,
    });
    const { targetId, vantageId } = row;
    const isSameWay = (row.kind === 'improvement') === (first.kind === 'improvement');
    const seen = { kind: first.kind, metric: first.metric, cell: { ...cell, targetId, vantageId } };
    return isSameWay && wants(rule, seen) ? cell : [];
  });
}

/** A regression is over at a cell whose level comes down again, and altogether when all have. */
async function endRegressions(db: Prisma.TransactionClient, found: Detected[], now: Date): Promise<void> {
  const better = found.filter(({ kind }) => kind === 'improvement');
  if (better.length === 0) return;
  const open = await lockIncidents(db, { kind: 'regression', status: { not: 'resolved' } });
  for (const incident of open) {
    const recovered = better.filter(({ cell, changeAt }) =>
      incident.cells.some(
        (bad) =>
          bad.targetId === cell.targetId &&
          bad.vantageId === cell.vantageId &&
          bad.recoveredAt === null &&
          Date.parse(bad.changeAt) < changeAt.getTime(),
      ),
    );
    if (recovered.length > 0) await recover(db, incident, recovered, now);
  }
}

async function recover(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  better: Detected[],
  now: Date,
): Promise<void> {
  const at = new Date(Math.max(...better.map((each) => each.at.getTime())));
  incident.cells = incident.cells.map((bad) => {
    const end = better.find(({ cell }) => cell.targetId === bad.targetId && cell.vantageId === bad.vantageId);
    return end && bad.recoveredAt === null ? { ...bad, recoveredAt: end.changeAt.toISOString() } : bad;
  });
  const cells = better.map(({ cell: { targetId, vantageId } }) => ({ targetId, vantageId }));
  await note(db, incident.id, at, 'cell_recovered', { params: { cells } });
  if (incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    await resolveIncident(db, incident, now, { reason: 'rolled_back', at });
  else await saveIncident(db, incident);
}
