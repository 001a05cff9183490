import type { PoolClient } from 'pg';
import { getPool } from '#server/database/database.ts';
import { Block, type StoredBlock } from './pack.ts';

/** What names a block. */
export type BlockKey = { target_id: string; first_at: Date; first_id: string };

export const nameOfBlock = ({ target_id, first_at, first_id }: BlockKey) =>
  `${target_id} ${first_at.getTime()} ${first_id}`;

/** These columns of the blocks of these keys. */
export async function readBlocks<Columns>(
  keys: readonly BlockKey[],
  columns: string,
  db: Pick<PoolClient, 'query'>,
): Promise<(Columns & BlockKey)[]> {
  const instants = keys.map(({ first_at }) => first_at.getTime());
  const { rows } = await db.query<Columns & BlockKey>(
    `select target_id, first_at, first_id, ${columns} from result_block
      join unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as wanted (target_id, first_at, first_id)
        using (target_id, first_at, first_id)
      where first_at between $4 and $5`,
    [
      keys.map(({ target_id }) => target_id),
      keys.map(({ first_at }) => first_at.toISOString()),
      keys.map(({ first_id }) => first_id),
      // Constants, so that the partitions of other days are left alone.
      new Date(Math.min(...instants)),
      new Date(Math.max(...instants)),
    ],
  );
  return rows;
}

/** Blocks that are read at once, as they are stored: 80 kB each. */
const READ_AT_ONCE = 16;

/**
 * The blocks of these keys, one after the other: half a MB each, of which no other is unpacked here meanwhile. One that is
 * gone, past its retention, is left out.
 */
export async function* openBlocks<Key extends BlockKey>(
  keys: readonly Key[],
  db: Pick<PoolClient, 'query'> = getPool(),
): AsyncGenerator<{ key: Key; block: Block }, void> {
  for (let at = 0; at < keys.length; at += READ_AT_ONCE) {
    const some = new Map(keys.slice(at, at + READ_AT_ONCE).map((key) => [nameOfBlock(key), key]));
    for (const row of await readBlocks<StoredBlock>([...some.values()], 'codec, ids, data', db)) {
      const key = some.get(nameOfBlock(row));
      if (key) yield { key, block: new Block(row) };
    }
  }
}
