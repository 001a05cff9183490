import { INCIDENT_EVENT_TYPES, IncidentKind } from '#contract/incident-vocabulary.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { type Batch, beginBatch, writeBatch } from './batch.ts';

import { STANDING_REMINDER_MS } from './life.ts';

import { dueMessage, isSilenced, notify, notifyUpdate, remind, tellFlapping } from './notify.ts';

import { openingsOf } from './open.ts';
import { type IncidentRecord, lockIncidents } from './stored-incident.ts';

const MINUTE_MS = 60_000;

/**
 * What time alone brings: messages that growth, a silence or flapping held back and that are due now, and reminders of what is
 * still open and not acknowledged. Any number of processes may run it: each incident is locked.
 */
export async function sweepIncidents(now: Date): Promise<void> {
  for (const id of await waiting(now)) {
    await getPrisma().$transaction(async (db) => {
      const [incident] = await lockIncidents(db, { id });
      if (!incident) return;
      const batch = await beginBatch(db, now);
      await sweepOne(batch, incident);
      await writeBatch(batch);
    });
  }
}

/** Incidents with which something may be due: of a thousand that are open, few are looked at. */
async function waiting(now: Date): Promise<string[]> {
  const opened = IncidentKind.options.map((kind) => `${kind} ${INCIDENT_EVENT_TYPES[kind].open}`);
  const { rows } = await getPool().query<{ id: string }>(
    `select i.id from incident i left join alert_rule r on r.id = i.rule_id
      where not i.backfilled and (i.silenced or i.flapping
        or ((i.held_until is null or i.held_until <= $2) and (i.waiting_since is not null
          or (i.status <> 'resolved' and (i.last_event is null or i.kind || ' ' || i.last_event <> all($1::text[])))))
        or (i.status = 'open' and i.notified_at + r.reminder_minutes * interval '1 minute' <= $2
          and (i.standing_since is null or i.notified_at + $3 * interval '1 millisecond' <= $2)))
      order by i.id`,
    [opened, now, STANDING_REMINDER_MS],
  );
  return rows.map(({ id }) => id);
}

async function sweepOne(batch: Batch, incident: IncidentRecord): Promise<void> {
  batch.incidents.set(incident.id, incident);
  if (incident.flapping && (await openingsOf(batch, incident)) === 0) incident.flapping = false;
  // It was found to come and go while it was held back or silenced: it has not been notified yet.
  if (incident.flapping && incident.lastEvent === null && incident.status !== 'resolved') tellFlapping(batch, incident);
  else if (dueMessage(incident) !== null) notify(batch, incident);
  else if (incident.waitingSince !== null) notifyUpdate(batch, incident);
  else if (await isReminderDue(batch, incident)) remind(batch, incident);
  else if (incident.silenced) isSilenced(batch, incident);
}

async function isReminderDue({ db, now }: Batch, incident: IncidentRecord): Promise<boolean> {
  const { ruleId, status, notifiedAt, flapping, lastEvent, standingSince } = incident;
  if (ruleId === null || status !== 'open' || flapping || lastEvent === null || notifiedAt === null) return false;
  const rule = await db.alertRule.findUnique({ where: { id: ruleId }, select: { reminderMinutes: true } });
  if (!rule?.reminderMinutes) return false;
  const every = Math.max(rule.reminderMinutes * MINUTE_MS, standingSince === null ? 0 : STANDING_REMINDER_MS);
  return now.getTime() - notifiedAt.getTime() >= every;
}
