import type { Cause } from '#contract/explanation.ts';
import type { IncidentResolution } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPool } from '#server/database/database.ts';
import { type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';
import { EFFECT_FLOORS } from './effect.ts';
import type { StoredCell } from './row.ts';

// What series that no incident touches did while an incident lasted says what its own would have done (counterfactual.ts).

/** Other targets that are compared, and vantages without a series of the incident at which they, or its own targets, are. */
export const MAX_UNAFFECTED = { targets: 8, vantages: 40 } as const;

/**
 * Another incident counts as what happened meanwhile where its cause is what is shared, as congestion of a path is, and where it began so much
 * later than the hours before: one that begins together with this one may be of the same event, its cause mistaken; ms.
 */
const APART_MS = 1_800_000;

/** How incidents end whose values are as before. */
const BACK: IncidentResolution[] = ['recovered', 'rolled_back'];
/** And whose cells end though their values stay, or nobody knows. */
const UNKNOWN: IncidentResolution[] = ['superseded', 'unwatched'];

/** A range in ms since 1970. */
export type Range = { from: number; to: number };

/** A target at a vantage. */
export type Line = { targetId: string; vantageId: string };

/** Series that the incident does not touch, by what an own one shares with them; `tiersOf` names these, the nearest first. */
export type Unaffected = { tiers: ReadonlyMap<string, Line[]>; tiersOf: (own: Line) => string[] };

/** What others do not see yet: incidents that are not stored (`beside`), and what the transaction `db` has stored. */
export type Unstored = { beside?: readonly Touching[]; db?: Prisma.TransactionClient };

/** What is known of an incident: what caused it, and its cells. */
export type Touching = { cause: Cause | null; cells: readonly StoredCell[] };

/**
 * The series that share what did not cause an incident with those of it that are looked at (`own`): where it is the network, its targets
 * elsewhere, which share the server; where it is the server or its TLS, other targets of the same vantages, then of the same carriers,
 * which share the path. None without a cause. What other incidents touch is left out, what is `unstored` included:
 * series that were affected in the hours `before`, and those that are `now` and were not, or are of an incident that is open.
 * Improvements and what was accepted stay as they are. Both ranges in ms since 1970.
 */
export async function unaffectedBy(
  { cause, cells }: Touching,
  { own, before, now, unstored = {} }: { own: readonly Line[]; before: Range; now: Range; unstored?: Unstored },
): Promise<Unaffected> {
  if (cause === null) return { tiers: new Map(), tiersOf: () => [] };
  const labels = await vantageLabels();
  const compared = cause === 'network' ? elsewhere : onSamePaths;
  return await compared({ cells, own, labels, before, now, unstored });
}

type Labels = ReadonlyMap<string, VantageLabels>;
type Given = {
  cells: readonly StoredCell[];
  own: readonly Line[];
  labels: Labels;
  before: Range;
  now: Range;
  unstored: Unstored;
};

async function elsewhere({ cells, own, labels, ...when }: Given): Promise<Unaffected> {
  const touched = new Set(cells.map(({ vantageId }) => vantageId));
  const lines = await checksOf({
    vantageIds: presentIn(labels).filter((id) => !touched.has(id)),
    of: [...new Set(own.map(({ targetId }) => targetId))],
    notOf: [],
    near: [],
    shared: ['server', 'tls'],
    ...when,
  });
  const targets = [...Map.groupBy(lines, ({ targetId }) => targetId)];
  return {
    tiers: new Map(targets.map(([id, same]) => [id, same.slice(0, MAX_UNAFFECTED.vantages)])),
    tiersOf: ({ targetId }) => [targetId],
  };
}

async function onSamePaths({ cells, own, labels, ...when }: Given): Promise<Unaffected> {
  const carrierOf = (id: string) => `${labels.get(id)?.country} ${labels.get(id)?.carrier}`;
  const near = new Set(own.map(({ vantageId }) => vantageId));
  const carriers = new Set([...near].map(carrierOf));
  const farther = presentIn(labels).filter((id) => !near.has(id) && carriers.has(carrierOf(id)));
  const lines = await checksOf({
    vantageIds: [...near, ...farther.slice(0, MAX_UNAFFECTED.vantages)],
    of: null,
    notOf: [...new Set(cells.flatMap(({ targetId }) => targetId ?? []))],
    near: [...near],
    shared: ['network'],
    ...when,
  });
  const tiersOf = ({ vantageId }: Pick<Line, 'vantageId'>) => [vantageId, carrierOf(vantageId)];
  const named = lines.flatMap((line) => tiersOf(line).map((tier) => ({ tier, line })));
  const tiers = Map.groupBy(named, ({ tier }) => tier);
  return { tiers: new Map([...tiers].map(([tier, same]) => [tier, same.map(({ line }) => line)])), tiersOf };
}

const presentIn = (labels: Labels) =>
  [...labels.values()]
    .filter(({ deleted }) => !deleted)
    .flatMap(({ id }) => id ?? [])
    .sort();

type Asked = {
  vantageIds: string[];
  /** Of these targets alone; null: of all but `notOf`. */
  of: string[] | null;
  notOf: string[];
  /** Where there are more targets than are compared, those that are measured at most of these vantages, then at most of all. */
  near: string[];
  /** The causes that are what is shared: what they touched later than the hours before counts. */
  shared: Cause[];
} & Pick<Given, 'before' | 'now' | 'unstored'>;

/** What is measured at these vantages and touched by no other incident, of so many targets, by target and vantage. */
async function checksOf({ vantageIds, of, notOf, near, shared, before, now, unstored }: Asked): Promise<Line[]> {
  const { beside = [], db } = unstored;
  const since = new Date(before.to + APART_MS);
  const besides = beside.flatMap(({ cause, cells }) =>
    cells.filter(
      ({ changeAt }) => !(cause !== null && shared.includes(cause) && Date.parse(changeAt) > since.getTime()),
    ),
  );
  const sql = `with touched as materialized (
      select distinct target, vantage from (
        select cell ->> 'targetId' as target, cell ->> 'vantageId' as vantage, (cell ->> 'changeAt')::timestamptz as change_at,
            coalesce(i.cause, '') = any($5::text[]) as is_shared, i.status <> 'resolved' as is_open,
            case when i.kind <> 'improvement' and coalesce(i.resolution, '') <> all($16::text[])
              then coalesce((cell ->> 'recoveredAt')::timestamptz, (cell ->> 'quietSince')::timestamptz,
                case when i.resolution = any($14::text[]) then i.resolved_at end) end as over_at,
            case when i.resolution = 'by_hand' then i.resolved_at end as said_over_at
          from incident i cross join lateral jsonb_array_elements(i.cells) cell
          where i.merged_into is null and i.kind = any($4::text[]) and i.onset_at < $13::timestamptz + interval '1 day'
            and (i.status <> 'resolved' or i.resolved_at > $11)
      ) touching
        -- In the hours before, and over; or now, and not in the hours before.
        where change_at < $12 and coalesce(over_at, said_over_at) > $11
          or change_at < $13 and coalesce(over_at, 'infinity') > $15 and (is_open or change_at > $11)
            and not (is_shared and change_at > $6)
      union select * from unnest($7::text[], $8::text[])
    ), untouched as materialized (
      select c.target_id, c.vantage_id from "check" c join target t on t.id = c.target_id
      where c.vantage_id = any($1::uuid[]) and ($2::uuid[] is null or c.target_id = any($2)) and c.target_id <> all($3::uuid[])
        and c.deleted_at is null and t.deleted_at is null and t.enabled
        and not exists (select from touched where target = c.target_id::text and vantage = c.vantage_id::text)
    ), compared as (
      select target_id from untouched group by target_id
      order by count(*) filter (where vantage_id = any($9::uuid[])) desc, count(*) desc, target_id limit $10
    )
    select target_id as "targetId", vantage_id as "vantageId" from untouched join compared using (target_id) order by 1, 2`;
  const values = [
    ...[vantageIds, of, notOf, [...Object.keys(EFFECT_FLOORS), 'down'], shared, since],
    ...[besides.map(({ targetId }) => targetId), besides.map(({ vantageId }) => vantageId), near],
    MAX_UNAFFECTED.targets,
    ...[new Date(before.from), new Date(before.to), new Date(now.to), BACK, new Date(now.from), UNKNOWN],
  ];
  return db ? await db.$queryRawUnsafe<Line[]>(sql, ...values) : (await getPool().query<Line>(sql, values)).rows;
}
