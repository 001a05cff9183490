import { v7 as uuid } from 'uuid';
import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import { ProbeSettings, type Target, type TargetCreate, type TargetPatch, VantageSelector } from '#contract/target.ts';
import type { Target as Row } from '#prisma/generated/client.ts';
import { syncChecks } from './checks.ts';
import { getPrisma } from './database.ts';
import { invalidField, ServiceError } from './errors.ts';
import { pageOfRows, pageRange } from './page.ts';
import { refusePrivateTarget } from './target-address.ts';
import { refuseBrokenRoots } from './trusted-roots.ts';

/** Targets that are not deleted, oldest first. Throws `invalid` for a made-up cursor. */
export async function listTargets(query: PageQuery): Promise<Page<Target>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().target.findMany({
    where: { deletedAt: null, id: { gt: after } },
    orderBy: { id: 'asc' },
    take,
  });
  return pageOfRows(rows, query, present);
}

/** Throws `not_found`. */
export async function getTarget(id: string): Promise<Target> {
  const row = await getPrisma().target.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw notFound(id);
  return present(row);
}

/**
 * Starts watching a URL. Throws `invalid` for a loopback or private host unless such are allowed, or it is the demo's own,
 * and for trusted roots that cannot be read.
 */
export async function createTarget(input: TargetCreate, { demo = false } = {}): Promise<Target> {
  if (!demo) refusePrivateTarget(input.url, input.settings);
  refuseBrokenRoots(input.settings.caPem);
  await refuseUnknownVantages(input.vantages.vantageIds);
  const id = uuid();
  const row = await getPrisma().$transaction(async (tx) => {
    const created = await tx.target.create({
      data: { ...input, id, name: input.name ?? new URL(input.url).host, demo },
    });
    await syncChecks(tx, { targetIds: [id] });
    return created;
  });
  return present(row);
}

/** Changes a target; its probes follow within a poll of the probers. Throws `not_found` or `invalid`. */
export async function updateTarget(id: string, patch: TargetPatch): Promise<Target> {
  const before = await getTarget(id);
  if (!before.demo) refusePrivateTarget(patch.url ?? before.url, patch.settings ?? before.settings);
  if (patch.settings) refuseBrokenRoots(patch.settings.caPem);
  if (patch.vantages) await refuseUnknownVantages(patch.vantages.vantageIds);
  const row = await getPrisma().$transaction(async (tx) => {
    const [updated] = await tx.target.updateManyAndReturn({ where: { id, deletedAt: null }, data: patch });
    if (!updated) throw notFound(id);
    await syncChecks(tx, { targetIds: [id] });
    return updated;
  });
  return present(row);
}

/** Stops watching a target; its results stay until their retention ends. Throws `not_found`. */
export async function deleteTarget(id: string): Promise<void> {
  await getPrisma().$transaction(async (tx) => {
    const { count } = await tx.target.updateMany({ where: { id, deletedAt: null }, data: { deletedAt: new Date() } });
    if (count === 0) throw notFound(id);
    await syncChecks(tx, { targetIds: [id] });
  });
}

async function refuseUnknownVantages(ids: string[]): Promise<void> {
  const rows = await getPrisma().vantage.findMany({
    where: { id: { in: ids }, deletedAt: null },
    select: { id: true },
  });
  const known = new Set(rows.map((row) => row.id));
  const unknown = ids.findIndex((id) => !known.has(id.toLowerCase()));
  if (unknown >= 0) throw invalidField(`vantages.vantageIds.${unknown}`, 'is not a vantage');
}

const notFound = (id: string) =>
  new ServiceError('not_found', `There is no target ${id}.`, [{ field: 'id', message: 'is unknown' }]);

function present(row: Row): Target {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    periodSeconds: row.periodSeconds,
    enabled: row.enabled,
    vantages: VantageSelector.parse(row.vantages),
    settings: ProbeSettings.parse(row.settings),
    demo: row.demo,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
