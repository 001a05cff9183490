import type { ResultsQuery } from '#contract/query.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { watchedTarget } from '#server/targets/watched-target.ts';
import { selectVantages } from '#server/vantages/labels.ts';
import type { ResultRow } from './columns.ts';
import { followSpan } from './followers.ts';

/** A place in the order of the list: newest first, then by id. `startedAt` is in ms since 1970. */
export type Position = { startedAt: number; id: string };

/** A query with its places, target and main result looked up. */
export type Filter = {
  targetIds: string[];
  vantageIds: string[] | null;
  ok: boolean | null;
  variant: number | null;
  mainId: string | null;
  from: string | null;
  to: string | null;
};

/** Looks up what a query names. Throws `not_found` for an unknown target. Without a target all that are not deleted. */
export async function resolveFilter(query: ResultsQuery): Promise<Filter> {
  const targetIds = query.target === undefined ? await allTargets() : [(await watchedTarget(query.target)).id];
  const filter: Filter = {
    targetIds,
    vantageIds: await selectVantages(query),
    ok: query.ok ?? null,
    variant: query.variant === 'all' ? null : VARIANT_CODES[query.variant],
    mainId: query.mainId ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
  };
  return query.mainId === undefined ? filter : await nearMain(filter, query.mainId);
}

/** What follows a result is of its target and starts soon after it: the rest need not be searched. */
async function nearMain(filter: Filter, mainId: string): Promise<Filter> {
  const span = await followSpan(mainId);
  if (span === null) return { ...filter, targetIds: [] };
  return {
    ...filter,
    targetIds: filter.targetIds.filter((id) => id === span.targetId),
    from: filter.from !== null && Date.parse(filter.from) > span.from ? filter.from : instantOf(span.from),
    to: filter.to !== null && Date.parse(filter.to) < span.to ? filter.to : instantOf(span.to),
  };
}

const instantOf = (ms: number) => new Date(ms).toISOString();

async function allTargets(): Promise<string[]> {
  const { rows } = await getPool().query<{ id: string }>('select id from target where deleted_at is null');
  return rows.map((row) => row.id);
}

/** Spelt out and not a parameter: only so the index of failed results is used. */
const OUTCOME = { null: 'true', true: 'ok', false: 'not ok' } as const;

/**
 * The next rows after a position, newest first. Each target is read along its own index, newest first, and the targets
 * are merged: no scan and no sort of what is not shown.
 */
export async function selectRows(filter: Filter, after: Position | null, limit: number): Promise<ResultRow[]> {
  const { rows } = await getPool().query<ResultRow>(
    `select page.*, evidence from (
        select r.* from unnest($1::uuid[]) as t (id) cross join lateral (
          select * from result where target_id = t.id
            and ($2::timestamptz is null or started_at >= $2)
            and ($3::timestamptz is null or started_at < $3)
            and ${OUTCOME[`${filter.ok}`]}
            and ($4::uuid[] is null or vantage_id = any($4))
            and ($5::timestamptz is null or (started_at, id) < ($5, $6::uuid))
            and ($8::int2 is null or coalesce(variant, 0) = $8)
            and ($9::uuid is null or main_id = $9)
          order by started_at desc, id desc limit $7) r
        order by r.started_at desc, r.id desc limit $7) page
      left join result_evidence e
        on e.target_id = page.target_id and e.started_at = page.started_at and e.id = page.id
      order by page.started_at desc, page.id desc`,
    [
      filter.targetIds,
      filter.from,
      filter.to,
      filter.vantageIds,
      after === null ? null : new Date(after.startedAt),
      after?.id ?? null,
      limit,
      filter.variant,
      filter.mainId,
    ],
  );
  return rows;
}
