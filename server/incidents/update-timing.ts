import { INCIDENT_EVENT_TYPES, isEndType } from '#contract/incident-vocabulary.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { isGraver } from './impact.ts';
import type { IncidentRecord, StoredCell } from './stored-incident.ts';

// An event shows in one series after the other, within a probe period or two. A message about the first of them would be out of date
// when it is read, so it waits until the incident has stopped growing, for a bounded time; where nothing is left that could join, it
// does not wait. The same holds for what is corrected later. All of it is by the wall clock: `now` of the batch.

/** A message goes out when an incident has not changed for so long, or so long after its first change, ms. */
export const GROWTH_PAUSE_MS = 20_000;
export const GROWTH_LONGEST_MS = 60_000;
/** What joins counts as growth from this share of what was there on. */
export const GROWTH_SHARE = 0.05;
/** Who was told of an incident hears again when it has so many times as many series. */
export const GROWN_FACTOR = 3;

type Growing = Pick<IncidentRecord, 'waitingSince' | 'changedAt'>;

/** Lets the next message wait until the incident stops changing. */
export function awaitGrowth(incident: Growing, now: Date): void {
  incident.waitingSince ??= now;
  incident.changedAt = now;
}

/** Lets the next message go at once. */
export function stopWaiting(incident: Growing): void {
  incident.waitingSince = null;
  incident.changedAt = null;
}

/** Whether a message still waits. */
export function isGrowing({ waitingSince, changedAt }: Growing, now: Date): boolean {
  if (waitingSince === null || changedAt === null) return false;
  return (
    now.getTime() - changedAt.getTime() < GROWTH_PAUSE_MS && now.getTime() - waitingSince.getTime() < GROWTH_LONGEST_MS
  );
}

/** Whether what the last message said of an incident no longer holds: its size, its cause, what it is made of, or that it is no graver. */
export function isOutdated(incident: IncidentRecord): boolean {
  const { cells, cause, notifiedSeries, notifiedCause } = incident;
  if (notifiedSeries === null) return false;
  return cause !== notifiedCause || seriesOf(cells) >= GROWN_FACTOR * notifiedSeries || hasRisen(incident);
}

const hasRisen = ({ severity, notifiedSeverity }: IncidentRecord) =>
  notifiedSeverity !== null && isGraver(severity, notifiedSeverity);

/** Whether who was told that an incident is open may hear how it goes on. */
export function isFollowed({ kind, lastEvent, backfilled, flapping, status }: IncidentRecord): boolean {
  const isOpen = status !== 'resolved' && lastEvent !== null && !isEndType(lastEvent);
  return INCIDENT_EVENT_TYPES[kind].updated !== null && isOpen && !backfilled && !flapping;
}

/** Lets a message follow where an incident has become graver than the last one said: once a rise, since severity never falls after a message. */
export function awaitRise(incident: IncidentRecord, now: Date): void {
  if (incident.waitingSince === null && isFollowed(incident) && hasRisen(incident)) awaitGrowth(incident, now);
}

/** Whatever was said of an incident, who was told hears of it again: it is made of other series, or has come to stand. */
export function markOutdated(incident: Pick<IncidentRecord, 'notifiedSeries'>): void {
  if (incident.notifiedSeries !== null) incident.notifiedSeries = 0;
}

/** How many series have cells: one may have several metrics. */
export function seriesOf(cells: readonly StoredCell[]): number {
  return new Set(cells.map(({ targetId, vantageId }) => `${targetId} ${vantageId}`)).size;
}

/** How many series each target, and each carrier, is measured in. */
export type Measured = { targets: Map<string, number>; carriers: Map<string, number> };

type Asking = { readonly db: Prisma.TransactionClient; measured?: Promise<Measured> };

/** How many series there are, and how many of one target or carrier at the most. */
export async function watchedNow(batch: Asking): Promise<{ series: number; scope: number }> {
  batch.measured ??= measuredNow(batch);
  const { targets, carriers } = await batch.measured;
  const series = targets.values().reduce((sum, n) => sum + n, 0);
  return { series, scope: Math.max(0, ...targets.values(), ...carriers.values()) };
}

/**
 * Whether other series could still join: of the carriers where the network is the cause, else of the targets. One that has all of
 * them already has nothing to wait for.
 */
export async function mayGrow(
  batch: Asking,
  { cause, cells }: Pick<IncidentRecord, 'cause' | 'cells'>,
): Promise<boolean> {
  batch.measured ??= measuredNow(batch);
  const { targets, carriers } = await batch.measured;
  const has = new Map<string, Set<string>>();
  for (const { targetId, vantageId, carrier } of cells) {
    const of = cause === 'network' ? carrier : targetId;
    if (of !== null) has.set(of, (has.get(of) ?? new Set()).add(`${targetId} ${vantageId}`));
  }
  const measured = cause === 'network' ? carriers : targets;
  return [...has].some(([of, series]) => (measured.get(of) ?? 0) > series.size);
}

async function measuredNow({ db }: Asking): Promise<Measured> {
  const rows = await db.$queryRaw<{ targetId: string | null; carrier: string | null; n: number }[]>`
    select c.target_id as "targetId", v.carrier, count(*)::int as n
    from "check" c join target t on t.id = c.target_id join vantage v on v.id = c.vantage_id
    where c.deleted_at is null and t.deleted_at is null and t.enabled and v.deleted_at is null
    group by grouping sets ((c.target_id), (v.carrier))`;
  return {
    targets: new Map(rows.flatMap(({ targetId, n }) => (targetId === null ? [] : [[targetId, n]]))),
    carriers: new Map(rows.flatMap(({ carrier, n }) => (carrier === null ? [] : [[carrier, n]]))),
  };
}
