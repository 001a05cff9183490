import { MAX_MARKS, type Mark, numberedMarks } from '#components/charts/marks.ts';
import type { Filter } from '#components/filters/filter.ts';
import { incidentsBetween } from '#server/incidents/target-incidents.ts';
import { countMarkers, listMarkers } from '#server/markers/markers.ts';

type Range = Pick<Filter, 'from' | 'to' | 'regions' | 'carriers'>;

/** `hidden`: how many more there are than are shown. */
export type TargetMarks = { marks: Mark[]; hidden: number };

/**
 * The markers of a target in a filter's range, and the changes that were found in it, or lasted into it, under the same
 * filter.
 */
export async function targetMarks(target: string, { from, to, regions, carriers }: Range): Promise<TargetMarks> {
  const range = { target, from, to };
  const [markers, markerCount, { incidents, total }] = await Promise.all([
    listMarkers({ ...range, limit: MAX_MARKS }),
    countMarkers(range),
    incidentsBetween({ ...range, limit: MAX_MARKS, region: regions, carrier: carriers }),
  ]);
  const marks = numberedMarks(markers.data, incidents, Date.parse(from));
  return { marks, hidden: markerCount + total - marks.length };
}
