import type { PoolClient, QueryResultRow } from 'pg';
import { getPool, inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { dayOf, mayBeSealed } from './blocks.ts';
import { Block, type StoredBlock } from './pack.ts';

/** Results of a target in [from, to), ms since 1970. */
export type Span = { targetId: string; from: number; to: number };

/** Columns that every question may use: whose result it was, when, and what IS_MAIN and IS_INFORMATIVE look at. */
const COMMON = ['target_id', 'started_at', 'vantage_id', 'variant', 'ok', 'clean', 'failure_source_id'];
/** The types of columns, but for those that are whole numbers. */
const TYPES = new Map([
  ...['id', 'target_id', 'vantage_id'].map((name) => [name, 'uuid'] as const),
  ...['ok', 'clean', 'resumed'].map((name) => [name, 'bool'] as const),
  ['started_at', 'timestamptz'],
]);

/** A question in SQL about results: `text` is given what stands for `result`, which has the common columns and these alone. */
type Question = {
  spans: readonly Span[];
  columns?: readonly string[];
  values: readonly unknown[];
  text: (result: string) => string;
  rowMode?: 'array';
};

/** Blocks that are unpacked at once. */
const BLOCKS_AT_ONCE = 64;

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
    // The locks come first: rows of a day that is sealed later would be gone from a snapshot of before (TRUNCATE).
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
  { values, text, rowMode }: Question,
  sealed: Sealed | null,
): Promise<Row[]> {
  const how = rowMode ? { rowMode } : {};
  if (sealed === null) return (await db.query({ text: text('result'), values: [...values], ...how })).rows as Row[];
  const columns = [...sealed.keys()];
  const names = columns.join(', ');
  const arrays = columns.map((name, index) => `$${values.length + index + 1}::${TYPES.get(name) ?? 'int'}[]`);
  const both = `(select ${names} from result union all select * from unnest(${arrays.join(', ')}) as sealed (${names}))`;
  return (await db.query({ text: text(both), values: [...values, ...sealed.values()], ...how })).rows as Row[];
}

/** The sealed results of spans; null where there are none. */
async function unpack(
  db: Pick<PoolClient, 'query'>,
  spans: readonly Span[],
  columns: readonly string[] = [],
): Promise<Sealed | null> {
  const keys = await blocksOf(db, spans);
  if (keys.length === 0) return null;
  const sealed: Sealed = new Map([...COMMON, ...columns].map((name) => [name, []]));
  for (let at = 0; at < keys.length; at += BLOCKS_AT_ONCE)
    for (const block of await openAll(db, keys.slice(at, at + BLOCKS_AT_ONCE))) addCells(sealed, block, spans);
  return sealed;
}

type Key = { target_id: string; first_at: Date; first_id: string };

async function blocksOf(db: Pick<PoolClient, 'query'>, spans: readonly Span[]): Promise<Key[]> {
  const { rows } = await db.query<Key>(
    `select distinct b.target_id, b.first_at, b.first_id
      from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[]) as span (target_id, day, since, until)
      join result_block b on b.target_id = span.target_id and b.first_at >= span.day and b.first_at < span.until
        and b.last_at >= span.since
      where b.first_at >= $5 and b.first_at < $6`,
    [
      spans.map(({ targetId }) => targetId),
      spans.map(({ from }) => instantOf(dayOf(from))),
      spans.map(({ from }) => instantOf(from)),
      spans.map(({ to }) => instantOf(to)),
      // Constants, so that the partitions of other days are left alone.
      instantOf(spans.reduce((least, { from }) => Math.min(least, dayOf(from)), Infinity)),
      instantOf(spans.reduce((most, { to }) => Math.max(most, to), 0)),
    ],
  );
  return rows;
}

async function openAll(db: Pick<PoolClient, 'query'>, keys: readonly Key[]): Promise<Block[]> {
  const { rows } = await db.query<StoredBlock>(
    `select target_id, codec, ids, data from result_block
      join unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as wanted (target_id, first_at, first_id)
        using (target_id, first_at, first_id)`,
    [
      keys.map(({ target_id }) => target_id),
      keys.map(({ first_at }) => first_at.toISOString()),
      keys.map(({ first_id }) => first_id),
    ],
  );
  return rows.map((row) => new Block(row));
}

/** Adds the cells of the rows of a block that some span holds. */
function addCells(sealed: Sealed, block: Block, spans: readonly Span[]): void {
  const own = spans.filter(({ targetId }) => targetId === block.targetId);
  const rows = block.instants.flatMap((at, row) => (own.some(({ from, to }) => at >= from && at < to) ? row : []));
  for (const [name, cells] of sealed) for (const row of rows) cells.push(cellOf(name, block, row));
}

function cellOf(name: string, block: Block, row: number): unknown {
  if (name === 'target_id') return block.targetId;
  if (name === 'id') return block.idAt(row);
  const cell = block.cells(name)[row] ?? null;
  return cell instanceof Date ? cell.toISOString() : cell;
}

const instantOf = (ms: number) => new Date(ms).toISOString();
