// What got worse, from its detection to its end; this file is what the API reads and changes of it. The life of an incident:
// - Record (record.ts): detections of one event become an incident, or cells of one that there is, under each rule that wants
//   them. server/rules does the same with what it judges. Both through open.ts, which opens, carries on, reopens and ends.
// - Follow (follow.ts): while a spike lasts, its levels and its quiet cells are measured every minute.
// - Grow (unshown-spikes.ts): what was too small to be shown is measured too, and opens its incident once it is larger.
// - Settle (settle.ts): cells end by the detector's word, or because they are no longer measured. A lasting change that is there
//   after two days is accepted where it is small; a large one stands (life.ts).
// - Roll back (rollback.ts): a regression ends where its level came down again.
// - Notify (notify.ts): what receivers do not know yet becomes a message, unless a silence (silences.ts) or flapping holds it
//   back; sweep.ts sends what was held back, and reminders.
// - Explain (explain.ts): what its results measured, and so its cause. With it what its series would be without it
//   (counterfactual.ts).
// - By hand (by-hand.ts): acknowledge, resolve, accept, merge, split (split.ts), call not useful (sensitivity.ts).
// - Expire (expiry.ts): resolved ones are deleted past their retention.
// Each of these fills a batch (batch.ts), which writes incidents, timelines and messages in one transaction, and asks
// candidates.ts and failure.ts for probable causes. stored-incident.ts is an incident as it is stored, present.ts as it is shown.

import { z } from 'zod';
import type { Incident, IncidentDetail, IncidentsQuery, RegressionsQuery } from '#contract/incident.ts';
import { INCIDENT_EVENT_KINDS, type IncidentState } from '#contract/incident-vocabulary.ts';
import type { Page } from '#contract/problem.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { invalidField, notFound } from '#server/environment/errors.ts';
import { decodeCursor, encodeCursor } from '#server/results/cursor.ts';
import { presentIncidents } from './present.ts';
import { loweredAt } from './sensitivity.ts';
import { recordOf } from './stored-incident.ts';

/** The filters that incidents and regressions share. */
type Filters = Pick<IncidentsQuery, 'target' | 'region' | 'carrier' | 'status' | 'resolution' | 'from' | 'to'>;

/** What is asked of the list; in the order of time where it is left out. */
type Asked = Omit<IncidentsQuery, 'order'> & Partial<Pick<IncidentsQuery, 'order'>>;

/** A page of incidents, the last opened or the gravest first. Throws `invalid` for a made-up cursor. */
export async function listIncidents(query: Asked): Promise<Page<Incident>> {
  const { kind, severity, limit } = query;
  if (query.order === 'impact') return await listByImpact(query);
  const rows = await getPrisma().incident.findMany({
    where: {
      AND: [
        whereOf(query),
        await whereOfStates(query.state),
        query.notUseful === undefined ? {} : await whereNotUseful(query.notUseful),
        kind ? { kind: { in: kind } } : {},
        severity ? { severity: { in: severity } } : {},
        after(query),
      ],
    },
    orderBy: [{ openedAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: await presentIncidents(getPrisma(), shown.map(recordOf)),
    nextCursor: rows.length > limit && last ? encodeCursor({ startedAt: last.openedAt.getTime(), id: last.id }) : null,
  };
}

/** What is graver than any weighted excess of a lower severity, ms. */
const SEVERITY_STEP_MS = 1e7;
const RANK: Record<string, number> = { info: 0, warning: 1, critical: 2 };

/** By severity, then by what all users wait longer. What has no excess comes last among its like. */
async function listByImpact(query: Asked): Promise<Page<Incident>> {
  const { kind, severity } = query;
  const candidates = await getPrisma().incident.findMany({
    where: {
      AND: [whereOf(query), kind ? { kind: { in: kind } } : {}, severity ? { severity: { in: severity } } : {}],
    },
    select: { id: true, severity: true, userShare: true, excessMs: true },
  });
  return await pageOf(
    candidates.map(({ id, severity: step, userShare, excessMs }) => ({
      id,
      size: (RANK[step] ?? 0) * SEVERITY_STEP_MS + Math.min(Math.abs((userShare ?? 0) * (excessMs ?? 0)), 1e6),
    })),
    query,
  );
}

function after({ cursor }: Asked): Prisma.IncidentWhereInput {
  if (cursor === undefined) return {};
  const { startedAt, id } = decodeCursor(cursor);
  const openedAt = new Date(startedAt);
  return { OR: [{ openedAt: { lt: openedAt } }, { openedAt, id: { lt: id } }] };
}

/** Rows of what filters select; places and targets are those of any cell. */
export function whereOf({ target, region, carrier, status, resolution, from, to }: Filters): Prisma.IncidentWhereInput {
  const anyCell = (cells: object[]): Prisma.IncidentWhereInput => ({
    OR: cells.map((cell) => ({ cells: { array_contains: [cell] } })),
  });
  return {
    AND: [
      target === undefined ? {} : { OR: [{ targetId: target }, anyCell([{ targetId: target.toLowerCase() }])] },
      region?.length ? anyCell(region.map((value) => ({ region: value }))) : {},
      carrier?.length ? anyCell(carrier.map((value) => ({ carrier: value }))) : {},
      status?.length ? { status: { in: status } } : {},
      // What became part of another incident is found there.
      resolution?.length ? { resolution: { in: resolution } } : { mergedInto: null },
      from === undefined ? {} : { onsetAt: { gte: from } },
      to === undefined ? {} : { onsetAt: { lt: to } },
    ],
  };
}

const UNRESOLVED = { status: { not: 'resolved' } };

/** Rows in any of these states; all where none is asked for. */
async function whereOfStates(states: readonly IncidentState[] | undefined): Promise<Prisma.IncidentWhereInput> {
  if (!states?.length) return {};
  const standing = { standingSince: { not: null } };
  const quiet = states.some((state) => state === 'quiet' || state === 'open') ? { id: { in: await quietIds() } } : {};
  const OF: Record<IncidentState, Prisma.IncidentWhereInput> = {
    open: { AND: [UNRESOLVED, { standingSince: null }, { NOT: quiet }] },
    quiet: { AND: [UNRESOLVED, { standingSince: null }, quiet] },
    standing: { AND: [UNRESOLVED, standing] },
    resolved: { status: 'resolved', OR: [{ resolution: null }, { resolution: { not: 'accepted' } }] },
    accepted: { status: 'resolved', resolution: 'accepted' },
  };
  return { OR: states.map((state) => OF[state]) };
}

/** Spikes that are not over and back to normal at all of their cells, as `quietSinceOf` says of one. */
async function quietIds(): Promise<string[]> {
  const rows = await getPrisma().$queryRaw<{ id: string }[]>`
    select i.id from incident i
    where i.kind = 'spike' and i.status <> 'resolved'
      and i.cells @? '$[*] ? (@.recoveredAt == null)'
      and not i.cells @? '$[*] ? (@.recoveredAt == null && (!exists(@.quietSince) || @.quietSince == null))'`;
  return rows.map(({ id }) => id);
}

async function whereNotUseful(wanted: boolean): Promise<Prisma.IncidentWhereInput> {
  const held = await loweredAt(getPrisma(), new Date());
  const of = { in: held.map(({ incidentId }) => incidentId) };
  return wanted ? { id: of } : { NOT: { id: of } };
}

/** What an incident may be merged into: those of its rule that go on, the newest first. */
export async function mergeChoices({ id, ruleId }: Pick<Incident, 'id' | 'ruleId'>): Promise<Incident[]> {
  if (ruleId === null) return [];
  const rows = await getPrisma().incident.findMany({
    where: { ...UNRESOLVED, ruleId, id: { not: id }, kind: { in: ['spike', 'regression'] } },
    orderBy: [{ openedAt: 'desc' }, { id: 'desc' }],
    take: MOST_CHOICES,
  });
  return await presentIncidents(getPrisma(), rows.map(recordOf));
}

/** A longer list is of no use to a reader; the API takes any. */
const MOST_CHOICES = 50;

const EventKind = z.enum(INCIDENT_EVENT_KINDS);
const Params = z.record(z.string(), z.unknown());

/** An incident and its timeline, oldest first. Throws `not_found`. */
export async function getIncident(
  id: string,
  db: Prisma.TransactionClient = getPrisma(),
  now = new Date(),
): Promise<IncidentDetail> {
  const row = await db.incident.findUnique({ where: { id } });
  const [incident] = row ? await presentIncidents(db, [recordOf(row)], now) : [];
  if (!incident) throw notFound('incident', id);
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

const TROUBLE = { kind: { not: 'improvement' } };

/**
 * How many incidents wait for somebody, how many somebody has taken, and how many stand, taken or not. Improvements are not counted:
 * nothing is wrong.
 */
export async function countIncidents(): Promise<{ open: number; acknowledged: number; standing: number }> {
  const count = (status: string, standingSince: null | { not: null }) =>
    getPrisma().incident.count({ where: { ...TROUBLE, status, standingSince } });
  const [open, acknowledged, standing, taken] = await Promise.all([
    count('open', null),
    count('acknowledged', null),
    count('open', { not: null }),
    count('acknowledged', { not: null }),
  ]);
  return { open, acknowledged, standing: standing + taken };
}

/** How many incidents wait for somebody, without those of a single series that are not notified yet. */
export function countOpenIncidents(now = new Date()): Promise<number> {
  const told = { OR: [{ heldUntil: null }, { heldUntil: { lte: now } }] };
  return getPrisma().incident.count({ where: { ...TROUBLE, ...told, status: 'open' } });
}

/** A regression with the largest effect comes first, so its place is its effect and id. */
const Position = z.tuple([z.number(), z.uuid()]);

/** A page of lasting changes, the largest effect first, whichever its direction. Throws `invalid` for a made-up cursor. */
export async function listRegressions(query: RegressionsQuery): Promise<Page<Incident>> {
  const { kind, order } = query;
  const field = order === 'ms' ? 'effectMs' : 'effectRatio';
  const candidates = await getPrisma().incident.findMany({
    where: { AND: [whereOf(query), await whereOfStates(query.state), { kind: { in: kind } }] },
    select: { id: true, effectMs: true, effectRatio: true },
  });
  return await pageOf(
    candidates.map((each) => ({ id: each.id, size: Math.abs(each[field] ?? 0) })),
    query,
  );
}

/** A page of what is ordered by a size, the largest first, then the latest. */
async function pageOf(
  candidates: readonly Position[],
  { cursor, limit }: Pick<IncidentsQuery, 'cursor' | 'limit'>,
): Promise<Page<Incident>> {
  const sorted = candidates.toSorted((a, b) => b.size - a.size || (a.id < b.id ? 1 : -1));
  const start = cursor === undefined ? 0 : indexAfter(sorted, decode(cursor));
  const shown = sorted.slice(start, start + limit);
  const last = shown.at(-1);
  return {
    data: await inOrder(shown.map(({ id }) => id)),
    nextCursor: start + limit < sorted.length && last ? encode(last) : null,
  };
}

type Position = { id: string; size: number };

function indexAfter(sorted: Position[], [size, id]: [number, string]): number {
  const next = sorted.findIndex((each) => each.size < size || (each.size === size && each.id < id));
  return next < 0 ? sorted.length : next;
}

async function inOrder(ids: string[]): Promise<Incident[]> {
  if (ids.length === 0) return [];
  const rows = await getPrisma().incident.findMany({ where: { id: { in: ids } } });
  const shown = await presentIncidents(getPrisma(), rows.map(recordOf));
  const byId = new Map(shown.map((incident) => [incident.id, incident]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const encode = ({ id, size }: Position) => Buffer.from(JSON.stringify([size, id])).toString('base64url');

function decode(cursor: string): [number, string] {
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw invalidField('cursor', 'is not one that this list gave');
  }
}
