import { MAX_MEASUREMENT_VANTAGES, type MeasurementCreate, type MeasurementLocation } from '#contract/measurement.ts';
import { invalidField } from '#server/environment/errors.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';

type Selection = Pick<MeasurementCreate, 'vantageIds' | 'locations'>;

/**
 * The vantages of a selection in order of region and carrier: all that have a prober, or those of ids and locations; of a location with a
 * `limit` an even spread. Vantages of the demo measure its targets, and no others do. Throws `invalid` for an unknown id, a location
 * without a vantage, and more vantages than a measurement may have.
 */
export function chooseVantages(
  { vantageIds, locations }: Selection,
  all: readonly VantageLabels[],
  demo: boolean,
): VantageLabels[] {
  const able = ableVantages(all, demo);
  const chosen = new Set<VantageLabels>(vantageIds || locations ? [] : able);
  for (const [index, id] of (vantageIds ?? []).entries()) {
    const vantage = able.find((each) => each.id === id.toLowerCase());
    if (!vantage) throw invalidField(`vantageIds.${index}`, 'is not a vantage that can probe this URL');
    chosen.add(vantage);
  }
  for (const [index, location] of (locations ?? []).entries()) {
    const matching = able.filter((vantage) => isAt(vantage, location));
    if (matching.length === 0) throw invalidField(`locations.${index}`, 'selects no vantage that can probe this URL');
    for (const vantage of spread(matching, location.limit)) chosen.add(vantage);
  }
  if (chosen.size === 0) throw invalidField('vantageIds', 'is empty: no vantage can probe this URL');
  if (chosen.size > MAX_MEASUREMENT_VANTAGES)
    throw invalidField(
      'locations',
      `must have a limit: ${chosen.size} vantages are selected, and a measurement has at most ${MAX_MEASUREMENT_VANTAGES}`,
    );
  return [...chosen].sort(byLocation);
}

/** Those that a prober serves, of the demo or not, in order of region and carrier. */
export const ableVantages = (all: readonly VantageLabels[], demo: boolean): VantageLabels[] =>
  all.filter((vantage) => !vantage.deleted && vantage.proberId !== null && vantage.demo === demo).sort(byLocation);

/** At most `limit` of them, evenly from end to end. */
export function spread<T>(all: readonly T[], limit = all.length): T[] {
  const most = Math.min(limit, all.length);
  return Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)] as T);
}

const isAt = (vantage: VantageLabels, { country, region, carrier }: MeasurementLocation) =>
  (country === undefined || vantage.country === country) &&
  (region === undefined || vantage.region === region) &&
  (carrier === undefined || vantage.carrier === carrier);

const sortKey = ({ region, carrier, name, id }: VantageLabels) => [region, carrier, name, id].join('\n');
const byLocation = (a: VantageLabels, b: VantageLabels) => (sortKey(a) < sortKey(b) ? -1 : 1);
