// Where it is watched from, and the probers that do it. The life of a vantage: an enrolment makes it, with a one-time token
// (`enrolments.ts`); a prober trades the token for a credential of its own, by which it is known from then on (`probers.ts`).
// It asks every ten seconds what to measure (`assignments.ts`) and says every 15 seconds how it is doing (`reports.ts`); that
// it was heard is noted as often (`contact.ts`). A vantage that is removed takes its checks along; a prober without a vantage
// is locked out. `labels.ts` keeps what charts and the detector need of all vantages.

import type { Page } from '#contract/problem.ts';
import type { NamedQuery } from '#contract/query.ts';
import type { VantageRef } from '#contract/result.ts';
import { type ProberActivity, silentSince, type Vantage, type VantagePatch } from '#contract/vantage.ts';
import { AccessType } from '#contract/vocabulary.ts';
import type { Prober, Vantage as Row } from '#prisma/generated/client.ts';
import { getPrisma, queryRows } from '#server/database/database.ts';
import { named, pageOfRows, pageRange } from '#server/database/page.ts';
import { invalidField, notFound } from '#server/environment/errors.ts';
import { syncChecks } from '#server/targets/checks.ts';
import { forgetProbers } from './probers.ts';
import { proberActivities } from './reports.ts';

const withProber = { prober: true } as const;

/** Vantages that are not deleted, oldest first. Throws `invalid` for a made-up cursor. */
export async function listVantages(query: NamedQuery): Promise<Page<Vantage>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().vantage.findMany({
    where: { deletedAt: null, id: { gt: after }, ...named(query) },
    include: withProber,
    orderBy: { id: 'asc' },
    take,
  });
  const activities = await proberActivities(rows.flatMap((row) => row.proberId ?? []));
  return pageOfRows(rows, query, (row) => presentVantage(row, activities));
}

/** How many vantages there are whose probers measure, and of how many the prober is silent at `now` (ms). */
export async function countVantages(now: number): Promise<{ measuring: number; silent: number }> {
  const [counts] = await queryRows<{ measuring: number; silent: number }>(
    `select count(*)::int as measuring, count(*) filter (where p.last_seen_at <= $1)::int as silent
      from vantage v left join prober p on p.id = v.prober_id
      where v.deleted_at is null and not v.imported`,
    [silentSince(now)],
  );
  return counts ?? { measuring: 0, silent: 0 };
}

/** Throws `not_found`. */
export async function getVantage(id: string): Promise<Vantage> {
  const row = await getPrisma().vantage.findFirst({ where: { id, deletedAt: null }, include: withProber });
  if (!row) throw notFound('vantage', id);
  return presentVantage(row, await proberActivities(row.proberId === null ? [] : [row.proberId]));
}

/** Changes labels, and whether it may hold secrets. Throws `not_found`, or `invalid` where region and country would no longer go together. */
export async function updateVantage(id: string, patch: VantagePatch): Promise<Vantage> {
  const before = await getVantage(id);
  const { country, region } = { ...before, ...patch };
  if (!region.startsWith(`${country}-`)) {
    throw invalidField(
      patch.region ? 'region' : 'country',
      `does not go with the ${patch.region ? `country ${country}` : `region ${region}`}`,
    );
  }
  await getPrisma().$transaction(async (tx) => {
    const { count } = await tx.vantage.updateMany({ where: { id, deletedAt: null }, data: patch });
    if (count === 0) throw notFound('vantage', id);
    // Who made them may not be allowed to make any for a vantage that may hold secrets.
    if (patch.mayHoldSecrets && !before.mayHoldSecrets)
      await tx.enrolment.deleteMany({ where: { vantageId: id, usedAt: null } });
    await syncChecks(tx, { vantageIds: [id] });
  });
  return getVantage(id);
}

/**
 * Removes a vantage and its prober's right to it. It keeps its prober's id, so that a prober that serves others too
 * still learns that these checks are gone. Throws `not_found`.
 */
export async function deleteVantage(id: string): Promise<void> {
  await getPrisma().$transaction(async (tx) => {
    const { count } = await tx.vantage.updateMany({ where: { id, deletedAt: null }, data: { deletedAt: new Date() } });
    if (count === 0) throw notFound('vantage', id);
    await tx.enrolment.deleteMany({ where: { vantageId: id, usedAt: null } });
    await syncChecks(tx, { vantageIds: [id] });
  });
  forgetProbers();
}

/** A vantage's row as the API shows it, with what its prober told of its work. */
export function presentVantage(
  row: Row & { prober: Prober | null },
  activities: ReadonlyMap<string, ProberActivity> = new Map(),
): Vantage {
  return {
    ...presentVantageRef(row),
    demo: row.demo,
    imported: row.imported,
    mayHoldSecrets: row.mayHoldSecrets,
    proberId: row.proberId,
    lastSeenAt: row.prober?.lastSeenAt?.toISOString() ?? null,
    clockSkewMs: row.prober?.clockSkewMs ?? null,
    prober: (row.proberId && activities.get(row.proberId)) || null,
    busy: busyOf(row),
    createdAt: row.createdAt.toISOString(),
  };
}

const DAY_MS = 86_400_000;

function busyOf({ busySince, busyUntil }: Row): Vantage['busy'] {
  if (busySince === null || (busyUntil && Date.now() - busyUntil.getTime() > DAY_MS)) return null;
  return { since: busySince.toISOString(), until: busyUntil?.toISOString() ?? null };
}

/** The labels alone, as probers carry them. */
export function presentVantageRef(row: Row): VantageRef {
  return {
    id: row.id,
    name: row.name,
    country: row.country,
    region: row.region,
    city: row.city,
    carrier: row.carrier,
    asn: row.asn === null ? null : Number(row.asn),
    access: AccessType.parse(row.access),
  };
}
