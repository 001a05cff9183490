import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '../database.ts';
import { openingsOf } from './open.ts';
import { type IncidentRecord, lockIncidents, saveIncident } from './row.ts';
import { silenceOf } from './silenced.ts';
import { remind, tell, untold } from './tell.ts';

const MINUTE_MS = 60_000;

/**
 * What time alone brings: messages that a silence or flapping held back and that are due now, and reminders of what is
 * still open and that nobody acknowledged. Any number of processes may run it: each incident is locked.
 */
export async function sweepIncidents(now: Date): Promise<void> {
  const due = await getPrisma().incident.findMany({
    where: { quiet: false, OR: [{ status: { not: 'resolved' } }, { silenced: true }, { flapping: true }] },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  for (const { id } of due) {
    await getPrisma().$transaction(async (db) => {
      const [incident] = await lockIncidents(db, { id });
      if (incident) await sweepOne(db, incident, now);
    });
  }
}

async function sweepOne(db: Prisma.TransactionClient, incident: IncidentRecord, now: Date): Promise<void> {
  const before = JSON.stringify(incident);
  if (incident.flapping && (await openingsOf(db, incident, now)) === 0) incident.flapping = false;
  if (untold(incident) !== null) await tell(db, incident, now);
  else if (await isReminderDue(db, incident, now)) await remind(db, incident, now);
  else if (incident.silenced) incident.silenced = (await silenceOf(db, incident, now)) !== null;
  if (JSON.stringify(incident) !== before) await saveIncident(db, incident);
}

async function isReminderDue(db: Prisma.TransactionClient, incident: IncidentRecord, now: Date): Promise<boolean> {
  const { ruleId, status, toldAt, flapping, heard } = incident;
  if (ruleId === null || status !== 'open' || flapping || heard === null || toldAt === null) return false;
  const rule = await db.alertRule.findUnique({ where: { id: ruleId }, select: { reminderMinutes: true } });
  if (!rule?.reminderMinutes) return false;
  return now.getTime() - toldAt.getTime() >= rule.reminderMinutes * MINUTE_MS;
}
