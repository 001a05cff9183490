import type { Incident, IncidentsQuery } from '#contract/incident.ts';
import type { Page } from '#contract/problem.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { decodeCursor, encodeCursor } from '#server/results/cursor.ts';
import { presentIncidents } from './present.ts';
import { recordOf } from './row.ts';

/** The filters that incidents and regressions share. */
type Filters = Pick<IncidentsQuery, 'target' | 'region' | 'carrier' | 'status' | 'resolution' | 'from' | 'to'>;

/** A page of incidents, the last opened first. Throws `invalid` for a made-up cursor. */
export async function listIncidents(query: IncidentsQuery): Promise<Page<Incident>> {
  const { kind, severity, limit } = query;
  const rows = await getPrisma().incident.findMany({
    where: {
      AND: [
        whereOf(query),
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

function after({ cursor }: IncidentsQuery): Prisma.IncidentWhereInput {
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
      resolution?.length ? { resolution: { in: resolution } } : {},
      from === undefined ? {} : { onsetAt: { gte: from } },
      to === undefined ? {} : { onsetAt: { lt: to } },
    ],
  };
}
