import { MAX_MARKS, type Mark, numberedMarks } from '#components/charts/marks.ts';
import type { Filter } from '#components/filters/filter.ts';
import { listIncidents } from '#server/incidents/list.ts';
import { listMarkers } from '#server/markers.ts';

/** The markers of a target in a filter's range, and the changes that were found in it under the same filter. */
export async function targetMarks(target: string, { from, to, regions, carriers }: Filter): Promise<Mark[]> {
  const range = { target, from, to, limit: MAX_MARKS };
  const [markers, incidents] = await Promise.all([
    listMarkers(range),
    listIncidents({
      ...range,
      kind: ['spike', 'regression', 'improvement', 'threshold', 'down'],
      ...(regions.length > 0 ? { region: regions } : {}),
      ...(carriers.length > 0 ? { carrier: carriers } : {}),
    }),
  ]);
  return numberedMarks(markers.data, incidents.data);
}
