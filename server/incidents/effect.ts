import type { IncidentRecord, StoredCell } from './row.ts';

type Effect = Pick<IncidentRecord, 'effectMs' | 'effectRatio'>;

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
  const differences = telling(cells).flatMap(({ beforeMs, afterMs }) =>
    beforeMs === null || afterMs === null ? [] : { ms: afterMs - beforeMs, ratio: afterMs / beforeMs - 1 },
  );
  return {
    effectMs: middleOf(differences.map(({ ms }) => ms)),
    effectRatio: middleOf(differences.map(({ ratio }) => ratio).filter(Number.isFinite)),
  };
}

/** TLS time is what it is all about; another phase counts where that did not move. Shares of failures are no times. */
function telling(cells: readonly StoredCell[]): StoredCell[] {
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
