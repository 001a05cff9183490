import { type Extent, extentOf, type Location } from './extent.ts';
import type { IncidentFailure } from './failure.ts';
import type { Incident, IncidentCell } from './incident.ts';

/** What is known of an incident that is not over, without the names of things. */
export type OpenIncident = Pick<
  Incident,
  'id' | 'kind' | 'status' | 'severity' | 'metric' | 'cause' | 'evidence' | 'onsetAt' | 'effectMs' | 'effectRatio'
> & {
  targetId: string | null;
  cells: Omit<IncidentCell, 'targetName' | 'vantageName'>[];
  failure: IncidentFailure | null;
};

/**
 * What one sentence says of an incident, in no language yet. `extent` is null where it is not about places; levels and the
 * effect are those of the metric (ms, or shares of failures: 0 to 1), null where it has none.
 */
export type IncidentParts = {
  id: string;
  kind: Incident['kind'];
  metric: string | null;
  acknowledged: boolean;
  severity: Incident['severity'];
  /** How many series, that is vantages of the target, are affected. */
  series: number;
  extent: Extent | null;
  effectMs: number | null;
  effectRatio: number | null;
  before: number | null;
  after: number | null;
  evidence: Record<string, unknown>;
  failure: IncidentFailure | null;
  since: string;
  /** Since when all of a spike has been as usual; null while it is not. */
  quietSince: string | null;
  cause: Incident['cause'];
};

/**
 * The parts of the sentence about an incident, as far as it concerns one target that is measured at `measured`; null: it is
 * about vantages. Cells that have recovered are left out while others have not.
 */
export function incidentParts(
  incident: OpenIncident,
  targetId: string | null,
  measured: readonly Location[],
): IncidentParts {
  const { id, kind, metric, status, severity, evidence, failure, cause } = incident;
  const own = incident.cells.filter((cell) => cell.targetId === targetId);
  const lasting = own.filter(({ recoveredAt }) => recoveredAt === null);
  const cells = lasting.length > 0 ? lasting : own;
  const told = cells.filter((cell) => cell.metric === metric);
  const levels = told.length > 0 ? told : cells;
  const before = medianOf(levels.flatMap(({ beforeMs }) => beforeMs ?? []));
  const after = medianOf(levels.flatMap(({ afterMs }) => afterMs ?? []));
  return {
    id,
    kind,
    metric,
    acknowledged: status === 'acknowledged',
    severity,
    series: new Set(cells.map(({ vantageId }) => vantageId)).size,
    extent: extentOf(affectedPlaces([{ ...incident, cells }], targetId), measured),
    ...effectOf(incident, levels),
    before,
    after,
    evidence,
    failure,
    since: incident.onsetAt,
    quietSince: quietSinceOf(cells),
    cause,
  };
}

function quietSinceOf(cells: OpenIncident['cells']): string | null {
  const known = cells.flatMap(({ quietSince }) => quietSince ?? []).sort();
  return known.length === cells.length ? (known.at(-1) ?? null) : null;
}

/** The places of a target at which one of these incidents is seen and is not over. */
export function affectedPlaces(incidents: readonly Pick<OpenIncident, 'cells'>[], targetId: string | null): Location[] {
  const places = new Map<string, Location>();
  for (const { cells } of incidents) {
    for (const { targetId: of, region, carrier } of cells)
      if (of === targetId && region !== null && carrier !== null)
        places.set(`${region} ${carrier}`, { region, carrier });
  }
  return [...places.values()];
}

/** An incident of this target alone has its effect measured; of one of many, the target's own series say it. */
function effectOf({ targetId, effectMs, effectRatio }: OpenIncident, levels: OpenIncident['cells']) {
  if (targetId !== null) return { effectMs, effectRatio };
  const known = levels.flatMap(({ beforeMs, afterMs, metric }) =>
    beforeMs === null || afterMs === null || metric === 'failures' ? [] : { beforeMs, afterMs },
  );
  return {
    effectMs: medianOf(known.map(({ beforeMs, afterMs }) => afterMs - beforeMs)),
    effectRatio: medianOf(known.flatMap(({ beforeMs, afterMs }) => (beforeMs > 0 ? [afterMs / beforeMs - 1] : []))),
  };
}

const SEVERITY = { critical: 2, warning: 1, info: 0 } as const;

/** Orders what needs a look: what nobody has acknowledged, by severity, series, effect; then the oldest. */
export function byUrgency(a: IncidentParts, b: IncidentParts): number {
  return (
    Number(a.acknowledged) - Number(b.acknowledged) ||
    SEVERITY[b.severity] - SEVERITY[a.severity] ||
    b.series - a.series ||
    Math.abs(b.effectMs ?? 0) - Math.abs(a.effectMs ?? 0) ||
    Date.parse(a.since) - Date.parse(b.since)
  );
}

/** The median; null of none. */
function medianOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return lower === undefined || upper === undefined ? null : (lower + upper) / 2;
}
