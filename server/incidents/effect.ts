import { lastingOf } from '#contract/incident-parts.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import { medianOf } from '#contract/median.ts';
import { isShare } from '#contract/vocabulary.ts';
import type { IncidentRecord, StoredCell } from './stored-incident.ts';

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

/** By how much things changed: the median of the cells that are counted. */
export function effectOf(cells: readonly StoredCell[]): Effect {
  const differences = countedCells(cells).flatMap((cell) => differenceOf(cell) ?? []);
  return {
    effectMs: medianOf(differences.map(({ ms }) => ms)),
    effectRatio: medianOf(differences.map(({ ratio }) => ratio).filter(Number.isFinite)),
  };
}

/**
 * The cells that an effect is of: of those that last, those that are large enough to be shown by themselves. A series may join a large event by a
 * small change, or by chance with one of the other sign, and says nothing of how large the event is. Where none is large enough,
 * those with the sign of their kind; without any of these all, and that is no event of its kind.
 */
function countedCells(cells: readonly StoredCell[]): StoredCell[] {
  const known = tellingCells(lastingOf(cells)).filter((cell) => differenceOf(cell) !== null);
  const large = known.filter((cell) => !isMeasured(cell.kind) || isLarge(cell.kind, differenceOf(cell)));
  if (large.length > 0) return large;
  const signed = known.filter(({ kind, beforeMs, afterMs }) => signOf(kind) * ((afterMs ?? 0) - (beforeMs ?? 0)) > 0);
  return signed.length > 0 ? signed : known;
}

const signOf = (kind: IncidentKind) => (kind === 'improvement' ? -1 : 1);

type Difference = { ms: number; ratio: number };

const differenceOf = ({ beforeMs, afterMs }: StoredCell): Difference | null =>
  beforeMs === null || afterMs === null ? null : { ms: afterMs - beforeMs, ratio: afterMs / beforeMs - 1 };

function isLarge(kind: MeasuredKind, difference: Difference | null): boolean {
  if (difference === null) return false;
  const { ratio, ms } = EFFECT_FLOORS[kind];
  return signOf(kind) * difference.ms >= ms && signOf(kind) * difference.ratio >= ratio;
}

/** By how many ms cells exceeded their level before at the peak (nine in ten results were below it): the median of the cells. */
export function peakOf(cells: readonly StoredCell[]): number | null {
  return medianOf(
    countedCells(cells).flatMap(({ beforeMs, peakMs = null }) =>
      beforeMs === null || peakMs === null ? [] : peakMs - beforeMs,
    ),
  );
}

/** Whether an effect has the sign of its kind and is large enough to be shown; true where it is not known, as for failures. `factor` raises the floors. */
export function isShown(kind: MeasuredKind, cells: readonly StoredCell[], factor = 1): boolean {
  // Of refused sessions it is the share that matters, however few ms each costs.
  if (cells.some(({ metric }) => metric === 'refused')) return true;
  const { effectMs: ms, effectRatio: ratio } = effectOf(cells);
  return ms === null || ratio === null || isLarge(kind, { ms: ms / factor, ratio: ratio / factor });
}

export const isMeasured = (kind: IncidentKind): kind is MeasuredKind => kind in EFFECT_FLOORS;

/**
 * TLS time is what it is all about, of full handshakes rather than of resumed ones; another phase counts where that did not move.
 * Shares of failures and of refused sessions are no times.
 */
export function tellingCells(cells: readonly StoredCell[]): StoredCell[] {
  const timed = cells.filter(({ metric }) => !isShare(metric));
  const tls = timed.filter(({ metric }) => metric === 'tls');
  const full = tls.filter(({ variant }) => variant === undefined);
  return full.length > 0 ? full : tls.length > 0 ? tls : timed;
}

/** What an incident of these cells is about: TLS time where full handshakes take longer, else sessions where these are refused. */
export function metricOfAll(cells: readonly StoredCell[], otherwise: string | null): string | null {
  if (cells.some(({ metric, variant }) => metric === 'tls' && variant === undefined)) return 'tls';
  return cells.find(({ metric }) => metric === 'refused')?.metric ?? otherwise;
}

/** The one value that all have, else null. */
function sameOf<T>(values: readonly (T | null)[]): T | null {
  const [first = null] = values;
  return values.every((value) => value === first) ? first : null;
}
