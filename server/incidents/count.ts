import { getPrisma } from '#server/database/database.ts';

const TROUBLE = { kind: { not: 'improvement' } };

/** How many incidents wait for somebody, and how many somebody has taken. Improvements are not counted: nothing is wrong. */
export async function countIncidents(): Promise<{ open: number; acknowledged: number }> {
  const rows = await getPrisma().incident.groupBy({
    by: ['status'],
    where: { ...TROUBLE, status: { in: ['open', 'acknowledged'] } },
    _count: true,
  });
  const of = (status: string) => rows.find((row) => row.status === status)?._count ?? 0;
  return { open: of('open'), acknowledged: of('acknowledged') };
}

/** How many incidents wait for somebody. */
export function countOpenIncidents(): Promise<number> {
  return getPrisma().incident.count({ where: { ...TROUBLE, status: 'open' } });
}
