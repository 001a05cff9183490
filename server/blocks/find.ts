import type { PoolClient } from 'pg';
import { getPool } from '#server/database/database.ts';
import { Block, type SealedRow, type StoredBlock, TAIL_BYTES, tailOf, timeOfId } from './pack.ts';

/** Ids whose times are so close together (ms) are looked for as one range. */
const TOGETHER_MS = 600_000;
/** Blocks whose ids are looked through at once: 10 kB each. */
const BLOCKS_AT_ONCE = 256;
/** So few ids are looked for by the database, which then sends just the blocks that have them. */
const FEW_IDS = 8;

type Key = { target_id: string; first_at: Date; first_id: string };

/** The sealed results of these ids. One that is a row is not among them. */
export async function findSealed(
  ids: readonly string[],
  client: Pick<PoolClient, 'query'> = getPool(),
): Promise<SealedRow[]> {
  if (ids.length === 0) return [];
  const holders = ids.length <= FEW_IDS ? await holdersOf(ids, client) : await holdersOfMany(ids, client);
  const found = new Map<string, SealedRow>();
  for (const key of holders) {
    const block = await openBlock(key, client);
    for (const id of ids) {
      const row = block?.rowOf(id) ?? null;
      if (block && row !== null) found.set(`${id} ${block.targetId}`, block.rowAt(row));
    }
  }
  return [...found.values()];
}

/** Blocks whose ids are of the times of these, and that hold the random bytes of one. */
async function holdersOf(ids: readonly string[], client: Pick<PoolClient, 'query'>): Promise<Key[]> {
  const { rows } = await client.query<Key>(
    `select distinct target_id, first_at, first_id from unnest($1::int8[], $2::bytea[]) as wanted (at, tail)
      join result_block on int8range(id_from, id_to, '[]') @> at and position(tail in ids) > 0`,
    [ids.map(timeOfId), ids.map(tailOf)],
  );
  return rows;
}

/** The same, looked through here. */
async function holdersOfMany(ids: readonly string[], client: Pick<PoolClient, 'query'>): Promise<Key[]> {
  const { rows: candidates } = await client.query<Key>(
    `select distinct target_id, first_at, first_id from unnest($1::int8[], $2::int8[]) as wanted (since, until)
      join result_block on int8range(id_from, id_to, '[]') && int8range(since, until, '[]')`,
    rangesOf(ids),
  );
  const tails = new Set(ids.map((id) => tailOf(id).toString('latin1')));
  const holders: Key[] = [];
  for (let at = 0; at < candidates.length; at += BLOCKS_AT_ONCE) {
    const some = candidates.slice(at, at + BLOCKS_AT_ONCE);
    const { rows } = await client.query<Key & { ids: Buffer }>(
      `select target_id, first_at, first_id, ids from result_block
        join unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as wanted (target_id, first_at, first_id)
          using (target_id, first_at, first_id)`,
      [
        some.map(({ target_id }) => target_id),
        some.map(({ first_at }) => first_at.toISOString()),
        some.map(({ first_id }) => first_id),
      ],
    );
    holders.push(...rows.filter((row) => hasOne(row.ids, tails)));
  }
  return holders;
}

function hasOne(ids: Buffer, tails: ReadonlySet<string>): boolean {
  for (let at = 0; at < ids.length; at += TAIL_BYTES)
    if (tails.has(ids.toString('latin1', at, at + TAIL_BYTES))) return true;
  return false;
}

/** The times of ids as a few ranges. */
function rangesOf(ids: readonly string[]): [since: number[], until: number[]] {
  const since: number[] = [];
  const until: number[] = [];
  for (const at of ids.map(timeOfId).sort((a, b) => a - b)) {
    const last = until.length - 1;
    if (last >= 0 && at - (until[last] as number) <= TOGETHER_MS) until[last] = at;
    else {
      since.push(at);
      until.push(at);
    }
  }
  return [since, until];
}

async function openBlock(key: Key, client: Pick<PoolClient, 'query'>): Promise<Block | null> {
  const { rows } = await client.query<StoredBlock>(
    'select target_id, codec, ids, data from result_block where target_id = $1 and first_at = $2 and first_id = $3',
    [key.target_id, key.first_at, key.first_id],
  );
  const [block] = rows;
  return block ? new Block(block) : null;
}
