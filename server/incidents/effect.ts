import type { IncidentKind } from '#contract/incident.ts';
import type { IncidentRecord, StoredCell } from './row.ts';

// By how much things changed: the typical level while it lasts against the level before, of the same cells; and the peak.

type Effect = Pick<IncidentRecord, 'effectMs' | 'effectRatio'>;

/** What is smaller than either of these is in the series' log and on its charts, and no incident. */
export const EFFECT_FLOORS = {
  spike: { ratio: 0.2, ms: 9 },
  regression: { ratio: 0.05, ms: 3 },
  improvement: { ratio: 0.05, ms: 3 },
} as const;
export type MeasuredKind = keyof typeof EFFECT_FLOORS;

/** What follows from the cells of an incident: where it is, and by how much things changed. */
export function summaryOf(
  cells: readonly StoredCell[],
): Pick<IncidentRecord, 'targetId' | 'region' | 'carrier'> & Effect {
  return {
    targetId: sameOf(cells.map(({ targetId }) => targetId)),
    region: sameOf(cells.map(({ region }) => region)),
    carrier: sameOf(cells.map(({ carrier }) => carrier)),
    ...effectOf(cells),
  };
}

/** By how much things changed: the median of the cells. */
export function effectOf(cells: readonly StoredCell[]): Effect {
  const differences = tellingCells(cells).flatMap(({ beforeMs, afterMs }) =>
    beforeMs === null || afterMs === null ? [] : { ms: afterMs - beforeMs, ratio: afterMs / beforeMs - 1 },
  );
  return {
    effectMs: middleOf(differences.map(({ ms }) => ms)),
    effectRatio: middleOf(differences.map(({ ratio }) => ratio).filter(Number.isFinite)),
  };
}

/** By how many ms cells exceeded their level before at the peak (nine in ten results were below it): the median of the cells. */
export function peakOf(cells: readonly StoredCell[]): number | null {
  return middleOf(
    tellingCells(cells).flatMap(({ beforeMs, peakMs = null }) =>
      beforeMs === null || peakMs === null ? [] : peakMs - beforeMs,
    ),
  );
}

/** Whether an effect has the sign of its kind and is large enough to be shown; true where it is not known, as for failures. */
export function isShown(kind: MeasuredKind, cells: readonly StoredCell[]): boolean {
  const { effectMs, effectRatio } = effectOf(cells);
  if (effectMs === null || effectRatio === null) return true;
  const sign = kind === 'improvement' ? -1 : 1;
  const { ratio, ms } = EFFECT_FLOORS[kind];
  return sign * effectMs >= ms && sign * effectRatio >= ratio;
}

export const isMeasured = (kind: IncidentKind): kind is MeasuredKind => kind in EFFECT_FLOORS;

/** TLS time is what it is all about; another phase counts where that did not move. Shares of failures are no times. */
export function tellingCells(cells: readonly StoredCell[]): StoredCell[] {
  const timed = cells.filter(({ metric }) => metric !== 'failures');
  const tls = timed.filter(({ metric }) => metric === 'tls');
  return tls.length > 0 ? tls : timed;
}

/** The one value that all have, else null. */
function sameOf<T>(values: readonly (T | null)[]): T | null {
  const [first = null] = values;
  return values.every((value) => value === first) ? first : null;
}

function middleOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  return upper === undefined || lower === undefined ? null : (upper + lower) / 2;
}
