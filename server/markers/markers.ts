// Markers: changes that somebody made (a deploy, a new certificate) at an instant, of one target or of all. They are drawn
// into charts, and an incident names the ones near its beginning; a marker that comes later is added to incidents that it
// explains.

import { v7 as uuid } from 'uuid';
import type { Marker, MarkerCreate, MarkersQuery } from '#contract/marker.ts';
import type { Page } from '#contract/problem.ts';
import type { Prisma, Marker as Row } from '#prisma/generated/client.ts';
import { shownText, shownUrl } from '#server/access/secret-parameters.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { around, comparisonsOfMarkers, insertComparison } from '#server/comparisons/comparisons.ts';
import { getPrisma } from '#server/database/database.ts';
import { invalidField, notFound, ServiceError } from '#server/environment/errors.ts';
import { nameMarker } from '#server/incidents/candidates.ts';
import { decodeCursor, encodeCursor } from '#server/results/cursor.ts';

/** A page of markers, the latest first, as the viewer may see them. Throws `invalid` for a made-up cursor. */
export async function listMarkers(
  { limit, cursor, ...range }: MarkersQuery,
  viewer: Viewer = 'reader',
): Promise<Page<Marker>> {
  const after = cursor === undefined ? null : decodeCursor(cursor);
  const at = after && new Date(after.startedAt);
  const rows = await getPrisma().marker.findMany({
    where: {
      AND: [whereOf(range), at && after ? { OR: [{ at: { lt: at } }, { at, id: { lt: after.id } }] } : {}],
    },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const comparisons = await comparisonsOfMarkers(shown.map(({ id }) => id));
  return {
    data: shown.map((row) => present(row, comparisons, viewer)),
    nextCursor: rows.length > limit && last ? encodeCursor({ startedAt: last.at.getTime(), id: last.id }) : null,
  };
}

/** How many markers there are in a range, those of every target among them. */
export function countMarkers(range: Range): Promise<number> {
  return getPrisma().marker.count({ where: whereOf(range) });
}

type Range = Pick<MarkersQuery, 'target' | 'from' | 'to'>;

function whereOf({ target, from, to }: Range): Prisma.MarkerWhereInput {
  return {
    AND: [
      target === undefined ? {} : { OR: [{ targetId: null }, { targetId: target }] },
      from === undefined ? {} : { at: { gte: from } },
      to === undefined ? {} : { at: { lt: to } },
    ],
  };
}

/** A marker as the viewer may see it. Throws `not_found`. */
export async function getMarker(id: string, viewer: Viewer = 'reader'): Promise<Marker> {
  const row = await getPrisma().marker.findUnique({ where: { id } });
  if (!row) throw notFound('marker', id);
  return present(row, await comparisonsOfMarkers([id]), viewer);
}

/**
 * Marks a deploy or a change, now where `at` is left out, and names it in incidents that began near it; with `compareMinutes` asks
 * for a comparison around it, too. Throws `invalid` for an unknown target.
 */
export async function createMarker(input: MarkerCreate, createdBy: string): Promise<Marker> {
  const { targetId, at, compareMinutes, ...rest } = input;
  const target =
    targetId === null ? null : await getPrisma().target.findFirst({ where: { id: targetId, deletedAt: null } });
  if (targetId !== null && target === null) throw invalidField('targetId', 'is not a target');
  const data = { ...rest, id: uuid(), at: at ?? new Date(), targetId: target?.id ?? null, createdBy };
  return await getPrisma().$transaction(async (db) => {
    const marker = await db.marker.create({ data: { ...data, demo: target?.demo ?? false } });
    await nameMarker(db, marker);
    if (compareMinutes === undefined || target === null) return present(marker, new Map(), 'editor');
    const windows = around(marker.at, compareMinutes);
    const about = { targetId: target.id, markerId: marker.id, incidentId: null, title: marker.title };
    try {
      const comparison = await insertComparison(db, { ...about, ...windows, milestone: 'total' }, createdBy);
      return present(marker, new Map([[marker.id, comparison.id]]), 'editor');
    } catch (error) {
      // A deploy is marked however many comparisons wait; it can be compared later.
      if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
      return present(marker, new Map(), 'editor');
    }
  });
}

/** Throws `not_found`. */
export async function deleteMarker(id: string): Promise<void> {
  const { count } = await getPrisma().marker.deleteMany({ where: { id } });
  if (count === 0) throw notFound('marker', id);
}

function present(
  { id, at, targetId, title, text, url, createdBy, demo }: Row,
  comparisons: ReadonlyMap<string, string>,
  viewer: Viewer,
): Marker {
  const comparisonId = comparisons.get(id) ?? null;
  const words = viewer === 'editor' ? { text, url } : { text: shownText(text), url: url && shownUrl(url) };
  return { id, at: at.toISOString(), targetId, title, ...words, createdBy, demo, comparisonId };
}
