import { EXPLAINED_DIMENSIONS, type ExplainedDimension, type ExplainedWhere } from '#contract/explanation.ts';
import { medianOf } from '../detection/statistics.ts';
import type { Dimensions, Measurement, Sides } from './measurement.ts';

// Where the excess is: the fewest dimensions, three at most, of which some values together hold nine tenths of it and little else. What is
// compared are results of all series of the targets, also of those that are as usual, and of those that moved likewise without being
// of the incident; what is named holds its own series. A series' results of one address, certificate and so
// on are a unit; a unit is affected where its level moved like the incident's. All sets of up to three dimensions are tried: of each, the
// values are those of combinations that are mostly affected, and what all these values span must be mostly affected again.

/** Of the excess at least so much, and of what is named at least so much affected; of one combination of values, at least that. */
const EXPLAINS = 0.9;
const PRECISION = 0.8;
const MOSTLY = 0.6;
/** A unit is affected where it moved by so much of the incident's change, in ms or in the logarithm. */
const ALIKE = 0.5;
/** A value is spared where no more than this share of it is not as usual: moved by less than either of these. */
const SPARED = 0.1;
const USUAL = { ms: 3, ratio: 0.05 };
/** Results that a unit needs on either side: one alone names nothing, and spares nothing. */
const LEAST_RESULTS = 2;
/** Dimensions at once, values of a dimension that are named, and spared ones that are listed. */
const MOST_DIMENSIONS = 3;
const MOST_VALUES = 12;
const MOST_SPARED = 8;

/** Results of one series under the same settings; `weight` is how much of the series they are, `excess` their part of the excess. */
export type Unit = { dimensions: Dimensions; weight: number; affected: boolean; usual: boolean; excess: number };

/** The change of the incident: its level before, and by how much it moved, ms. */
type Change = { beforeMs: number; excessMs: number };

/** The units of all series, those of too few results left out. A level that was not seen under these settings is the series' own. */
export function unitsOf(all: readonly Sides[], { beforeMs, excessMs }: Change): Unit[] {
  const sign = Math.sign(excessMs);
  const ratio = Math.log((beforeMs + excessMs) / beforeMs);
  return all.flatMap(({ before, after }) => {
    const own = medianOf(before.map(({ ms }) => ms));
    if (before.length < LEAST_RESULTS) return [];
    const earlier = Map.groupBy(before, keyOf);
    return [...Map.groupBy(after, keyOf)].flatMap(([key, since]) => {
      const first = since[0] as Measurement;
      if (since.length < LEAST_RESULTS) return [];
      const known = earlier.get(key) ?? [];
      const usual = known.length >= LEAST_RESULTS ? medianOf(known.map(({ ms }) => ms)) : own;
      const now = medianOf(since.map(({ ms }) => ms));
      const alike = Math.max((now - usual) / excessMs, Math.log(now / usual) / ratio) >= ALIKE;
      const affected = alike && sign * (now - usual) > 0;
      const weight = since.length / after.length;
      const moved = Math.abs(now - usual);
      const isUsual = moved < USUAL.ms || moved < USUAL.ratio * usual;
      return {
        ...{ dimensions: first.dimensions, weight, affected, usual: isUsual && !affected },
        excess: affected ? weight * moved : 0,
      };
    });
  });
}

const keyOf = ({ dimensions }: Measurement) => EXPLAINED_DIMENSIONS.map((each) => dimensions[each] ?? '').join('\n');

/**
 * The smallest description of where the excess is, of an incident's own series and the others of its targets. Null where nothing of its
 * own is affected, or nothing singles out what is; no dimension at all where (nearly) everything is affected.
 */
export function whereOf(own: readonly Unit[], others: readonly Unit[] = []): ExplainedWhere | null {
  const units = [...own, ...others];
  if (excessOf(own) <= 0) return null;
  if (affectedShare(units) >= PRECISION) return { fixed: [], explains: 1, spared: [] };
  const differing = EXPLAINED_DIMENSIONS.filter((each) => new Set(units.map((unit) => valueIn(unit, each))).size > 1);
  for (let size = 1; size <= MOST_DIMENSIONS; size++) {
    const found = choicesOf(differing, size).flatMap((dimensions) => describedBy({ units, own }, dimensions) ?? []);
    // Sorting is stable: of equals the first dimensions stay first.
    const [best] = found.sort((a, b) => countOf(a) - countOf(b));
    if (best) return best;
  }
  return null;
}

/** What the values of these dimensions hold that are mostly affected; null where it is too little, or holds too much else. */
function describedBy(
  { units, own }: Record<'units' | 'own', readonly Unit[]>,
  dimensions: readonly ExplainedDimension[],
): ExplainedWhere | null {
  const combinations = [...Map.groupBy(units, (unit) => dimensions.map((each) => valueIn(unit, each)).join('\n'))];
  const mostly = combinations.flatMap(([, same]) => (affectedShare(same) >= MOSTLY ? same : []));
  if (mostly.length === 0) return null;
  const chosen = dimensions.map((dimension) => ({
    dimension,
    values: [...new Set(mostly.flatMap((unit) => valueIn(unit, dimension) ?? []))].sort(),
  }));
  if (chosen.some(({ values }) => values.length === 0 || values.length > MOST_VALUES)) return null;
  const isInside = (unit: Unit) => chosen.every((each) => holds(each, unit));
  const inside = units.filter(isInside);
  const explains = excessOf(inside) / excessOf(units);
  if (explains < EXPLAINS || affectedShare(inside) < PRECISION) return null;
  if (excessOf(own.filter(isInside)) < EXPLAINS * excessOf(own)) return null;
  // A dimension that leaves nothing out says nothing.
  const needed = chosen.every((one) =>
    units.some((unit) => !holds(one, unit) && chosen.every((each) => each === one || holds(each, unit))),
  );
  return needed ? { fixed: chosen, explains: Math.min(1, explains), spared: sparedOf(units, chosen) } : null;
}

type Fixed = ExplainedWhere['fixed'][number];

/** Values of the fixed dimensions that are as usual where all else is alike. */
function sparedOf(units: readonly Unit[], fixed: readonly Fixed[]): Fixed[] {
  return fixed.flatMap((one) => {
    const others = units.filter(
      (unit) => fixed.every((each) => each === one || holds(each, unit)) && !holds(one, unit),
    );
    const values = [...Map.groupBy(others, (unit) => valueIn(unit, one.dimension))].flatMap(([value, same]) =>
      value === undefined || shareOf(same, ({ usual }) => !usual) > SPARED ? [] : value,
    );
    return values.length === 0 ? [] : { dimension: one.dimension, values: values.sort().slice(0, MOST_SPARED) };
  });
}

const valueIn = ({ dimensions }: Unit, dimension: ExplainedDimension): string | undefined => dimensions[dimension];

const holds = ({ dimension, values }: Fixed, unit: Unit) => values.includes(valueIn(unit, dimension) ?? '');

const countOf = ({ fixed }: ExplainedWhere) => fixed.reduce((sum, { values }) => sum + values.length, 0);

const affectedShare = (units: readonly Unit[]) => shareOf(units, ({ affected }) => affected);

const shareOf = (units: readonly Unit[], is: (unit: Unit) => boolean) =>
  sumOf(units.filter(is), ({ weight }) => weight) / sumOf(units, ({ weight }) => weight);

const excessOf = (units: readonly Unit[]) => sumOf(units, ({ excess }) => excess);

const sumOf = (units: readonly Unit[], of: (unit: Unit) => number) => units.reduce((sum, unit) => sum + of(unit), 0);

/** All choices of `size` of them, in their order. */
function choicesOf<T>(all: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return all.flatMap((first, i) => choicesOf(all.slice(i + 1), size - 1).map((rest) => [first, ...rest]));
}
