import type { Incident, IncidentKind, IncidentsQuery } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { whereOf } from './list.ts';
import { presentIncidents } from './present.ts';
import { recordOf } from './row.ts';

/** Of these the time that they last is shown; of lasting changes the moment alone. */
const LASTING: IncidentKind[] = ['spike', 'threshold', 'down'];
const MOMENTS: IncidentKind[] = ['regression', 'improvement'];

type Range = Required<Pick<IncidentsQuery, 'from' | 'to' | 'limit'>> &
  Pick<IncidentsQuery, 'target' | 'region' | 'carrier'>;

/**
 * What was found in a range, latest first: what began in it, and what began before and lasted into it. At most `limit` of
 * each; `total` counts all.
 */
export async function incidentsDuring({ from, to, limit, ...filters }: Range) {
  const begun = { kind: { in: [...LASTING, ...MOMENTS] }, onsetAt: { gte: from, lt: to } };
  const lasted = {
    kind: { in: LASTING },
    onsetAt: { lt: from },
    OR: [{ resolvedAt: null }, { resolvedAt: { gte: from } }],
  };
  const [inside, before] = await Promise.all(
    [begun, lasted].map((where) => read({ AND: [whereOf(filters), where] }, limit)),
  );
  const found = [inside, before].filter((each) => each !== undefined);
  return {
    incidents: found.flatMap(({ incidents }): Incident[] => incidents),
    total: found.reduce((sum, { total }) => sum + total, 0),
  };
}

async function read(where: Prisma.IncidentWhereInput, take: number) {
  const [total, rows] = await Promise.all([
    getPrisma().incident.count({ where }),
    getPrisma().incident.findMany({ where, orderBy: [{ onsetAt: 'desc' }, { id: 'desc' }], take }),
  ]);
  return { total, incidents: await presentIncidents(getPrisma(), rows.map(recordOf)) };
}
