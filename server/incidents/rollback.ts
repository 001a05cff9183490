import { type Batch, note } from './batch.ts';
import type { Detected } from './detected.ts';
import { endIncident } from './open.ts';
import { type IncidentRecord, lockIncidents, type StoredCell } from './row.ts';

/**
 * Ends regressions at the cells whose level came down again, and altogether where all have; which improvements did so, and
 * of which incidents. These are no news of their own: who was told of the regression hears that it is over.
 */
export async function endRegressions(batch: Batch, found: Detected[]): Promise<Map<Detected, string[]>> {
  const takenBack = new Map<Detected, string[]>();
  const better = found.filter(({ kind }) => kind === 'improvement');
  if (better.length === 0) return takenBack;
  for (const incident of await lockIncidents(batch.db, { kind: 'regression', status: { not: 'resolved' } })) {
    const ends = better.filter((each) => incident.cells.some((bad) => isTakenBack(bad, each)));
    if (ends.length === 0) continue;
    recover(batch, incident, ends);
    for (const each of ends) takenBack.set(each, [...(takenBack.get(each) ?? []), incident.id]);
  }
  return takenBack;
}

/** A level that is nearer to what it was before the regression than to what it became is back. */
function isTakenBack(bad: StoredCell, { cell, changeAt }: Detected): boolean {
  if (bad.targetId !== cell.targetId || bad.vantageId !== cell.vantageId || bad.recoveredAt !== null) return false;
  if (Date.parse(bad.changeAt) >= changeAt.getTime()) return false;
  const { beforeMs, afterMs } = bad;
  if (beforeMs === null || afterMs === null || cell.beforeMs === null || cell.afterMs === null) return true;
  // By what it changed, not by its level: the hours of the day differ.
  return Math.log(cell.beforeMs / cell.afterMs) >= Math.log(afterMs / beforeMs) / 2;
}

function recover(batch: Batch, incident: IncidentRecord, better: Detected[]): void {
  const at = new Date(Math.max(...better.map((each) => each.at.getTime())));
  incident.cells = incident.cells.map((bad) => {
    const end = better.find((each) => isTakenBack(bad, each));
    return end ? { ...bad, recoveredAt: end.changeAt.toISOString() } : bad;
  });
  batch.incidents.set(incident.id, incident);
  const cells = better.map(({ cell: { targetId, vantageId } }) => ({ targetId, vantageId }));
  note(batch, incident.id, at, 'cell_recovered', { params: { cells } });
  if (incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    endIncident(batch, incident, { reason: 'rolled_back', at });
}
