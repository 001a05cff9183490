import { v7 as uuid } from 'uuid';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { invalidField } from '#server/environment/errors.ts';
import { type Batch, note } from './batch.ts';
import type { Detected } from './detected.ts';
import { metricOfAll, summaryOf } from './effect.ts';
import type { SeriesRef } from './measurements.ts';
import { notify, notifyUpdate } from './notify.ts';
import { onsetOf } from './onset.ts';
import { type IncidentRecord, recordOf, type StoredCell } from './stored-incident.ts';
import { markOutdated } from './update-timing.ts';

// A person may say that some series of an incident are another event. They become an incident of their own, which has the detector's names
// of the group as well: what the detector says later of those series goes there, and of all others to the first one.

const keyOf = ({ targetId, vantageId }: { targetId: string | null; vantageId: string | null }) =>
  `${targetId} ${vantageId}`;

/**
 * Makes an incident of some series of another one. Throws `invalid` for a series that the incident does not have, and where nothing that
 * goes on would be left on either side.
 */
export function splitIncident(
  batch: Batch,
  incident: IncidentRecord,
  series: readonly SeriesRef[],
  { by, text }: { by: string; text: string },
): IncidentRecord {
  const known = new Set(incident.cells.map(keyOf));
  const unknown = series.findIndex((each) => !known.has(keyOf(each)));
  if (unknown >= 0) throw invalidField(`cells.${unknown}`, 'is no series of this incident');
  const chosen = new Set(series.map(keyOf));
  const moved = incident.cells.filter((cell) => chosen.has(keyOf(cell)));
  const left = incident.cells.filter((cell) => !chosen.has(keyOf(cell)));
  if (!left.some(goesOn))
    throw invalidField('cells', 'leave nothing that goes on: resolve or merge the incident instead');
  if (!moved.some(goesOn)) throw invalidField('cells', 'are all over already: there is nothing to follow');

  const { now } = batch;
  const made: IncidentRecord = {
    ...incident,
    id: uuid({ msecs: now.getTime() }),
    kind: kindOf(incident, moved),
    status: 'open',
    cells: moved,
    ...summaryOf(moved),
    metric: metricOfAll(moved, incident.metric),
    onsetAt: onsetAmong(moved, incident),
    openedAt: now,
    acknowledgedAt: null,
    acknowledgedBy: null,
    reopened: 0,
    reopenedAt: null,
    lastEvent: null,
    notifiedAt: null,
    notifiedSeries: null,
    notifiedCause: null,
    notifiedSeverity: null,
    waitingSince: null,
    changedAt: null,
    heldUntil: null,
    splitFrom: incident.id,
  };
  Object.assign(incident, {
    cells: left,
    ...summaryOf(left),
    metric: metricOfAll(left, incident.metric),
    onsetAt: onsetAmong(left, incident),
  });
  batch.fresh.add(made.id);
  for (const each of [incident, made]) {
    // Of the series that it had; computed again within minutes.
    each.counterfactual = null;
    each.explanation = null;
    batch.incidents.set(each.id, each);
    batch.unexplained.add(each.id);
  }
  const cells = series.map(({ targetId, vantageId }) => ({ targetId, vantageId }));
  note(batch, incident.id, now, 'split', { text, params: { into: made.id, cells, by } });
  note(batch, made.id, now, 'split', { text, params: { from: incident.id, cells, by } });
  notify(batch, made);
  markOutdated(incident);
  notifyUpdate(batch, incident);
  return made;
}

const goesOn = ({ recoveredAt }: StoredCell) => recoveredAt === null;

/** A regression of which only spikes are split off leaves those spikes. */
function kindOf({ kind }: IncidentRecord, cells: readonly StoredCell[]): IncidentKind {
  return kind === 'regression' && cells.every((cell) => cell.kind === 'spike') ? 'spike' : kind;
}

const onsetAmong = (cells: readonly StoredCell[], { onsetAt }: IncidentRecord): Date =>
  cells.length === 0 ? onsetAt : onsetOf(cells).at;

/** The detections of the series that were split off belong to the new incident. Its row is there. */
export async function moveDetections(
  db: Prisma.TransactionClient,
  from: string,
  into: string,
  series: readonly SeriesRef[],
): Promise<void> {
  const targets = series.map(({ targetId }) => targetId);
  const vantages = series.map(({ vantageId }) => vantageId);
  await db.$executeRaw`update incident_detection set incident_id = ${into}::uuid
    where incident_id = ${from}::uuid and detection_id in (
      select d.id from detection d
      join unnest(${targets}::uuid[], ${vantages}::uuid[]) s (target_id, vantage_id) using (target_id, vantage_id))`;
}

/** What persons split off of these groups under a rule, with the series that it has. */
type Owner = Pick<IncidentRecord, 'id' | 'groups' | 'cells'>;

export async function splitIncidents(
  db: Prisma.TransactionClient,
  { id: ruleId }: { id: string },
  found: readonly Detected[],
): Promise<Owner[]> {
  if (found.length === 0) return [];
  const groups = [...new Set(found.map(({ group }) => group))];
  const rows = await db.incident.findMany({
    where: { ruleId, splitFrom: { not: null }, mergedInto: null, groups: { hasSome: groups } },
    orderBy: { id: 'desc' },
  });
  return rows.map(recordOf);
}

/** The incident that a person made of a detection's series; undefined where none was. */
export const ownerOf = (owners: readonly Owner[], { group, cell }: Detected): Owner | undefined =>
  owners.find(({ groups, cells }) => groups.includes(group) && cells.some((each) => keyOf(each) === keyOf(cell)));
