import { getPrisma } from '#server/database/database.ts';

/** The demo as it is in the database. `madeAt` is when its first target was made; there is nothing measured before. */
export type DemoInstallation = {
  madeAt: Date;
  targets: { id: string; host: string }[];
  vantages: { id: string; region: string; carrier: string }[];
};

/** The demo's targets and vantages, those deleted left out; null where there is no demo. */
export async function demoInstallation(): Promise<DemoInstallation | null> {
  const where = { demo: true, deletedAt: null };
  const [targets, vantages] = await Promise.all([
    getPrisma().target.findMany({
      where,
      orderBy: { createdAt: 'asc' },
      select: { id: true, url: true, createdAt: true },
    }),
    getPrisma().vantage.findMany({ where, orderBy: { id: 'asc' }, select: { id: true, region: true, carrier: true } }),
  ]);
  const [first] = targets;
  if (!first || vantages.length === 0) return null;
  return {
    madeAt: first.createdAt,
    targets: targets.map(({ id, url }) => ({ id, host: new URL(url).hostname })),
    vantages,
  };
}
