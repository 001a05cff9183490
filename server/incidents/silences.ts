import { Cron } from 'croner';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { IncidentKind } from '#contract/incident-vocabulary.ts';
import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import { matches, takes } from '#contract/scope.ts';
import type { Silence, SilenceCreate, SilencePatch } from '#contract/silence.ts';
import type { Prisma, Silence as Row } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { invalidField, notFound } from '#server/environment/errors.ts';
import type { IncidentRecord } from './stored-incident.ts';

/** Silences, oldest first. Throws `invalid` for a made-up cursor. */
export async function listSilences(query: PageQuery): Promise<Page<Silence>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().silence.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take });
  return pageOfRows(rows, query, present);
}

/** Throws `not_found`. */
export async function getSilence(id: string): Promise<Silence> {
  const row = await getPrisma().silence.findUnique({ where: { id } });
  if (!row) throw notFound('silence', id);
  return present(row);
}

/** Throws `invalid` for times that do not go together. */
export async function createSilence(input: SilenceCreate, createdBy: string): Promise<Silence> {
  const times = timesOf(input, new Date());
  refuseBadTimes(times);
  const data = { ...input, ...times, id: uuid(), createdBy };
  return await getPrisma().$transaction(async (tx) => present(await tx.silence.create({ data })));
}

/** Changes a silence; it holds at once. Throws `not_found` or `invalid`. */
export async function updateSilence(id: string, patch: SilencePatch): Promise<Silence> {
  const before = await getPrisma().silence.findUnique({ where: { id } });
  if (!before) throw notFound('silence', id);
  const { startsAt, endsAt, cron, durationMinutes, timeZone } = before;
  const stored = { startsAt: startsAt.toISOString(), endsAt: endsAt?.toISOString() ?? null };
  const times = timesOf({ ...stored, cron, durationMinutes, timeZone, ...patch }, startsAt);
  refuseBadTimes(times);
  const data = { ...patch, ...times };
  return await getPrisma().$transaction(async (tx) => present(await tx.silence.update({ where: { id }, data })));
}

/** Throws `not_found`. */
export async function deleteSilence(id: string): Promise<void> {
  const { count } = await getPrisma().silence.deleteMany({ where: { id } });
  if (count === 0) throw notFound('silence', id);
}

type Given = Pick<SilenceCreate, 'startsAt' | 'endsAt' | 'cron' | 'durationMinutes' | 'timeZone'>;

function timesOf({ startsAt, endsAt, cron, durationMinutes, timeZone }: Given, fallback: Date): Times {
  return {
    startsAt: startsAt === undefined ? fallback : new Date(startsAt),
    endsAt: endsAt === null ? null : new Date(endsAt),
    cron,
    durationMinutes,
    timeZone,
  };
}

function refuseBadTimes({ startsAt, endsAt, cron, durationMinutes, timeZone }: Times): void {
  if (endsAt !== null && endsAt <= startsAt) throw invalidField('endsAt', 'must be after startsAt');
  if ((cron === null) !== (durationMinutes === null))
    throw invalidField(cron === null ? 'cron' : 'durationMinutes', 'is missing: cron and durationMinutes go together');
  if (cron === null) return;
  try {
    new Cron(cron, { timezone: timeZone, mode: '5-part' });
  } catch {
    throw invalidField('cron', 'is not a cron expression of five fields, such as 0 2 * * 6');
  }
}

function present(row: Row): Silence {
  const now = new Date();
  const { id, targetIds, regions, carriers, cron, durationMinutes, timeZone, comment, createdBy } = row;
  return {
    id,
    targetIds,
    regions,
    carriers,
    kinds: z.array(IncidentKind).parse(row.kinds),
    startsAt: row.startsAt.toISOString(),
    endsAt: row.endsAt?.toISOString() ?? null,
    cron,
    durationMinutes,
    timeZone,
    comment,
    createdBy,
    active: isActive(row, now),
    nextAt: nextBeginning(row, now)?.toISOString() ?? null,
    managed: row.managedAt !== null,
  };
}

const MINUTE_MS = 60_000;

/** What of a silence says when it holds. */
export type Times = Pick<Row, 'startsAt' | 'endsAt' | 'cron' | 'durationMinutes' | 'timeZone'>;

/** Whether a silence holds at an instant. Throws for an invalid date: compared with one, nothing would ever be over. */
export function isActive(silence: Times, at: Date): boolean {
  const { startsAt, endsAt, cron, durationMinutes, timeZone } = silence;
  if ([at, startsAt, endsAt ?? at].some((date) => Number.isNaN(date.getTime())))
    throw new RangeError('an invalid date');
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
export function silencesAt(db: Prisma.TransactionClient, at: Date): Promise<Row[]> {
  return db.silence.findMany({
    where: { startsAt: { lte: at }, OR: [{ endsAt: null }, { endsAt: { gt: at } }] },
    orderBy: { id: 'asc' },
  });
}

/** Which of these holds back the messages of an incident at an instant; null where none does. */
export function silenceOf(
  silences: readonly Row[],
  incident: Pick<IncidentRecord, 'kind' | 'cells'>,
  at: Date,
): Row | null {
  return silences.find((silence) => covers(silence, incident) && isActive(silence, at)) ?? null;
}

/** All cells must be covered: a silence for one region holds nothing back that another sees too. */
const covers = (silence: Row, { kind, cells }: Pick<IncidentRecord, 'kind' | 'cells'>): boolean =>
  takes(silence.kinds, kind) && cells.every((cell) => matches(silence, cell));
