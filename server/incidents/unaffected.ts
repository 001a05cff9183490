import type { Cause } from '#contract/explanation.ts';
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

/** A target at a vantage. */
export type Line = { targetId: string; vantageId: string };

/** Series that the incident does not touch, by what an own one shares with them; `tiersOf` names these, the nearest first. */
export type Unaffected = { tiers: ReadonlyMap<string, Line[]>; tiersOf: (own: Line) => string[] };

/** What is known of an incident: what caused it, and its cells. */
export type Touching = { cause: Cause | null; cells: readonly StoredCell[] };

/**
 * The series that share what did not cause an incident with those of it that are looked at (`own`): where it is the network, its targets
 * elsewhere, which share the server; where it is the server or its TLS, other targets of the same vantages, then of the same carriers,
 * which share the path. None without a cause. `until` is when the hours before are over, ms since 1970: what other incidents touched by then
 * is left out, and so is what `beside` touch, incidents that are not stored yet.
 */
export async function unaffectedBy(
  { cause, cells }: Touching,
  { own, until, beside = [] }: { own: readonly Line[]; until: number; beside?: readonly Touching[] },
): Promise<Unaffected> {
  if (cause === null) return { tiers: new Map(), tiersOf: () => [] };
  const labels = await vantageLabels();
  const compared = cause === 'network' ? elsewhere : onSamePaths;
  return await compared({ cells, own, labels, beside, since: new Date(until + APART_MS) });
}

type Labels = ReadonlyMap<string, VantageLabels>;
type Given = {
  cells: readonly StoredCell[];
  own: readonly Line[];
  labels: Labels;
  beside: readonly Touching[];
  since: Date;
};

async function elsewhere({ cells, own, labels, beside, since }: Given): Promise<Unaffected> {
  const touched = new Set(cells.map(({ vantageId }) => vantageId));
  const lines = await checksOf({
    vantageIds: presentIn(labels).filter((id) => !touched.has(id)),
    of: [...new Set(own.map(({ targetId }) => targetId))],
    notOf: [],
    near: [],
    shared: ['server', 'tls'],
    beside,
    since,
  });
  const targets = [...Map.groupBy(lines, ({ targetId }) => targetId)];
  return {
    tiers: new Map(targets.map(([id, same]) => [id, same.slice(0, MAX_UNAFFECTED.vantages)])),
    tiersOf: ({ targetId }) => [targetId],
  };
}

async function onSamePaths({ cells, own, labels, beside, since }: Given): Promise<Unaffected> {
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
    beside,
    since,
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
  /** The causes that are what is shared: what they touched after `since` counts. */
  shared: Cause[];
  beside: readonly Touching[];
  since: Date;
};

/** What is measured at these vantages and in no other incident that goes on, of so many targets, by target and vantage. */
async function checksOf({ vantageIds, of, notOf, near, shared, beside, since }: Asked): Promise<Line[]> {
  const besides = beside.flatMap(({ cause, cells }) =>
    cells.filter(
      ({ changeAt }) => !(cause !== null && shared.includes(cause) && Date.parse(changeAt) > since.getTime()),
    ),
  );
  const { rows } = await getPool().query<Line>(
    `with touched as materialized (
      select distinct cell ->> 'targetId' as target, cell ->> 'vantageId' as vantage
        from incident i cross join lateral jsonb_array_elements(i.cells) cell
        where i.status <> 'resolved' and i.merged_into is null and i.kind = any($4::text[])
          and not (coalesce(i.cause, '') = any($5::text[]) and (cell ->> 'changeAt')::timestamptz > $6)
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
    select target_id as "targetId", vantage_id as "vantageId" from untouched join compared using (target_id) order by 1, 2`,
    [
      ...[vantageIds, of, notOf, [...Object.keys(EFFECT_FLOORS), 'down'], shared, since],
      ...[besides.map(({ targetId }) => targetId), besides.map(({ vantageId }) => vantageId), near],
      MAX_UNAFFECTED.targets,
    ],
  );
  return rows;
}
