import type { ProberReport } from '#contract/ingest.ts';
import { getPool, openDatabase } from '#server/database/database.ts';
import { type Contact, storeReport } from './reports.ts';

/** A contact is written this often (ms) for each prober by each process. */
export const CONTACT_EVERY_MS = 15_000;
/** A skew that differs by more than this (ms) from the one written last is written at once. */
export const SKEW_MOVED_MS = 1_000;
/** Most probers that are remembered; one more, and all are forgotten. */
const MOST_PROBERS = 10_000;

/** What was written last: when (ms since 1970) that the prober was heard, and when which skew (ms). */
type Written = { seenAt: number; skewAt: number; skewMs: number };
const written = new WeakMap<object, Map<string, Written>>();

/** What a prober said: `sentAt`, its clock when it spoke, and what it did. */
type Said = { sentAt?: string | undefined; report?: ProberReport | undefined };

/**
 * Notes that a prober was heard, and its clock's skew (its clock minus ours, ms) where it said what time it is: every 15 s,
 * when the skew has moved by more than a second, and with each report. Says whether the report is new.
 */
export async function noteContact(proberId: string, { sentAt, report }: Said = {}): Promise<boolean> {
  const now = Date.now();
  const skewMs = sentAt === undefined ? null : Date.parse(sentAt) - now;
  if (!report && !isDue(writtenOf(proberId), now, skewMs)) return false;
  const contact = { proberId, at: new Date(now), skewMs };
  const fresh = report ? await storeReport(contact, report) : await writeContact(contact);
  remember(proberId, now, skewMs);
  return fresh;
}

function isDue(last: Written | undefined, now: number, skewMs: number | null): boolean {
  if (!last || isOver(last.seenAt, now)) return true;
  return skewMs !== null && (isOver(last.skewAt, now) || !(Math.abs(skewMs - last.skewMs) <= SKEW_MOVED_MS));
}

/** Also where the clock was set back. */
const isOver = (at: number, now: number) => !(now >= at && now - at < CONTACT_EVERY_MS);

async function writeContact({ proberId, at, skewMs }: Contact): Promise<false> {
  await getPool().query(
    'update prober set last_seen_at = $2, clock_skew_ms = coalesce($3, clock_skew_ms) where id = $1',
    [proberId, at, skewMs],
  );
  return false;
}

const writtenOf = (proberId: string) => written.get(openDatabase())?.get(proberId);

function remember(proberId: string, now: number, skewMs: number | null): void {
  const probers = written.get(openDatabase()) ?? new Map<string, Written>();
  written.set(openDatabase(), probers);
  const last = probers.get(proberId) ?? { skewAt: Number.NEGATIVE_INFINITY, skewMs: Number.NaN };
  if (probers.size >= MOST_PROBERS) probers.clear();
  probers.set(proberId, { ...last, seenAt: now, ...(skewMs === null ? {} : { skewAt: now, skewMs }) });
}

/** When the prober of each vantage was heard last, s since 1970, with what names the vantage; not of one that never was. */
export async function lastContacts() {
  const { rows } = await getPool().query<
    Record<'vantage' | 'vantage_id' | 'region' | 'carrier', string> & { seenAt: number }
  >(
    `select v.name as vantage, v.id as vantage_id, v.region, v.carrier, extract(epoch from p.last_seen_at)::float8 as "seenAt"
      from vantage v join prober p on p.id = v.prober_id where v.deleted_at is null and p.last_seen_at is not null order by v.id`,
  );
  return rows;
}
