import { Cron } from 'croner';
import type { Prisma, Silence } from '#prisma/generated/client.ts';
import type { IncidentRecord } from './row.ts';

const MINUTE_MS = 60_000;

/** What of a silence says when it holds. */
export type Times = Pick<Silence, 'startsAt' | 'endsAt' | 'cron' | 'durationMinutes' | 'timeZone'>;

/** Whether a silence holds at an instant. */
export function isActive(silence: Times, at: Date): boolean {
  const { startsAt, endsAt, cron, durationMinutes, timeZone } = silence;
  if (at < startsAt || (endsAt !== null && at >= endsAt)) return false;
  if (cron === null) return true;
  const duration = (durationMinutes ?? 0) * MINUTE_MS;
  // The first beginning after the earliest that still lasts.
  const begun = new Cron(cron, { timezone: timeZone, mode: '5-part' }).nextRun(new Date(at.getTime() - duration));
  return begun !== null && begun <= at;
}

/** When a silence begins next, after an instant; null where never again. */
export function nextBeginning(silence: Times, at: Date): Date | null {
  const { startsAt, endsAt, cron, timeZone } = silence;
  const earliest = at < startsAt ? startsAt : at;
  const next =
    cron === null
      ? at < startsAt
        ? startsAt
        : null
      : new Cron(cron, { timezone: timeZone, mode: '5-part' }).nextRun(new Date(earliest.getTime() - 1));
  return next !== null && (endsAt === null || next < endsAt) ? next : null;
}

/** The silences between whose beginning and end an instant lies; one that comes by cron may still not hold then. */
export function silencesAt(db: Prisma.TransactionClient, at: Date): Promise<Silence[]> {
  return db.silence.findMany({
    where: { startsAt: { lte: at }, OR: [{ endsAt: null }, { endsAt: { gt: at } }] },
    orderBy: { id: 'asc' },
  });
}

/** Which of these holds back the messages of an incident at an instant; null where none does. */
export function silenceOf(
  silences: readonly Silence[],
  incident: Pick<IncidentRecord, 'kind' | 'cells'>,
  at: Date,
): Silence | null {
  return silences.find((silence) => covers(silence, incident) && isActive(silence, at)) ?? null;
}

/** All cells must be covered: a silence for one region holds nothing back that another sees too. */
function covers(silence: Silence, { kind, cells }: Pick<IncidentRecord, 'kind' | 'cells'>): boolean {
  const { targetIds, regions, carriers, kinds } = silence;
  if (kinds.length > 0 && !kinds.includes(kind)) return false;
  return cells.every(
    (cell) => among(targetIds, cell.targetId) && among(regions, cell.region) && among(carriers, cell.carrier),
  );
}

const among = (list: string[], value: string | null) => list.length === 0 || (value !== null && list.includes(value));
