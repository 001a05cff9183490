import type { PoolClient, QueryResultRow } from 'pg';
import { getPool, inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { rowsOf } from '#server/database/one-target.ts';
import { dayOf, mayBeSealed } from './blocks.ts';
import { type BlockKey, openBlocks } from './open.ts';
import type { Block } from './pack.ts';

/** Results of a target in [from, to), ms since 1970. */
export type Span = { targetId: string; from: number; to: number };

/** Columns that every question may use: whose result it was, when, and what IS_MAIN and IS_INFORMATIVE look at. */
const COMMON = ['target_id', 'started_at', 'vantage_id', 'variant', 'ok', 'clean', 'failure_source_id'];
/** The types of columns, but for those that are whole numbers. */
const TYPES = new Map([
  ...['id', 'target_id', 'vantage_id'].map((name) => [name, 'uuid'] as const),
  ...['ok', 'clean', 'resumed', 'hello_retry', 'window_exact'].map((name) => [name, 'bool'] as const),
  ['started_at', 'timestamptz'],
]);

/**
 * A question in SQL about results: `text` is given what stands for `result`, which has the common columns and these alone.
 * One that goes through results target by target, or minute by minute, takes what is sealed `apart`: PostgreSQL would go
 * through all of that for each. `sealed` is null where there is none.
 */
type Question = {
  spans: readonly Span[];
  columns?: readonly string[];
  values: readonly unknown[];
  rowMode?: 'array';
} & (
  | { apart?: false; text: (result: string) => string }
  | { apart: true; text: (result: string, sealed: string | null) => string }
);

/**
 * Asks about the results of some spans, be they rows or sealed; the question itself must ask for no others. What is sealed is
 * unpacked here and handed to PostgreSQL beside the rows, as of one instant: nothing is sealed until the transaction of `client`
 * ends; without one there is a snapshot for the purpose, where there may be blocks.
 */
export async function queryResults<Row extends QueryResultRow | unknown[]>(
  question: Question,
  client?: PoolClient,
): Promise<Row[]> {
  const old = question.spans.filter(({ from }) => mayBeSealed(from));
  if (old.length === 0) return await ask<Row>(client ?? getPool(), question, null);
  if (client) {
    await lock(client, 'sealing');
    return await ask<Row>(client, question, await unpack(client, old, question.columns));
  }
  return await inTransaction(async (snapshot) => {
    // The locks come first: rows of a day that is sealed later would be gone from an earlier snapshot (TRUNCATE).
    await snapshot.query(
      'set transaction isolation level repeatable read read only; lock table result, result_block in access share mode',
    );
    return await ask<Row>(snapshot, question, await unpack(snapshot, old, question.columns));
  });
}

/** Cells of sealed results, column by column. */
type Sealed = Map<string, unknown[]>;

async function ask<Row>(
  db: Pick<PoolClient, 'query'>,
  { spans, values, rowMode, ...how }: Question,
  sealed: Sealed | null,
): Promise<Row[]> {
  const all = [...values];
  const rows = rowsOf('result', targetsOf(spans), all);
  const columns = [...(sealed?.keys() ?? [])];
  const names = columns.join(', ');
  const arrays = columns.map((name) => `$${all.push(sealed?.get(name))}::${TYPES.get(name) ?? 'int'}[]`);
  const unpacked = sealed && `(select * from unnest(${arrays.join(', ')}) as sealed (${names}))`;
  const both = unpacked ? `(select ${names} from ${rows} stored union all select * from ${unpacked} sealed)` : rows;
  const text = how.apart ? how.text(rows, unpacked) : how.text(both);
  return (await db.query({ text, values: all, ...(rowMode ? { rowMode } : {}) })).rows as Row[];
}

const targetsOf = (spans: readonly Span[]) => spans.map(({ targetId }) => targetId);

/** The sealed results of spans; null where there are none. */
async function unpack(
  db: Pick<PoolClient, 'query'>,
  spans: readonly Span[],
  columns: readonly string[] = [],
): Promise<Sealed | null> {
  const keys = await blocksOf(db, spans);
  if (keys.length === 0) return null;
  const sealed: Sealed = new Map([...COMMON, ...columns].map((name) => [name, []]));
  const stretches = stretchesOf(spans);
  for await (const { block } of openBlocks(keys, db)) addCells(sealed, block, stretches.get(block.targetId) ?? []);
  return sealed;
}

async function blocksOf(db: Pick<PoolClient, 'query'>, spans: readonly Span[]): Promise<BlockKey[]> {
  const values: unknown[] = [
    targetsOf(spans),
    spans.map(({ from }) => instantOf(dayOf(from))),
    spans.map(({ from }) => instantOf(from)),
    spans.map(({ to }) => instantOf(to)),
    // Constants, so that the partitions of other days are left alone.
    instantOf(spans.reduce((least, { from }) => Math.min(least, dayOf(from)), Infinity)),
    instantOf(spans.reduce((most, { to }) => Math.max(most, to), 0)),
  ];
  const { rows } = await db.query<BlockKey>(
    `select distinct b.target_id, b.first_at, b.first_id
      from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[]) as span (target_id, day, since, until)
      join ${rowsOf('result_block', targetsOf(spans), values)} b on b.target_id = span.target_id and b.first_at >= span.day and b.first_at < span.until
        and b.last_at >= span.since
      where b.first_at >= $5 and b.first_at < $6`,
    values,
  );
  return rows;
}

type Stretch = { from: number; to: number };

/** The spans of each target, in the order of time; those that touch are one. */
function stretchesOf(spans: readonly Span[]): Map<string, Stretch[]> {
  const stretches = new Map<string, Stretch[]>();
  for (const { targetId, from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const own = stretches.get(targetId) ?? [];
    stretches.set(targetId, own);
    const last = own.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else own.push({ from, to });
  }
  return stretches;
}

/** Adds the cells of the rows of a block that some stretch holds. */
function addCells(sealed: Sealed, block: Block, stretches: readonly Stretch[]): void {
  const rows = block.instants.flatMap((at, row) => (isWithin(stretches, at) ? row : []));
  for (const [name, cells] of sealed) for (const row of rows) cells.push(cellOf(name, block, row));
}

function isWithin(stretches: readonly Stretch[], at: number): boolean {
  let [first, end] = [0, stretches.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if ((stretches[middle] as Stretch).to <= at) first = middle + 1;
    else end = middle;
  }
  const stretch = stretches[first];
  return stretch !== undefined && stretch.from <= at;
}

function cellOf(name: string, block: Block, row: number): unknown {
  if (name === 'target_id') return block.targetId;
  if (name === 'id') return block.idAt(row);
  const cell = block.cells(name)[row] ?? null;
  return cell instanceof Date ? cell.toISOString() : cell;
}

const instantOf = (ms: number) => new Date(ms).toISOString();
