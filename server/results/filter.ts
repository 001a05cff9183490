import { MAX_DURATION_MS } from '#contract/bounds.ts';
import type { ResultsQuery } from '#contract/query.ts';
import { mayBeSealed } from '#server/blocks/blocks.ts';
import { openSealed } from '#server/blocks/find.ts';
import { type Needs, type SealedRow, timeOfId } from '#server/blocks/pack.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { rowsOf } from '#server/database/one-target.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import { targetRef } from '#server/targets/target-ref.ts';
import { selectVantages } from '#server/vantages/labels.ts';
import { COLUMNS, type ResultColumn, type ResultRow } from './columns.ts';

/** A place in the order of the list: newest first, then by id. `startedAt` is in ms since 1970. */
export type Position = { startedAt: number; id: string };

/** A query with its places, target and main result looked up. */
export type Filter = {
  ids: string[] | null;
  targetIds: string[];
  vantageIds: string[] | null;
  ok: boolean | null;
  variant: number | null;
  mainId: string | null;
  from: string | null;
  to: string | null;
};

/** The part of a query that says which results. */
export type ResultsFilter = Omit<ResultsQuery, 'limit' | 'cursor' | 'format' | 'bom'>;

/** Looks up what a query names. Throws `not_found` for an unknown target. Without a target all that are not deleted. */
export async function resolveFilter(query: ResultsFilter): Promise<Filter> {
  const targetIds = query.target === undefined ? await allTargets() : [(await targetRef(query.target)).id];
  const filter: Filter = {
    ids: query.ids ?? null,
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

/** Where the followers of a main result are, in ms since 1970: they run right after it. */
type FollowSpan = { targetId: string; from: number; to: number };

/** The span after a result, or null where it is unknown. */
export async function followSpan(mainId: string): Promise<FollowSpan | null> {
  const main = await findRow(mainId);
  if (!main) return null;
  const from = main.started_at.getTime();
  return { targetId: main.target_id, from, to: from + MAX_DURATION_MS };
}

/** So far (ms) the time in an id is from its result's at the most, but where a prober's clock was wrong. */
const ID_NEAR_MS = 43_200_000;

/** The row of a result with its evidence, be it sealed or not; null where there is none. */
export async function findRow(id: string): Promise<ResultRow | null> {
  return (await findRows([id]))[0] ?? null;
}

/** The rows of results with their evidence, be they sealed or not, of those of these ids that are there; in no order. */
export async function findRows(asked: readonly string[]): Promise<ResultRow[]> {
  const ids = [...new Set(asked.map((id) => id.toLowerCase()))];
  const times = ids.map(timeOfId);
  const [first, last] = [Math.min(...times) - ID_NEAR_MS, Math.max(...times) + ID_NEAR_MS];
  const found = new Map<string, ResultRow>();
  const add = (rows: ResultRow[]) => {
    for (const row of rows) if (!found.has(row.id)) found.set(row.id, row);
  };
  const missing = () => ids.filter((id) => !found.has(id));
  // A failed result is never sealed, and one of today is not yet; both are looked for at once where it may be either.
  const [rows, sealed] = await Promise.all([
    findUnsealed(ids, [first, last]),
    mayBeSealed(first) ? openSealed(ids) : [],
  ]);
  add([...rows, ...sealed.map((row) => wholeRow(row))]);
  // Rows first, now: it may have been sealed between the two.
  add((await openSealed(missing())).map((row) => wholeRow(row)));
  // A clock was wrong.
  add(await findUnsealed(missing(), null));
  return [...found.values()];
}

/** Where rows can be, by the times in their ids, or anywhere: in every partition that there is. */
async function findUnsealed(ids: string[], between: [from: number, to: number] | null): Promise<ResultRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await getPool().query<ResultRow>(
    `select r.*, e.evidence from result r
      left join result_evidence e on e.target_id = r.target_id and e.started_at = r.started_at and e.id = r.id
      where r.id = any($1::uuid[]) ${between ? 'and r.started_at between $2 and $3' : ''}`,
    [ids, ...(between ?? []).map((ms) => new Date(ms))],
  );
  return rows;
}

const EMPTY_ROW = Object.fromEntries(COLUMNS.map(({ column }) => [column, null]));

/** A sealed row with what its block has nothing of. */
export function wholeRow(row: SealedRow): ResultRow;
export function wholeRow(row: SealedRow | undefined): ResultRow | null;
export function wholeRow(row: SealedRow | undefined): ResultRow | null {
  return row ? ({ ...EMPTY_ROW, ...row } as unknown as ResultRow) : null;
}

const instantOf = (ms: number) => new Date(ms).toISOString();

async function allTargets(): Promise<string[]> {
  const { rows } = await getPool().query<{ id: string }>('select id from target where deleted_at is null');
  return rows.map((row) => row.id);
}

type Condition = [column: ResultColumn, asks: (column: string, value: string) => string];

/** What the fields of a filter ask of a row; one that is null asks nothing. */
const CONDITIONS: Record<'from' | 'to' | 'vantageIds' | 'variant' | 'mainId', Condition> = {
  from: ['started_at', (column, value) => `${column} >= ${value}::timestamptz`],
  to: ['started_at', (column, value) => `${column} < ${value}::timestamptz`],
  vantageIds: ['vantage_id', (column, value) => `${column} = any(${value}::uuid[])`],
  // A result that leaves its variant out is a main one.
  variant: ['variant', (column, value) => `coalesce(${column}, 0) = ${value}::int2`],
  mainId: ['main_id', (column, value) => `${column} = ${value}::uuid`],
};

/** Spelt out and not a parameter: only so the index of failed results is used. */
const OUTCOME = { null: 'true', true: 'ok', false: 'not ok' } as const;

/**
 * The next rows after a position, newest first. Each target is read along its own index, newest first, and the targets
 * are merged: no scan and no sort of what is not shown.
 */
export async function selectRows(
  filter: Filter,
  after: Position | null,
  limit: number,
  needs: Needs | null = null,
): Promise<ResultRow[]> {
  const values: unknown[] = [filter.targetIds, limit];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const asked = Object.entries(CONDITIONS).flatMap(([field, [column, asks]]) => {
    const value = filter[field as keyof typeof CONDITIONS];
    return value === null ? [] : asks(column, parameter(value));
  });
  if (after !== null) {
    const [startedAt, id] = [parameter(new Date(after.startedAt)), parameter(after.id)];
    asked.push(`(started_at, id) < (${startedAt}::timestamptz, ${id}::uuid)`);
  }
  const { rows } = await getPool().query<Omit<ResultRow, 'evidence'>>(
    `select ${needs ? needs.columns.map((column) => `r.${column}`).join(', ') : 'r.*'}
      from unnest($1::uuid[]) as t (id) cross join lateral (
        select * from (
          select * from ${rowsOf('result', filter.targetIds, values)} result
          where ${['target_id = t.id', OUTCOME[`${filter.ok}`], ...asked].join(' and ')}
          order by started_at desc, id desc limit $2) newest
        ${ONE_BY_ONE}) r
      order by r.started_at desc, r.id desc limit $2`,
    values,
  );
  return await withEvidence(rows);
}

/** In a statement of its own: Citus would join what is left after LIMIT with all evidence there is. */
async function withEvidence(results: Omit<ResultRow, 'evidence'>[]): Promise<ResultRow[]> {
  if (results.length === 0) return [];
  const targetIds = results.map((row) => row.target_id);
  const values: unknown[] = [targetIds, results.map((row) => row.started_at), results.map((row) => row.id)];
  const { rows } = await getPool().query<{ position: number; evidence: unknown }>(
    `select key.position::int, e.evidence from unnest($1::uuid[], $2::timestamptz[], $3::uuid[])
        with ordinality as key (target_id, started_at, id, position)
      cross join lateral (select evidence from ${rowsOf('result_evidence', targetIds, values)} e where target_id = key.target_id
        and started_at = key.started_at and id = key.id ${ONE_BY_ONE}) e`,
    values,
  );
  const evidence = new Map(rows.map((row) => [row.position - 1, row.evidence]));
  // The day of a row may have been sealed since: its evidence is in the block then.
  const bare = results.flatMap((row, index) =>
    evidence.has(index) || !mayBeSealed(row.started_at.getTime()) ? [] : row.id,
  );
  const sealed = new Map((await openSealed(bare)).map((row) => [`${row.id} ${row.target_id}`, row.evidence]));
  for (const [index, { id, target_id }] of results.entries())
    if (sealed.has(`${id} ${target_id}`)) evidence.set(index, sealed.get(`${id} ${target_id}`));
  return results.map((row, index) => ({ ...row, evidence: evidence.get(index) ?? null }));
}
