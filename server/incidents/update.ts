import type { IncidentDetail, IncidentPatch } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { newBatch, note, writeBatch } from './batch.ts';
import { getIncident, noIncident } from './get.ts';
import { resolveIncident } from './open.ts';
import { type IncidentRecord, lockIncidents } from './row.ts';

/**
 * Acknowledges or resolves an incident in a person's name. Throws `not_found`, or `conflict` where it is that already:
 * of two people at once one is told so.
 */
export async function updateIncident(
  id: string,
  patch: IncidentPatch,
  by: string,
  now = new Date(),
): Promise<IncidentDetail> {
  return await getPrisma().$transaction(async (db) => {
    const [incident] = await lockIncidents(db, { id });
    if (!incident) throw noIncident(id);
    if (patch.action === 'acknowledge') await acknowledge(db, incident, patch.note, by, now);
    else await resolve(db, incident, patch.note, by, now);
    return await getIncident(id, db);
  });
}

async function acknowledge(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  text: string,
  by: string,
  now: Date,
): Promise<void> {
  if (incident.status !== 'open') throw already(incident);
  Object.assign(incident, { status: 'acknowledged', acknowledgedAt: now, acknowledgedBy: by });
  const batch = await newBatch(db, now);
  batch.incidents.set(incident.id, incident);
  note(batch, incident.id, now, 'acknowledged', { text, params: { by } });
  await writeBatch(batch);
}

async function resolve(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  text: string,
  by: string,
  now: Date,
): Promise<void> {
  if (incident.status === 'resolved') throw already(incident);
  await resolveIncident(db, incident, now, { reason: 'by_hand', by, text });
}

const already = ({ id, status }: IncidentRecord) =>
  new ServiceError('conflict', `The incident ${id} is ${status} already.`, [
    { field: 'action', message: `does not go with the status ${status}` },
  ]);
