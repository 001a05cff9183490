import { z } from 'zod';
import { INCIDENT_EVENT_KINDS, type IncidentDetail } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { presentIncidents } from './present.ts';
import { recordOf } from './row.ts';

const EventKind = z.enum(INCIDENT_EVENT_KINDS);
const Params = z.record(z.string(), z.unknown());

/** An incident and its timeline, oldest first. Throws `not_found`. */
export async function getIncident(id: string, db: Prisma.TransactionClient = getPrisma()): Promise<IncidentDetail> {
  const row = await db.incident.findUnique({ where: { id } });
  const [incident] = row ? await presentIncidents(db, [recordOf(row)]) : [];
  if (!incident) throw noIncident(id);
  const events = await db.incidentEvent.findMany({
    where: { incidentId: id },
    orderBy: [{ at: 'asc' }, { id: 'asc' }],
  });
  return {
    ...incident,
    events: events.map(({ id: eventId, at, kind, text, params }) => ({
      id: eventId,
      at: at.toISOString(),
      kind: EventKind.parse(kind),
      text,
      params: Params.parse(params),
    })),
  };
}

export const noIncident = (id: string) =>
  new ServiceError('not_found', `There is no incident ${id}.`, [{ field: 'id', message: 'is unknown' }]);
