import type { IncidentDetail, IncidentPatch } from '#contract/incident.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import { getPrisma } from '#server/database/database.ts';
import { notFound, ServiceError } from '#server/environment/errors.ts';
import { log } from '#server/environment/log.ts';
import { type Batch, beginBatch, note, writeBatch } from './batch.ts';
import { isMeasured } from './effect.ts';
import { getIncident } from './incidents.ts';
import { linkMerged, mergeIncidents } from './merge.ts';
import { endIncident } from './open.ts';
import { quietSinceOf } from './present.ts';
import { lowerSensitivity, notUsefulOf, restoreSensitivity } from './sensitivity.ts';
import { moveDetections, splitIncident } from './split.ts';
import { type IncidentRecord, lockIncidents } from './stored-incident.ts';

// What persons, and programs in their name, say of incidents. Each locks the row: of two at once one is told that it came too late.

type ByHand = { patch: IncidentPatch; by: string };
type Verb = (batch: Batch, incident: IncidentRecord, how: ByHand) => Promise<void>;

/**
 * Changes an incident in a person's name. Throws `not_found`; `conflict` where it does not go with what the incident is by now; `invalid`
 * for series or an incident that do not belong to it.
 */
export async function updateIncident(
  id: string,
  patch: IncidentPatch,
  by: string,
  now = new Date(),
): Promise<IncidentDetail> {
  const updated = await getPrisma().$transaction(async (db) => {
    const locked = await lockIncidents(db, { id: { in: [id, ...(patch.into ? [patch.into] : [])] } });
    const incident = locked.find((each) => each.id === id.toLowerCase());
    if (!incident) throw notFound('incident', id);
    const batch = await beginBatch(db, now);
    // What merge needs is locked with it, in the order of ids: two merges in opposite directions do not wait for each other.
    for (const each of locked) batch.incidents.set(each.id, each);
    await VERBS[patch.action](batch, incident, { patch, by });
    return await getIncident(id, db, now);
  });
  log.info({ incident: id, action: patch.action, by }, 'an incident was changed by hand');
  return updated;
}

const acknowledge: Verb = async (batch, incident, { patch, by }) => {
  if (incident.status !== 'open') throw already(incident);
  Object.assign(incident, { status: 'acknowledged', acknowledgedAt: batch.now, acknowledgedBy: by });
  note(batch, incident.id, batch.now, 'acknowledged', { text: patch.note, params: { by } });
  await writeBatch(batch);
};

const resolve: Verb = async (batch, incident, { patch, by }) => {
  if (incident.status === 'resolved') throw already(incident);
  endIncident(batch, incident, { reason: 'by_hand', by, text: patch.note });
  await writeBatch(batch);
};

/** What has a level that may be the new normal. */
const ACCEPTABLE: readonly IncidentKind[] = ['regression', 'spike', 'threshold'];

const accept: Verb = async (batch, incident, { patch, by }) => {
  if (!ACCEPTABLE.includes(incident.kind))
    throw conflict(
      `An incident of the kind ${incident.kind} has no level that could be the new normal: resolve it, or change its rule.`,
    );
  if (incident.status === 'resolved') throw already(incident);
  const quietSince = quietSinceOf(incident);
  if (quietSince)
    throw conflict(
      `The incident ${incident.id} is back to normal since ${quietSince.toISOString()}: there is no new level to accept.`,
    );
  endIncident(batch, incident, { reason: 'by_person', by, text: patch.note });
  await writeBatch(batch);
};

const notUseful: Verb = async (batch, incident, { patch, by }) => {
  const { id, kind, ruleId } = incident;
  if (!isMeasured(kind))
    throw conflict(`Incidents of the kind ${kind} follow their rule alone: change the rule instead.`);
  if (ruleId === null) throw conflict(`The rule of the incident ${id} is gone.`);
  if (incident.mergedInto !== null) throw already(incident);
  if (notUsefulOf(batch.lowered, incident) !== null) throw conflict(`The incident ${id} is called not useful already.`);
  const until = await lowerSensitivity(batch.db, { ...incident, ruleId }, by, batch.now);
  note(batch, id, batch.now, 'not_useful', { text: patch.note, params: { by, until: until.toISOString() } });
  if (incident.status !== 'resolved') endIncident(batch, incident, { reason: 'not_useful', by });
  await writeBatch(batch);
};

const undoNotUseful: Verb = async (batch, incident, { patch, by }) => {
  if (!(await restoreSensitivity(batch.db, incident.id, batch.now)))
    throw conflict(`The incident ${incident.id} is not called not useful, or it no longer holds.`);
  note(batch, incident.id, batch.now, 'not_useful', { text: patch.note, params: { by, undone: true } });
  await writeBatch(batch);
};

const merge: Verb = async (batch, incident, { patch, by }) => {
  const { into: other = '' } = patch;
  const into = batch.incidents.get(other);
  if (!into) throw notFound('incident', other, 'into');
  if (into === incident) throw conflict('An incident cannot become part of itself.', 'into');
  for (const each of [incident, into]) {
    if (each.mergedInto !== null) throw already(each);
    if (!isMeasured(each.kind) || each.kind === 'improvement')
      throw conflict(`An incident of the kind ${each.kind} cannot be merged.`);
  }
  if (into.ruleId !== incident.ruleId) throw conflict(`The incident ${into.id} is of another rule.`, 'into');
  if (into.status === 'resolved') throw conflict(`The incident ${into.id} is resolved.`, 'into');
  mergeIncidents(batch, incident, into, batch.now, { by, text: patch.note });
  await writeBatch(batch);
  await linkMerged(batch.db, batch.merges);
};

const split: Verb = async (batch, incident, { patch, by }) => {
  if (!isMeasured(incident.kind) || incident.kind === 'improvement')
    throw conflict(`An incident of the kind ${incident.kind} cannot be split.`);
  if (incident.status === 'resolved') throw already(incident);
  const series = patch.cells ?? [];
  const made = splitIncident(batch, incident, series, { by, text: patch.note });
  await writeBatch(batch);
  await moveDetections(batch.db, incident.id, made.id, series);
};

const VERBS: Record<IncidentPatch['action'], Verb> = {
  acknowledge,
  resolve,
  accept,
  not_useful: notUseful,
  undo_not_useful: undoNotUseful,
  merge,
  split,
};

const conflict = (message: string, field = 'action') =>
  new ServiceError('conflict', message, [{ field, message: 'does not go with what the incident is by now' }]);

function already({ id, status, resolution, mergedInto }: IncidentRecord): ServiceError {
  const state = mergedInto === null ? (resolution === 'accepted' ? 'accepted' : status) : `part of ${mergedInto}`;
  return new ServiceError('conflict', `The incident ${id} is ${state} already.`, [
    { field: 'action', message: `does not go with the status ${status}` },
  ]);
}
