import { extentOf, type Location, sumOf } from './extent.ts';
import type { IncidentFailure } from './failure.ts';
import type { Affected, Incident, IncidentCell } from './incident.ts';
import { medianOf } from './median.ts';
import { isShare } from './vocabulary.ts';

/** Cells as far as sums are made of them; names are there where they are known. */
export type AffectedCell = Pick<
  IncidentCell,
  'targetId' | 'vantageId' | 'region' | 'carrier' | 'metric' | 'beforeMs' | 'afterMs' | 'recoveredAt'
> &
  Partial<Pick<IncidentCell, 'targetName' | 'vantageName' | 'variant' | 'resumedBefore' | 'resumedAfter'>>;

/** What is known of an incident that is not over, without the names of things. */
export type OpenIncident = Pick<
  Incident,
  | 'id'
  | 'kind'
  | 'status'
  | 'standingSince'
  | 'heldUntil'
  | 'severity'
  | 'metric'
  | 'cause'
  | 'evidence'
  | 'onsetAt'
  | 'effectMs'
  | 'effectRatio'
  | 'impact'
> & {
  targetId: string | null;
  cells: (Omit<IncidentCell, 'targetName' | 'vantageName' | 'variant'> & Partial<Pick<IncidentCell, 'variant'>>)[];
  failure: IncidentFailure | null;
};

/** What can be said of an incident (`describeIncident`), in no language yet. */
export type Described = Pick<
  Incident,
  'kind' | 'metric' | 'cause' | 'failure' | 'evidence' | 'onsetAt' | 'effectMs' | 'effectRatio' | 'affected'
> &
  Partial<Pick<Incident, 'resolution' | 'quietSince' | 'subCause'>>;

/** The same of an open incident as far as it concerns one target, with what orders a list of them. */
export type IncidentParts = Described & {
  id: string;
  acknowledged: boolean;
  /** Large, lasting and not accepted: known for days. */
  standing: boolean;
  heldUntil: Incident['heldUntil'];
  severity: Incident['severity'];
  impact: Incident['impact'];
  /** Where the target is affected. */
  places: Location[];
};

/** Names of so many targets or vantages are told; of more, their number. */
const MAX_NAMES = 3;

/**
 * Sums up what these cells affect: those that have not recovered, or all where all have. `measured` is where their targets
 * are measured; levels are those of the incident's metric.
 */
export function affectedBy(
  cells: readonly AffectedCell[],
  metric: string | null,
  measured: readonly Location[],
): Affected {
  const lasting = lastingOf(cells);
  // Before and after are of the same cells.
  const levels = levelsOf(lasting, metric).filter(({ beforeMs, afterMs }) => beforeMs !== null && afterMs !== null);
  const targets = namesById(lasting.map(({ targetId, targetName }) => [targetId, targetName]));
  const vantages = namesById(lasting.map(({ vantageId, vantageName }) => [vantageId, vantageName]));
  const extent = extentOf(placesOf(lasting), measured);
  const where = extent ? sumOf(extent) : { everywhere: false, spared: [], regions: 0, provinces: false, carriers: [] };
  return {
    targets: targets.size,
    targetNames: shortList(targets),
    vantages: vantages.size,
    vantageNames: shortList(vantages),
    series: new Set(lasting.map(({ targetId, vantageId }) => `${targetId} ${vantageId}`)).size,
    ...where,
    before: medianOf(levels.flatMap(({ beforeMs }) => beforeMs ?? [])),
    after: medianOf(levels.flatMap(({ afterMs }) => afterMs ?? [])),
    full: fullOf(lasting),
  };
}

/** From so much on a share of full handshakes has moved, and is told. */
const SHARE_MOVED = 0.15;

/** How many handshakes were full, not resumed, before and since, where that moved: the means of the cells that know both. */
function fullOf(cells: readonly AffectedCell[]): Affected['full'] {
  const known = cells.flatMap(({ metric, resumedBefore: before, resumedAfter: after }) =>
    metric === 'tls' && before != null && after != null ? [{ before, after }] : [],
  );
  if (known.length === 0) return null;
  const mean = (side: 'before' | 'after') => known.reduce((sum, each) => sum + each[side], 0) / known.length;
  const full = { before: 1 - mean('before'), after: 1 - mean('after') };
  return Math.abs(full.after - full.before) > SHARE_MOVED ? full : null;
}

/** The cells that what is said of an incident is of: those that have not recovered, or all where all have. */
export const lastingOf = <C extends Pick<AffectedCell, 'recoveredAt'>>(cells: readonly C[]): readonly C[] => {
  const lasting = cells.filter(({ recoveredAt }) => recoveredAt === null);
  return lasting.length > 0 ? lasting : cells;
};

function levelsOf<C extends AffectedCell>(cells: readonly C[], metric: string | null): readonly C[] {
  const own = cells.filter((cell) => cell.metric === metric);
  const full = own.filter(({ variant }) => variant !== 'resumed');
  return full.length > 0 ? full : own.length > 0 ? own : cells;
}

/** The ids of things, each with its name as far as it has one. */
function namesById(pairs: [id: string | null, name: string | null | undefined][]): Map<string, string | null> {
  return new Map(pairs.flatMap(([id, name]) => (id === null ? [] : [[id, name ?? null] as const])));
}

/** All names, where they are few and all known; else none. */
function shortList(names: ReadonlyMap<string, string | null>): string[] {
  const known = [...names.values()].filter((name) => name !== null);
  return known.length === names.size && known.length <= MAX_NAMES ? known.toSorted() : [];
}

function placesOf(cells: readonly Pick<AffectedCell, 'region' | 'carrier'>[]): Location[] {
  const places = new Map<string, Location>();
  for (const { region, carrier } of cells)
    if (region !== null && carrier !== null) places.set(`${region} ${carrier}`, { region, carrier });
  return [...places.values()];
}

/**
 * The parts of the sentence about an incident, as far as it concerns one target that is measured at `measured`. Cells that have
 * recovered are left out while others have not.
 */
export function incidentParts(incident: OpenIncident, targetId: string, measured: readonly Location[]): IncidentParts {
  const { id, kind, metric, status, standingSince, severity, evidence, failure, cause, onsetAt } = incident;
  const cells = lastingOf(incident.cells.filter((cell) => cell.targetId === targetId));
  return {
    id,
    kind,
    metric,
    acknowledged: status === 'acknowledged',
    standing: standingSince !== null,
    heldUntil: incident.heldUntil,
    severity,
    impact: incident.impact,
    affected: affectedBy(cells, metric, measured),
    places: placesOf(cells),
    ...effectOf(incident, levelsOf(cells, metric)),
    evidence,
    failure,
    onsetAt,
    quietSince: quietSinceOf(cells),
    cause,
    subCause: subCauseOf({ cause, cells }),
  };
}

/** What of the handshake it is; null where nothing more is known than the cause. */
export function subCauseOf({
  cause,
  cells,
}: {
  cause: Incident['cause'];
  cells: readonly { metric: string | null; variant?: IncidentCell['variant'] }[];
}): Incident['subCause'] {
  if (cause !== 'tls' || cells.length === 0) return null;
  const isResumption =
    cells.some(({ metric }) => metric === 'refused') || cells.every(({ variant }) => variant === 'resumed');
  return isResumption ? 'resumption' : null;
}

function quietSinceOf(cells: readonly OpenIncident['cells'][number][]): string | null {
  const known = cells.flatMap(({ quietSince }) => quietSince ?? []).sort();
  return known.length === cells.length ? (known.at(-1) ?? null) : null;
}

/** An incident of this target alone has its effect measured; of one of many, the target's own series say it. */
function effectOf({ targetId, effectMs, effectRatio }: OpenIncident, levels: readonly AffectedCell[]) {
  if (targetId !== null) return { effectMs, effectRatio };
  const known = levels.flatMap(({ beforeMs, afterMs, metric }) =>
    beforeMs === null || afterMs === null || isShare(metric) ? [] : { beforeMs, afterMs },
  );
  return {
    effectMs: medianOf(known.map(({ beforeMs, afterMs }) => afterMs - beforeMs)),
    effectRatio: medianOf(known.flatMap(({ beforeMs, afterMs }) => (beforeMs > 0 ? [afterMs / beforeMs - 1] : []))),
  };
}

/** What of an incident says how urgent it is. */
export type Urgency = Pick<
  IncidentParts,
  'acknowledged' | 'quietSince' | 'standing' | 'severity' | 'impact' | 'affected' | 'effectMs' | 'onsetAt'
>;

/** What of an incident says whether somebody should look at it. */
export type Look = Pick<IncidentParts, 'acknowledged' | 'standing' | 'quietSince' | 'heldUntil' | 'severity'>;

/**
 * Whether somebody should look at it at `now` (ms): it is new, not acknowledged, not about to close, more than a notice, and no single
 * series that is not notified yet. Everything that counts or marks what needs attention asks this.
 */
export const needsLook = ({ acknowledged, standing, quietSince, heldUntil, severity }: Look, now: number): boolean =>
  !acknowledged && !standing && quietSince == null && severity !== 'info' && !isHeld({ heldUntil }, now);

/** Whether it is a single series, which is not notified yet. */
export const isHeld = ({ heldUntil }: Pick<Incident, 'heldUntil'>, now: number): boolean =>
  heldUntil !== null && Date.parse(heldUntil) > now;

const SEVERITY = { critical: 2, warning: 1, info: 0 } as const;

/**
 * Orders what needs a look: what is not acknowledged, what is new before what stands, and that before what is back to normal and
 * about to close; by severity, impact, vantages, effect; then the oldest.
 */
export function byUrgency(a: Urgency, b: Urgency): number {
  return (
    Number(a.acknowledged) - Number(b.acknowledged) ||
    Number(a.quietSince != null) - Number(b.quietSince != null) ||
    Number(a.standing) - Number(b.standing) ||
    SEVERITY[b.severity] - SEVERITY[a.severity] ||
    Math.abs(b.impact?.weightedMs ?? 0) - Math.abs(a.impact?.weightedMs ?? 0) ||
    b.affected.vantages - a.affected.vantages ||
    Math.abs(b.effectMs ?? 0) - Math.abs(a.effectMs ?? 0) ||
    Date.parse(a.onsetAt) - Date.parse(b.onsetAt)
  );
}

/** Of the cells of one series that which is told: of the incident's metric, of full handshakes before resumed ones. */
export function cellTold<C extends AffectedCell>(cells: readonly C[], metric: string | null): C | undefined {
  const own = cells.filter((cell) => cell.metric === metric);
  return own.find(({ variant }) => variant !== 'resumed') ?? own[0] ?? cells[0];
}
