import type pg from 'pg';
import { connectAlone } from './connection.ts';
import { DISTRIBUTION, DISTRIBUTION_COLUMN } from './distribution.ts';
import { inOrder } from './foreign-keys.ts';

/** `available`: the server has it, and this database does not yet. */
type Extension = 'absent' | 'available' | 'ready';

/**
 * Distributes the tables of a database with the extension Citus that are not distributed yet, with what they hold, and gives
 * their names; nothing without the extension. `create` makes the extension where the server has it. All of it or nothing: one
 * transaction. There must be no writer meanwhile.
 * @throws Error in words for the operator where `create` is asked for and the server has no Citus
 */
export async function distribute(url: string, { create = false } = {}): Promise<string[]> {
  const client = await connectAlone(url);
  try {
    const extension = await extensionOf(client);
    if (create && extension === 'absent')
      throw new Error(
        'this PostgreSQL has no Citus: install the extension on every node, and add citus to shared_preload_libraries',
      );
    if (create && extension === 'available') await client.query('create extension citus');
    else if (extension !== 'ready') return [];
    return await distributeTables(client);
  } finally {
    await client.end();
  }
}

async function extensionOf(client: pg.Client): Promise<Extension> {
  const { rows } = await client.query<{ made: boolean }>(
    `select installed_version is not null as made from pg_available_extensions where name = 'citus'`,
  );
  if (rows[0] === undefined) return 'absent';
  return rows[0].made ? 'ready' : 'available';
}

async function distributeTables(client: pg.Client): Promise<string[]> {
  await client.query('begin');
  try {
    // One after the other, since rows of tables that are everywhere name each other.
    await client.query(
      `set local citus.multi_shard_modify_mode = 'sequential'; set local client_min_messages = warning`,
    );
    const tables = await undistributed(client);
    const shards = await shardsFor(client);
    for (const table of tables) await client.query(...distributing(table, shards));
    await client.query('commit');
    // What they held is on the nodes now; the copy that it was made from goes.
    for (const table of tables)
      await client.query('select truncate_local_data_after_distributing_table($1)', [quoted(table)]);
    return tables;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

function distributing(table: string, shards: number): [text: string, values: string[]] {
  if (DISTRIBUTION[table as keyof typeof DISTRIBUTION] !== 'target')
    return ['select create_reference_table($1)', [quoted(table)]];
  const of = [quoted(table), DISTRIBUTION_COLUMN];
  return table === FIRST
    ? ['select create_distributed_table($1, $2, shard_count => $3)', [...of, `${shards}`]]
    : ['select create_distributed_table($1, $2, colocate_with => $3)', [...of, FIRST]];
}

/**
 * What is asked of many targets is a task a shard, and a batch of ingest a COPY a shard: so few for each node that has any, and in
 * all. Citus's own default is 32.
 */
const SHARDS = { ofNode: 2, least: 4 };

async function shardsFor(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ nodes: number }>(
    'select count(*)::int as nodes from pg_dist_node where shouldhaveshards and isactive',
  );
  return Math.max(SHARDS.least, SHARDS.ofNode * (rows[0]?.nodes ?? 0));
}

/** The shards of the others are beside those of this one. */
const FIRST = 'result';
const quoted = (table: string) => `"${table}"`;

/** What is not where it should be, tables that are everywhere first, each after those that its rows name. */
async function undistributed(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relname = any($1) and not exists (
        select from pg_dist_partition where logicalrelid = pg_class.oid and (partmethod = 'h' or repmodel = 't'))`,
    [Object.keys(DISTRIBUTION)],
  );
  const missing = new Set(rows.map(({ name }) => name));
  const placed = (at: string) => Object.entries(DISTRIBUTION).flatMap(([name, of]) => (of === at ? [name] : []));
  const order = await inOrder(client, [...placed('everywhere'), ...placed('target')]);
  return order.filter((name) => missing.has(name));
}
