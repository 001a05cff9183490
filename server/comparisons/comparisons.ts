// Before against after. The life of a comparison: somebody asks for one: around a marker, around an incident's onset, or of two
// ranges (here). It waits until the later window is over and its results are in; then a jobs process claims it, reads some
// results of both windows and of what serves as control (comparison-results.ts), hands them to analysis/comparison, and writes down
// the outcome together with the event `comparison.ready` (compute.ts). The outcome stays when its results have gone. A link may
// show it to people who cannot sign in (share.ts); csv.ts writes it as a table.

import { v7 as uuid } from 'uuid';
import {
  COMPARE_MINUTES,
  type Comparison,
  type ComparisonCreate,
  type ComparisonDetail,
  ComparisonHeadline,
  ComparisonOutcome,
  type ComparisonsQuery,
  Milestone,
} from '#contract/comparison.ts';
import type { Page } from '#contract/problem.ts';
import { verdictText } from '#i18n/comparison.ts';
import { translator } from '#i18n/translator.ts';
import type { Prisma, Comparison as Whole } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { readRetentionDays } from '#server/database/retention.ts';
import { invalidField, notFound, ServiceError } from '#server/environment/errors.ts';

/** A comparison without its outcome, which holds a figure for each vantage: its sentence is made of the headline. */
type Row = Omit<Whole, 'outcome'>;

const MINUTE_MS = 60_000;
/** The longest wait for a window that is not over yet (ms): the comparison holds one of the places until then. */
const LONGEST_WAIT_MS = 2 * 86_400_000;
/** How long after the later window its results may still be under way. */
const SETTLE_MS = 45_000;
/** Most comparisons that wait at once, so that no caller fills the queue. */
export const MOST_WAITING = 200;

/** A page of comparisons, the newest first. Throws `invalid` for a made-up cursor. */
export async function listComparisons(query: ComparisonsQuery): Promise<Page<Comparison>> {
  const { take, after } = pageRange(query);
  const { target, marker, incident, status } = query;
  const rows = await getPrisma().comparison.findMany({
    where: {
      ...(target === undefined ? {} : { targetId: target }),
      ...(marker === undefined ? {} : { markerId: marker }),
      ...(incident === undefined ? {} : { incidentId: incident }),
      ...(status === undefined ? {} : { computedAt: status === 'ready' ? { not: null } : null }),
      ...(after === undefined ? {} : { id: { lt: after } }),
    },
    orderBy: { id: 'desc' },
    take,
    omit: { outcome: true },
  });
  const names = await targetNames(rows);
  return pageOfRows(rows, query, (row) => present(row, names));
}

/** A comparison with its figures. Throws `not_found`. */
export async function getComparison(id: string): Promise<ComparisonDetail> {
  const comparison = await findComparison(id);
  if (!comparison) throw notFound('comparison', id);
  return comparison;
}

/** A comparison with its figures; null where there is none. */
export async function findComparison(id: string): Promise<ComparisonDetail | null> {
  const row = await getPrisma().comparison.findUnique({ where: { id } });
  return row && (await detail(row));
}

async function detail(row: Whole): Promise<ComparisonDetail> {
  return { ...present(row, await targetNames([row])), figures: outcomeOf(row)?.figures ?? null };
}

/**
 * Asks for a comparison, which is computed by the jobs. Throws `not_found` for a marker, incident or target that is none, `invalid`
 * where it would be of several targets, and `conflict` where too many wait already.
 */
export async function createComparison(input: ComparisonCreate, createdBy: string): Promise<Comparison> {
  const asked = await askedFor(input);
  return await getPrisma().$transaction((tx) =>
    insertComparison(tx, { ...asked, milestone: input.milestone }, createdBy),
  );
}

type Asked = {
  targetId: string;
  markerId: string | null;
  incidentId: string | null;
  title: string;
  before: { from: Date; to: Date };
  after: { from: Date; to: Date };
};

async function askedFor(input: ComparisonCreate): Promise<Asked> {
  if (input.before && input.after && input.targetId) {
    const [before, after] = [input.before, input.after].map(({ from, to }) => ({
      from: new Date(from),
      to: new Date(to),
    })) as [Asked['before'], Asked['after']];
    const latest = Math.max(before.to.getTime(), after.to.getTime());
    if (latest > Date.now() + LONGEST_WAIT_MS)
      throw invalidField(latest === after.to.getTime() ? 'after' : 'before', 'ends more than two days from now');
    const title = input.title ?? `${after.from.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return { targetId: input.targetId, markerId: null, incidentId: null, title, before, after };
  }
  const minutes = input.minutes ?? COMPARE_MINUTES.usual;
  if (input.markerId !== undefined) {
    const marker = await getPrisma().marker.findUnique({ where: { id: input.markerId } });
    if (!marker) throw notFound('marker', input.markerId, 'markerId');
    const targetId = oneTarget(input, marker.targetId, 'markerId');
    return {
      targetId,
      markerId: marker.id,
      incidentId: null,
      title: input.title ?? marker.title,
      ...around(marker.at, minutes),
    };
  }
  const incident = await getPrisma().incident.findUnique({ where: { id: input.incidentId ?? '' } });
  if (!incident) throw notFound('incident', input.incidentId ?? '', 'incidentId');
  const targetId = oneTarget(input, incident.targetId, 'incidentId');
  const title = input.title ?? `${incident.kind} ${incident.onsetAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { targetId, markerId: null, incidentId: incident.id, title, ...around(incident.onsetAt, minutes) };
}

/** The target of a marker or incident, or the one that was asked for where these are of several. */
function oneTarget({ targetId }: ComparisonCreate, own: string | null, field: string): string {
  if (own !== null && targetId !== undefined && targetId !== own)
    throw invalidField('targetId', `is not the target of ${field}`);
  const one = own ?? targetId;
  if (one === undefined) throw invalidField('targetId', `is needed: ${field} is of several targets`);
  return one;
}

/** Windows of so many minutes on either side of an instant. */
export function around(at: Date, minutes: number): Pick<Asked, 'before' | 'after'> {
  const moved = (by: number) => new Date(at.getTime() + by * minutes * MINUTE_MS);
  return { before: { from: moved(-1), to: at }, after: { from: at, to: moved(1) } };
}

/** Writes a comparison down in the caller's transaction. Throws `not_found` for the target, `conflict` where too many wait. */
export async function insertComparison(
  tx: Prisma.TransactionClient,
  { before, after, ...asked }: Asked & { milestone: Milestone },
  createdBy: string,
): Promise<Comparison> {
  const target = await tx.target.findFirst({ where: { id: asked.targetId, deletedAt: null } });
  if (!target) throw notFound('target', asked.targetId, 'targetId');
  if ((await tx.comparison.count({ where: { computedAt: null } })) >= MOST_WAITING)
    throw new ServiceError('conflict', `${MOST_WAITING} comparisons are waiting already; try again later.`);
  const row = await tx.comparison.create({
    data: {
      ...asked,
      id: uuid(),
      beforeFrom: before.from,
      beforeTo: before.to,
      afterFrom: after.from,
      afterTo: after.to,
      dueAt: new Date(Math.max(before.to.getTime(), after.to.getTime()) + SETTLE_MS),
      createdBy,
      demo: target.demo,
    },
  });
  return present(row, new Map([[target.id, target.name]]));
}

/** Throws `not_found`. */
export async function deleteComparison(id: string): Promise<void> {
  const { count } = await getPrisma().comparison.deleteMany({ where: { id } });
  if (count === 0) throw notFound('comparison', id);
}

/** Of each of these markers the latest comparison. */
export async function comparisonsOfMarkers(markerIds: readonly string[]): Promise<Map<string, string>> {
  if (markerIds.length === 0) return new Map();
  const rows = await getPrisma().comparison.findMany({
    where: { markerId: { in: [...markerIds] } },
    select: { id: true, markerId: true },
    orderBy: { id: 'asc' },
  });
  return new Map(rows.flatMap(({ id, markerId }) => (markerId === null ? [] : [[markerId, id] as const])));
}

/** Deletes comparisons that are older than incidents are kept. Returns how many. */
export async function dropOldComparisons(now = new Date()): Promise<number> {
  const { incidentDays } = await readRetentionDays();
  const createdAt = { lt: new Date(now.getTime() - incidentDays * 1_440 * MINUTE_MS) };
  return (await getPrisma().comparison.deleteMany({ where: { createdAt } })).count;
}

async function targetNames(rows: readonly Row[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ targetId }) => targetId))];
  const targets = await getPrisma().target.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  return new Map(targets.map(({ id, name }) => [id, name]));
}

/** What was computed; null while it waits. */
function outcomeOf({ outcome }: Whole): ComparisonOutcome | null {
  return outcome === null ? null : ComparisonOutcome.parse(outcome);
}

/** A row as the API shows it. */
export function present(row: Row, names: ReadonlyMap<string, string>): Comparison {
  const milestone = Milestone.parse(row.milestone);
  const headline = row.headline === null ? null : ComparisonHeadline.parse(row.headline);
  const english = { locale: 'en', t: translator('en'), timeZone: 'UTC' } as const;
  return {
    id: row.id,
    targetId: row.targetId,
    targetName: names.get(row.targetId) ?? row.targetId,
    markerId: row.markerId,
    incidentId: row.incidentId,
    title: row.title,
    before: { from: row.beforeFrom.toISOString(), to: row.beforeTo.toISOString() },
    after: { from: row.afterFrom.toISOString(), to: row.afterTo.toISOString() },
    milestone,
    status: row.computedAt ? 'ready' : 'waiting',
    dueAt: row.dueAt.toISOString(),
    computedAt: row.computedAt?.toISOString() ?? null,
    headline,
    summary: headline && verdictText(english, headline),
    shared: row.shareHash !== null,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    demo: row.demo,
  };
}
