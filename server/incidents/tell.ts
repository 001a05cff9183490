import { INCIDENT_EVENT_TYPES } from '#contract/incident.ts';
import type { WebhookEventType } from '#contract/webhook-event.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { enqueueEvent } from '../deliveries/enqueue.ts';
import { presentIncidents } from './present.ts';
import type { IncidentRecord } from './row.ts';
import { silenceOf } from './silenced.ts';
import { summaryLine } from './summary-line.ts';
import { note } from './timeline.ts';

/**
 * Sends what receivers do not know yet of an incident, unless something holds it back; what is held back is sent by a
 * later call (`sweep.ts`), and is not sent at all where it is over by then. Changes the record, which the caller saves.
 */
export async function tell(db: Prisma.TransactionClient, incident: IncidentRecord, now: Date): Promise<void> {
  const type = untold(incident);
  if (type === null || (await isSilenced(db, incident, now)) || incident.flapping) return;
  await send(db, incident, type, now);
}

/** Tells once more of an incident that is still open. */
export async function remind(db: Prisma.TransactionClient, incident: IncidentRecord, now: Date): Promise<void> {
  const type = INCIDENT_EVENT_TYPES[incident.kind].open;
  if (await isSilenced(db, incident, now)) return;
  await send(db, incident, type, now, { reminder: true });
  await note(db, incident.id, now, 'reminded');
}

/** Tells that an incident comes and goes; after it nothing is sent until it has made up its mind. */
export async function tellFlapping(db: Prisma.TransactionClient, incident: IncidentRecord, now: Date): Promise<void> {
  const { open } = INCIDENT_EVENT_TYPES[incident.kind];
  incident.flapping = true;
  await note(db, incident.id, now, 'flapping');
  if (incident.quiet || (await isSilenced(db, incident, now))) return;
  await send(db, incident, open, now);
}

/** The type of the message that receivers should have had and did not; null where they know all. */
export function untold({ kind, status, heard, quiet }: IncidentRecord): WebhookEventType | null {
  if (quiet) return null;
  const { open, resolved } = INCIDENT_EVENT_TYPES[kind];
  const isOver = status === 'resolved' && kind !== 'improvement';
  // Of what they never heard of they need not hear that it is over.
  if (isOver && (heard === null || isResolvedType(heard))) return null;
  const wanted = isOver ? resolved : open;
  return wanted === heard ? null : wanted;
}

function isResolvedType(type: string): boolean {
  return Object.values(INCIDENT_EVENT_TYPES).some(({ resolved }) => resolved === type);
}

async function isSilenced(db: Prisma.TransactionClient, incident: IncidentRecord, now: Date): Promise<boolean> {
  const silence = await silenceOf(db, incident, now);
  if (silence && !incident.silenced)
    await note(db, incident.id, now, 'silenced', { params: { silenceId: silence.id, comment: silence.comment } });
  incident.silenced = silence !== null;
  return incident.silenced;
}

async function send(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  type: WebhookEventType,
  now: Date,
  { reminder = false } = {},
): Promise<void> {
  const [shown] = await presentIncidents(db, [incident]);
  if (!shown) return;
  const { id, ruleId, severity, demo } = incident;
  const data = { ...shown, summary: summaryLine(shown), url: `/incidents/${id}`, reminder };
  await enqueueEvent(db, { type, timestamp: now, incidentId: id, ruleId, severity, data, demo }, now);
  incident.heard = type;
  incident.toldAt = now;
  await note(db, id, now, 'told', { params: { type } });
}
