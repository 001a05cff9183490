import type { IncidentKind } from '#contract/incident.ts';
import type { StoredCell } from '#server/incidents/row.ts';

/** A cell that stands for a whole target: what is amiss is the same from everywhere. */
export function targetCell(targetId: string, kind: IncidentKind, now: Date): StoredCell {
  return {
    targetId,
    vantageId: null,
    region: null,
    carrier: null,
    kind,
    metric: null,
    at: now.toISOString(),
    changeAt: now.toISOString(),
    beforeMs: null,
    afterMs: null,
    recoveredAt: null,
  };
}
