import { v7 } from 'uuid';
import { expect } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import type { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { chance } from './history.ts';

export const HOUR = 3_600;
export const DAY = 86_400;

/** Milliseconds as a quiet path gives them: about 4% to either side, always the same for a seed. */
export function noise(seed: number): (ms: number) => number {
  const random = chance(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return (ms) => ms * Math.exp(0.04 * normal());
}

/** Lets a job consume all there is at `now` (seconds since 1970), a stretch at a time. */
export async function detectUntil(job: ReturnType<typeof createDetectionJob>, now: number): Promise<void> {
  while (await job.step(now * 1_000)) {
    // Each turn takes a stretch.
  }
}

/**
 * Waits until nobody holds the lock of detection: PostgreSQL hears of a killed process later than those who waited for its exit, and a
 * job that finds the lock taken does nothing.
 */
export async function untilNobodyLeads(): Promise<void> {
  const leaders = async () => {
    const { rows } = await getPool().query<{ n: number }>(
      `select count(*)::int as n from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())
        and objid::bigint = hashtext('detection')::bigint & 4294967295`,
    );
    return rows[0]?.n;
  };
  await expect.poll(leaders, { timeout: 60_000 }).toBe(0);
}

/** All that was detected, without the ids that chance gave. */
export async function detected() {
  const rows = await getPrisma().detection.findMany({
    orderBy: [{ at: 'asc' }, { targetId: 'asc' }, { vantageId: 'asc' }, { metric: 'asc' }],
    omit: { id: true },
  });
  return rows.map((row) => ({ ...row }));
}

/** The incidents, each with the kinds of its timeline. */
export async function incidentsMade() {
  const rows = await getPrisma().incident.findMany({ orderBy: [{ openedAt: 'asc' }, { id: 'asc' }] });
  const events = await getPrisma().incidentEvent.findMany({ orderBy: [{ at: 'asc' }, { id: 'asc' }] });
  return rows.map((row) => ({
    ...row,
    timeline: events.filter(({ incidentId }) => incidentId === row.id).map(({ kind }) => kind),
  }));
}

/** Types of the messages in the outbox, in their order. */
export async function messageTypes(): Promise<string[]> {
  const rows = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' }, select: { eventType: true } });
  return rows.map(({ eventType }) => eventType);
}

/** A webhook that wants everything, at an address that nothing is sent to. */
export async function insertWebhook(): Promise<void> {
  const wants = { events: [], ruleIds: [], severities: [] };
  await getPrisma().webhook.create({
    data: { id: v7(), name: 'hook', format: 'standard', secrets: '', language: 'en', settings: {}, ...wants },
  });
}

/** Takes away what detection has made, and what it knows. */
export async function forgetDetection(): Promise<void> {
  await getPool().query(
    `truncate detection, incident, incident_event, incident_detection, delivery, detector_tick, detector_checkpoint,
      detector_status, detector_late cascade`,
  );
}
