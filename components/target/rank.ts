import {
  byUrgency,
  type IncidentParts,
  incidentParts,
  needsLook,
  type OpenIncident,
} from '#contract/incident-parts.ts';
import { changeFromUsual, type TargetSummary } from '#contract/target-summary.ts';

/** What makes a target stand out beside its incidents: failures, no new results, or a threshold that it crossed. */
export type Trouble = 'failing' | 'stale' | 'slower' | 'slow';
/** `incidents` are those that go on, the most urgent first, and `look` says that this one needs a look. `urgent`: the target does. */
export type RankedTarget = {
  target: TargetSummary;
  incidents: IncidentParts[];
  look: boolean;
  trouble: Trouble[];
  urgent: boolean;
};

/** Below this availability a target is failing. */
const FAILING = 0.99;
/** Growth of the TLS P50 from what is usual, or where that is not known from yesterday, from which on a target is called slower. */
const SLOWER = 0.15;
/** Growth of the slowest location alone from which on a target is called slower, so that one bad carrier is not averaged away; and its fewest probes. */
const LOCATION_SLOWER = 0.3;
const LOCATION_PROBES = 10;
/** A TLS P95 beyond this many ms is slow whatever it was yesterday. */
const SLOW_MS = 500;

function troubleOf(target: TargetSummary): Trouble[] {
  const trouble: Trouble[] = [];
  if (target.availability !== null && target.availability < FAILING) trouble.push('failing');
  if (target.staleSince !== null) trouble.push('stale');
  if (isSlower(target)) trouble.push('slower');
  if ((target.p95 ?? 0) > SLOW_MS) trouble.push('slow');
  return trouble;
}

function isSlower(target: TargetSummary): boolean {
  const { changeVsYesterday, worst } = target;
  if ((changeFromUsual(target) ?? changeVsYesterday ?? 0) >= SLOWER) return true;
  return worst !== null && worst.n >= LOCATION_PROBES && (worst.change ?? 0) >= LOCATION_SLOWER;
}

/** Says whether an incident is about failures, as a target's own failures are. */
export const isOfFailures = ({ kind, metric }: Pick<IncidentParts, 'kind' | 'metric'>) =>
  kind === 'down' || metric === 'failures';

/** An incident that needs no look, since somebody has acknowledged it or it stands, accounts for the thresholds that it makes its target cross. */
function isUrgent(incidents: IncidentParts[], trouble: Trouble[]): boolean {
  return trouble.some((kind) => {
    if (kind === 'stale') return true;
    return !incidents.some((incident) => isOfFailures(incident) === (kind === 'failing'));
  });
}

/**
 * Those with an open incident first, the most urgent before the others; then the failing, those without new results, those
 * whose incidents were acknowledged, and those past a threshold; the rest by their time, those without data last. `open` are
 * the incidents that go on, by the targets' ids; `now` in ms.
 */
export function rankTargets(
  targets: TargetSummary[],
  now: number,
  open: ReadonlyMap<string, OpenIncident[]> = new Map(),
): RankedTarget[] {
  const weight = ({ trouble, incidents }: RankedTarget) =>
    (trouble.includes('failing') ? 16 : 0) +
    (trouble.includes('stale') ? 8 : 0) +
    (incidents.length > 0 ? 4 : 0) +
    (trouble.includes('slower') ? 2 : 0) +
    (trouble.includes('slow') ? 1 : 0);
  return targets
    .map((target): RankedTarget => {
      const own = (open.get(target.id) ?? []).map((incident) => incidentParts(incident, target.id, target.places));
      const [incidents, trouble] = [own.sort(byUrgency), troubleOf(target)];
      const look = incidents.some((incident) => needsLook(incident, now));
      return { target, incidents, look, trouble, urgent: look || isUrgent(incidents, trouble) };
    })
    .sort(
      (a, b) =>
        byWorst(a, b) ||
        weight(b) - weight(a) ||
        (a.target.availability ?? 1) - (b.target.availability ?? 1) ||
        (b.target.p50 ?? -1) - (a.target.p50 ?? -1),
    );
}

/** Why its probes fail, without what only probers got wrong. */
export const failuresOfTarget = ({ failures }: TargetSummary) => failures.filter(({ source }) => source !== 'prober');

/** Since when something is wrong with it (RFC 3339): its most urgent incident, a lack of results, or a level above its usual one. */
export function troubledSince({ incidents: [worst], target }: RankedTarget): string | null {
  return worst?.onsetAt ?? target.staleSince ?? target.slowerSince;
}

/** Rows of one page of the list of targets: hundreds at once would be megabytes, and readers do not read that far. */
export const LIST_ROWS = 100;

/**
 * The rows of a page from 1 on, as an address names it, the first for what is no page; the pages beside it, and how many rows
 * the next one has.
 */
export function listPage<Row>(rows: readonly Row[], page: string | undefined) {
  const wanted = /^[1-9]\d{0,5}$/.test(page ?? '') ? Number(page) : 1;
  const number = (wanted - 1) * LIST_ROWS < rows.length ? wanted : 1;
  const rest = rows.length - number * LIST_ROWS;
  return {
    shown: rows.slice((number - 1) * LIST_ROWS, number * LIST_ROWS),
    previous: number > 1 ? number - 1 : null,
    next: rest > 0 ? { page: number + 1, rows: Math.min(rest, LIST_ROWS) } : null,
  };
}

function byWorst(a: RankedTarget, b: RankedTarget): number {
  const [[first], [second]] = [a.incidents, b.incidents];
  if (!a.look || !b.look || !first || !second) return Number(b.look) - Number(a.look);
  return byUrgency(first, second);
}
