import type { Measurement, MeasurementShare } from '#contract/measurement.ts';
import { endLink, makeLink } from '#server/access/share-links.ts';
import { readMeasurement } from './read.ts';

/** Makes the link of a measurement; an earlier one ends. The answer alone holds its token. Throws `not_found`. */
export async function shareMeasurement(id: string): Promise<MeasurementShare> {
  await readMeasurement(id);
  return await makeLink('measurement', id);
}

/** Ends the link of a measurement, where there is one. Throws `not_found`. */
export async function unshareMeasurement(id: string): Promise<void> {
  await readMeasurement(id);
  await endLink('measurement', id);
}

/**
 * A measurement whose vantages are their region and carrier; ids are numbers that hold within this answer alone. What a failure says in the
 * words of the prober's system is left out: it may name what is around the prober.
 */
export const withoutNames = (measurement: Measurement): Measurement => ({
  ...measurement,
  createdBy: '',
  vantages: measurement.vantages.map((each, index) => {
    const vantage = { ...each.vantage, id: String(index + 1), name: '' };
    const failure = each.result?.failure ? { ...each.result.failure, message: '' } : null;
    return { ...each, vantage, result: each.result && { ...each.result, vantage, failure } };
  }),
});
