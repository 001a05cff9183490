import { commonCellMembers, commonReference, commonReferenceLeast, commonSlots, commonWindow } from '../parameters.ts';
import { heightOf, known, type Levels, residualsOf, shapeSpread } from '../series/levels.ts';
import type { SeriesState } from '../series/series.ts';
import { meanOf, medianOf } from '../statistics.ts';

/**
 * How far a series is from the level of its last day, less its daily shape, as logarithms: first over the newest half hours
 * together, then in each of `commonSlots`, newest first; NaN where nothing was measured. `spread` is how far the shape may be off there or
 * in the hours before, which may be an evening as well as these, and `height` how high it is.
 */
export type Moved = {
  index: number;
  target: string;
  carrier: string;
  values: Float64Array;
  spread: number;
  height: number;
};

/** The series of one target at one carrier, and the medians of what they moved by. */
type Cell = { target: string; carrier: string; members: Moved[]; values: Float64Array };

/** A target, a carrier, or one at the other. `moved` is beyond what siblings moved by where there are any. */
export type Node = {
  key: string;
  kind: 'target' | 'carrier' | 'cell';
  members: Moved[];
  moved: Float64Array;
  /** Whether siblings of the same carrier are among them: evenings are not the node's own then. */
  sharesEvenings: boolean;
  /** What each of its cells moved by itself. */
  parts: number[];
};

/** Null where too little is known, or nothing of the newest half hours. `since` is the first slot of its present level. */
export function movedOf(series: SeriesState, index: number, levels: Levels, since: number): Moved | null {
  const from = levels.now + 1 - commonReference - commonWindow;
  const own = { ...levels, since: Math.max(levels.since, since) };
  const all = residualsOf(own, 'mean', from, levels.now + 1, 'calm');
  const newest = known(all.subarray(commonReference));
  const before = known(all.subarray(0, commonReference));
  if (newest.length < commonWindow || before.length < commonReferenceLeast) return null;
  const level = medianOf(before);
  const values = new Float64Array(1 + commonSlots);
  values[0] = meanOf(newest) - level;
  for (let age = 0; age < commonSlots; age++) values[1 + age] = (all[all.length - 1 - age] as number) - level;
  const newestFrom = levels.now + 1 - commonWindow;
  const largest = (of: typeof heightOf) =>
    Math.max(of(levels, from, newestFrom), of(levels, newestFrom, levels.now + 1));
  const [spread, height] = [largest(shapeSpread), largest(heightOf)];
  const { target, carrier, country } = series.id;
  return { index, target, carrier: `${country}\n${carrier}`, values, spread, height };
}

export function cellsOf(moved: readonly Moved[]): Cell[] {
  const cells = Map.groupBy(moved, ({ target, carrier }) => `${target}\n${carrier}`);
  return [...cells.values()]
    .filter((members) => members.length >= commonCellMembers)
    .map((members) => ({
      target: (members[0] as Moved).target,
      carrier: (members[0] as Moved).carrier,
      members,
      values: mediansOf(members.map(({ values }) => values)),
    }));
}

/** Targets and carriers first, the larger before the smaller, then what is of one target at one carrier. */
export function nodesOf(cells: readonly Cell[]): Node[] {
  const whole = (['target', 'carrier'] as const).flatMap((kind) => {
    const across = kind === 'target' ? 'carrier' : 'target';
    return [...Map.groupBy(cells, (cell) => cell[kind])].map(([name, own]) =>
      nodeOf(`${kind}\n${name}`, kind, own, (cell) =>
        cells.filter((other) => other[across] === cell[across] && other[kind] !== name),
      ),
    );
  });
  whole.sort((a, b) => b.members.length - a.members.length);
  const single = cells.map((cell) => {
    const besides = cells.filter((other) => other.carrier === cell.carrier && other !== cell);
    const siblings =
      besides.length > 0 ? besides : cells.filter((other) => other.target === cell.target && other !== cell);
    return nodeOf(`cell\n${cell.target}\n${cell.carrier}`, 'cell', [cell], () => siblings);
  });
  return [...whole, ...single];
}

/** `siblingsOf` a cell share its other circumstances: what they have in common, an evening or a prober's, is not the node's own. */
function nodeOf(key: string, kind: Node['kind'], own: readonly Cell[], siblingsOf: (cell: Cell) => Cell[]): Node {
  const parts = own.map((cell) => {
    const siblings = siblingsOf(cell);
    if (siblings.length === 0) return cell.values;
    const common = mediansOf(siblings.map(({ values }) => values));
    return cell.values.map((value, at) => value - (common[at] as number));
  });
  const moved = mediansOf(parts);
  const itself = mediansOf(own.map(({ values }) => values))[0] as number;
  const contrasted = own.every((cell) => siblingsOf(cell).length > 0);
  // Of two that moved apart, the one that is where it was has not changed.
  if (contrasted && !(itself / (moved[0] as number) >= 0.6)) moved.fill(0, 1);
  return {
    key,
    kind,
    members: own.flatMap(({ members }) => members),
    moved,
    sharesEvenings:
      kind !== 'carrier' && own.every((cell) => siblingsOf(cell).some(({ carrier }) => carrier === cell.carrier)),
    parts: own.map(({ values }) => values[0] as number),
  };
}

function mediansOf(rows: readonly Float64Array[]): Float64Array {
  const first = rows[0] as Float64Array;
  if (rows.length === 1) return Float64Array.from(first);
  return first.map((_, at) => medianOf(rows.map((row) => row[at] as number).filter((value) => !Number.isNaN(value))));
}
