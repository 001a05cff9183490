import type { PoolClient } from 'pg';
import { getPool } from '#server/database/database.ts';
import { Block, type StoredBlock } from './pack.ts';

/** What names a block. */
export type BlockKey = { target_id: string; first_at: Date; first_id: string };

export const nameOfBlock = ({ target_id, first_at, first_id }: BlockKey) =>
  `${target_id} ${first_at.getTime()} ${first_id}`;

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
    const { rows } = await db.query<StoredBlock & BlockKey>(
      `select target_id, first_at, first_id, codec, ids, data from result_block
        join unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as wanted (target_id, first_at, first_id)
          using (target_id, first_at, first_id)
        where first_at between $4 and $5`,
      [
        Array.from(some.values(), ({ target_id }) => target_id),
        Array.from(some.values(), ({ first_at }) => first_at.toISOString()),
        Array.from(some.values(), ({ first_id }) => first_id),
        // Constants, so that the partitions of other days are left alone.
        new Date(Math.min(...Array.from(some.values(), ({ first_at }) => first_at.getTime()))),
        new Date(Math.max(...Array.from(some.values(), ({ first_at }) => first_at.getTime()))),
      ],
    );
    for (const row of rows) {
      const key = some.get(nameOfBlock(row));
      if (key) yield { key, block: new Block(row) };
    }
  }
}
