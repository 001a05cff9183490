import { z } from 'zod';
import type { Incident, RegressionsQuery } from '#contract/incident.ts';
import type { Page } from '#contract/problem.ts';
import { getPrisma } from '#server/database/database.ts';
import { invalidField } from '#server/environment/errors.ts';
import { whereOf } from './list.ts';
import { presentIncidents } from './present.ts';
import { recordOf } from './row.ts';

/** A regression with the largest effect comes first, so its place is its effect and id. */
const Position = z.tuple([z.number(), z.uuid()]);

/** A page of lasting changes, the largest effect first, whichever its direction. Throws `invalid` for a made-up cursor. */
export async function listRegressions(query: RegressionsQuery): Promise<Page<Incident>> {
  const { kind, limit, order } = query;
  const field = order === 'ms' ? 'effectMs' : 'effectRatio';
  const candidates = await getPrisma().incident.findMany({
    where: { AND: [whereOf(query), { kind: { in: kind } }] },
    select: { id: true, effectMs: true, effectRatio: true },
  });
  const sorted = candidates
    .map((each) => ({ id: each.id, size: Math.abs(each[field] ?? 0) }))
    .toSorted((a, b) => b.size - a.size || (a.id < b.id ? 1 : -1));
  const start = query.cursor === undefined ? 0 : placeAfter(sorted, decode(query.cursor));
  const shown = sorted.slice(start, start + limit);
  const last = shown.at(-1);
  return {
    data: await inOrder(shown.map(({ id }) => id)),
    nextCursor: start + limit < sorted.length && last ? encode(last) : null,
  };
}

type Place = { id: string; size: number };

function placeAfter(sorted: Place[], [size, id]: [number, string]): number {
  const next = sorted.findIndex((each) => each.size < size || (each.size === size && each.id < id));
  return next < 0 ? sorted.length : next;
}

async function inOrder(ids: string[]): Promise<Incident[]> {
  const rows = await getPrisma().incident.findMany({ where: { id: { in: ids } } });
  const shown = await presentIncidents(getPrisma(), rows.map(recordOf));
  const byId = new Map(shown.map((incident) => [incident.id, incident]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const encode = ({ id, size }: Place) => Buffer.from(JSON.stringify([size, id])).toString('base64url');

function decode(cursor: string): [number, string] {
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw invalidField('cursor', 'is not one that this list gave');
  }
}
