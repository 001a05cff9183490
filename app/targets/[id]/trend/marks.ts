import { MAX_MARKS, type Mark, numberedMarks } from '#components/charts/marks.ts';
import type { Filter } from '#components/filters/filter.ts';
import type { Detection } from '#contract/detection.ts';
import { listDetections } from '#server/incidents/detections.ts';
import { incidentsBetween } from '#server/incidents/target-incidents.ts';
import { countMarkers, listMarkers } from '#server/markers/markers.ts';

type Range = Pick<Filter, 'from' | 'to' | 'regions' | 'carriers'>;

/** `hidden`: how many more there are than are shown. */
export type TargetMarks = { marks: Mark[]; hidden: number; notes: Detection[] };

/** More small changes than this are not shown: the API has them. */
const MAX_NOTES = 20;

/**
 * The markers of a target in a filter's range, and the changes that were found in it, or lasted into it, under the same
 * filter. `notes` are the latest of what was too small for an incident.
 */
export async function targetMarks(target: string, { from, to, regions, carriers }: Range): Promise<TargetMarks> {
  const range = { target, from, to };
  const [markers, { incidents, total }, notes] = await Promise.all([
    listMarkers({ ...range, limit: MAX_MARKS }),
    incidentsBetween({ ...range, limit: MAX_MARKS, region: regions, carrier: carriers }),
    listDetections({ ...range, limit: MAX_NOTES, incident: false, region: regions, carrier: carriers }),
  ]);
  const markerCount = markers.nextCursor === null ? markers.data.length : await countMarkers(range);
  const marks = numberedMarks(markers.data, incidents, Date.parse(from));
  return { marks, hidden: markerCount + total - marks.length, notes: notes.data };
}
