import { type Audience, audienceWeight } from '#contract/audience.ts';
import type { Location } from '#contract/extent.ts';
import type { Impact } from '#contract/incident.ts';
import type { IncidentKind, Severity } from '#contract/incident-vocabulary.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { readAudience } from '#server/vantages/audience.ts';
import { isMeasured, tellingCells } from './effect.ts';
import type { IncidentRecord, StoredCell } from './stored-incident.ts';

// What an incident means to the users: how many of them it reaches, and how much longer each of these waits. A place stands for
// the users of its region and carrier (contract/audience.ts) as their share of all places at which a target is measured.

/** How the users are spread, and where each target is measured: what impact is computed from. */
export type Users = { audience: Audience; measured: Map<string, Location[]> };

/** One series that is seen at so many of the users or more is no information alone: it is told at once. */
export const NOTIFY_AT_ONCE_SHARE = 0.05;
/** Severity: below this share of users one step less; from these on one step more. */
export const FEW_USERS_SHARE = 0.01;
export const MANY_USERS = { share: 0.3, weightedMs: 20 } as const;

/** Reads where these targets are measured, unless `users` knows it already. */
export async function loadUsers(
  db: Prisma.TransactionClient,
  users: Users | null,
  cells: readonly Pick<StoredCell, 'targetId'>[],
): Promise<Users> {
  const known = users ?? { audience: await readAudience(), measured: new Map<string, Location[]>() };
  const ids = [...new Set(cells.map(({ targetId }) => targetId))].filter((id) => id !== null);
  const missing = ids.filter((id) => !known.measured.has(id));
  const read = await measuredAt(db, missing);
  for (const id of missing) known.measured.set(id, read.get(id) ?? []);
  return known;
}

/** The places at which targets are measured, by their ids. */
export async function measuredAt(
  db: Prisma.TransactionClient,
  targetIds: readonly string[],
): Promise<Map<string, Location[]>> {
  if (targetIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ targetId: string; places: Location[] }[]>`
    select c.target_id as "targetId", json_agg(distinct jsonb_build_object('region', v.region, 'carrier', v.carrier)) as places
      from "check" c join vantage v on v.id = c.vantage_id
      where c.target_id = any(${targetIds}::uuid[]) and c.deleted_at is null and v.deleted_at is null
      group by c.target_id`;
  return new Map(rows.map(({ targetId, places }) => [targetId, places]));
}

/**
 * The share of the users of its targets that an incident affects, 0 to 1 (of several targets the mean), and the mean of what its
 * series exceed their level before by, ms, weighted by their users; while it goes on without what has recovered. Null where
 * no target of it is measured anywhere.
 */
export function impactOf(cells: readonly StoredCell[], { audience, measured }: Users): Impact | null {
  const lasting = cells.filter(({ recoveredAt }) => recoveredAt === null);
  const counted = lasting.length > 0 ? lasting : cells;
  const weightOf = (place: Location) => audienceWeight(audience, place);
  const shares = [...Map.groupBy(counted, ({ targetId }) => targetId)].flatMap(([targetId, own]) => {
    const all = distinct(measured.get(targetId ?? '') ?? []);
    const total = sum([...all.values()].map(weightOf));
    if (total === 0) return [];
    const affected = [...distinct(own.flatMap(placeOf))].filter(([key]) => all.has(key));
    return sum(affected.map(([, place]) => weightOf(place))) / total;
  });
  if (shares.length === 0 || !counted.some((cell) => placeOf(cell).length > 0)) return null;
  const share = Math.min(1, Math.round((sum(shares) / shares.length) * 1e9) / 1e9);
  const excesses = tellingCells(counted).flatMap((cell) => {
    const { kind, beforeMs, afterMs } = cell;
    // What rules measure is held against a limit.
    if (beforeMs === null || afterMs === null || !isMeasured(kind)) return [];
    return placeOf(cell).map((place) => ({ weight: weightOf(place), ms: afterMs - beforeMs }));
  });
  const weight = sum(excesses.map((each) => each.weight));
  const excessMs = weight === 0 ? null : sum(excesses.map((each) => each.weight * each.ms)) / weight;
  return { share, excessMs, weightedMs: excessMs === null ? null : share * excessMs };
}

/**
 * How grave an incident of a rule is by what it means to the users. What a rule calls `info` is no more than that; failures and
 * what rules measure have no excess, and are as grave as the rule says.
 */
export function severityBy(base: Severity, kind: IncidentKind, impact: Impact | null): Severity {
  if (kind === 'improvement') return 'info';
  if (impact === null || !isMeasured(kind)) return base;
  const { share, weightedMs } = impact;
  if (share < FEW_USERS_SHARE) return base === 'critical' ? 'warning' : 'info';
  const many = share >= MANY_USERS.share && weightedMs !== null && weightedMs >= MANY_USERS.weightedMs;
  return many && base === 'warning' ? 'critical' : base;
}

const RANK = { info: 0, warning: 1, critical: 2 } as const satisfies Record<Severity, number>;

/** Whether one severity is graver than another. */
export const isGraver = (one: Severity, other: Severity): boolean => RANK[one] > RANK[other];

/**
 * Puts its impact into an incident that is to be written, and its severity where the rule's (`base`) is given. Severity follows
 * from the rule's until the first notification, and only rises after that: who was told of something grave is not told its end as
 * a trifle.
 */
export function applyImpact(
  incident: Pick<IncidentRecord, 'kind' | 'status' | 'severity' | 'cells' | 'userShare' | 'excessMs'>,
  users: Users,
  base?: Severity,
  isTold = true,
): void {
  const impact = impactOf(incident.cells, users);
  incident.userShare = impact?.share ?? null;
  incident.excessMs = impact?.excessMs ?? null;
  if (base === undefined || !isMeasured(incident.kind)) return;
  // History may add cells and end it in one stretch; what was told stays as it was.
  if (isTold && incident.status === 'resolved') return;
  const severity = severityBy(base, incident.kind, impact);
  if (!isTold || isGraver(severity, incident.severity)) incident.severity = severity;
}

/** The severities of rules by their ids. */
export async function severitiesOf(db: Prisma.TransactionClient, ruleIds: readonly (string | null)[]) {
  const ids = [...new Set(ruleIds)].filter((id) => id !== null);
  const rows = await db.alertRule.findMany({ where: { id: { in: ids } }, select: { id: true, severity: true } });
  return new Map(rows.map(({ id, severity }) => [id, severity as Severity]));
}

const placeOf = ({ region, carrier }: Pick<StoredCell, 'region' | 'carrier'>): Location[] =>
  region === null || carrier === null ? [] : [{ region, carrier }];

const distinct = (places: readonly Location[]): Map<string, Location> =>
  new Map(places.map((place) => [`${place.region} ${place.carrier}`, place]));

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
