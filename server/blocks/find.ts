import type { PoolClient } from 'pg';
import { getPool } from '#server/database/database.ts';
import { type BlockKey, openBlocks, readBlocks } from './open.ts';
import { type Block, type SealedRow, TAIL_BYTES, tailOf, timeOfId } from './pack.ts';

/** Ids whose times are so close together (ms) are looked for as one range. */
const TOGETHER_MS = 600_000;
/** Blocks whose ids are looked through at once: 10 kB each. */
const BLOCKS_AT_ONCE = 256;
/** So few ids are looked for by the database, which then sends just the blocks that have them. */
const FEW_IDS = 8;

/** A sealed result, as far as it takes to tell it from others. */
export type SealedKey = Pick<SealedRow, 'id' | 'target_id' | 'started_at'> & {
  vantage_id: unknown;
  variant: unknown;
};

/** The sealed results of these ids, by what names them: of their blocks no more than that is decoded. One that is a row is not among them. */
export async function findSealed(
  ids: readonly string[],
  client: Pick<PoolClient, 'query'> = getPool(),
): Promise<SealedKey[]> {
  return await foundIn(ids, client, (block, row) => ({
    id: block.idAt(row),
    target_id: block.targetId,
    started_at: new Date(block.instants[row] as number),
    vantage_id: block.cells('vantage_id')[row],
    variant: block.cells('variant')[row],
  }));
}

/** The same whole, with their evidence. */
export async function openSealed(ids: readonly string[]): Promise<SealedRow[]> {
  return await foundIn(ids, getPool(), (block, row) => block.rowAt(row));
}

/** What `make` says of each of these results, block by block. */
async function foundIn<Found extends Pick<SealedRow, 'id' | 'target_id'>>(
  ids: readonly string[],
  client: Pick<PoolClient, 'query'>,
  make: (block: Block, row: number) => Found,
): Promise<Found[]> {
  if (ids.length === 0) return [];
  const holders = ids.length <= FEW_IDS ? await holdersOf(ids, client) : await holdersOfMany(ids, client);
  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  const tails = new Set(ids.map(tailText));
  const found = new Map<string, Found>();
  for await (const { block } of openBlocks(holders, client)) {
    for (const row of block.rowsOf(tails)) {
      if (!wanted.has(block.idAt(row))) continue;
      const each = make(block, row);
      found.set(`${each.id} ${each.target_id}`, each);
    }
  }
  return [...found.values()];
}

const tailText = (id: string) => tailOf(id).toString('latin1');

/** Blocks whose ids are of the times of these, and that hold the random bytes of one. */
async function holdersOf(ids: readonly string[], client: Pick<PoolClient, 'query'>): Promise<BlockKey[]> {
  const { rows } = await client.query<BlockKey>(
    `select distinct target_id, first_at, first_id from unnest($1::int8[], $2::bytea[]) as wanted (at, tail)
      join result_block on int8range(id_from, id_to, '[]') @> at and position(tail in ids) > 0`,
    [ids.map(timeOfId), ids.map(tailOf)],
  );
  return rows;
}

/** The same, looked through here. */
async function holdersOfMany(ids: readonly string[], client: Pick<PoolClient, 'query'>): Promise<BlockKey[]> {
  const { rows: candidates } = await client.query<BlockKey>(
    `select distinct target_id, first_at, first_id from unnest($1::int8[], $2::int8[]) as wanted (since, until)
      join result_block on int8range(id_from, id_to, '[]') && int8range(since, until, '[]')`,
    rangesOf(ids),
  );
  const tails = new Set(ids.map(tailText));
  const holders: BlockKey[] = [];
  for (let at = 0; at < candidates.length; at += BLOCKS_AT_ONCE) {
    const some = await readBlocks<{ ids: Buffer }>(candidates.slice(at, at + BLOCKS_AT_ONCE), 'ids', client);
    holders.push(...some.filter(({ ids: held }) => hasOne(held, tails)));
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
