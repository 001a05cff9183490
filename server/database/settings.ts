import type { PoolClient } from 'pg';
import { z } from 'zod';
import { Audience } from '#contract/audience.ts';
import { MOST_DAYS } from '#contract/retention.ts';
import { ProbeSettings } from '#contract/target.ts';
import { getPool, getPrisma } from './database.ts';

/** Facts about this installation, each with the shape it is kept in. */
const SETTINGS = {
  admin: z.object({ passwordHash: z.string() }),
  demo: z.object({ removed: z.boolean() }),
  // By target of the demo, its settings as the demo wrote them last: what differs was changed by somebody.
  demo_settings: z.record(z.string(), ProbeSettings),
  // The stretch of the demo's series that was generated, seconds since 1970; there once its minutes are. `stored` once all of it
  // is, `learnt` once the live detector knows its lines, `watched` once its own incidents are there.
  demo_past: z.object({
    from: z.number().int(),
    to: z.number().int(),
    stored: z.boolean().optional(),
    learnt: z.boolean().optional(),
    watched: z.boolean().optional(),
  }),
  // Where the demo's own receiver listens since the last start: the one private address that the demo's webhook may reach.
  demo_receiver: z.object({ url: z.string() }),
  // The link of `roundtrip sign-in`, until it is used.
  signInLink: z.object({ tokenHash: z.string(), expiresAt: z.iso.datetime() }),
  // How the users are spread over regions and carriers.
  audience: Audience,
  // Whether targets and webhooks may be private addresses, where the environment leaves it open.
  private_addresses: z.object({ allowed: z.boolean() }),
  // Days, by class of data (`retention.ts`, which says what the environment overrides).
  retention: z.record(z.string(), z.coerce.number().int().min(1).max(MOST_DAYS)).catch({}),
  // Up to when there was data of a class that is deleted, ms since 1970 (`retention.ts`).
  deleted_until: z.record(z.string(), z.number()),
};
type Key = keyof typeof SETTINGS;
type Value<K extends Key> = z.infer<(typeof SETTINGS)[K]>;

/** Reads a setting; null where it was never written. */
export async function readSetting<K extends Key>(key: K): Promise<Value<K> | null> {
  const row = await getPrisma().setting.findUnique({ where: { key } });
  return row ? (SETTINGS[key].parse(row.value) as Value<K>) : null;
}

/** Writes a setting, in the caller's transaction where one is given. */
export async function writeSetting<K extends Key>(
  key: K,
  value: Value<K>,
  db: Pick<PoolClient, 'query'> = getPool(),
): Promise<void> {
  await db.query(
    `insert into setting (key, value, updated_at) values ($1, $2, now())
       on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [key, value],
  );
}

/** Takes a setting away, so that its default counts. */
export async function deleteSetting(key: Key): Promise<void> {
  await getPrisma().setting.deleteMany({ where: { key } });
}

/** Writes a setting unless it is there; says whether this call was the one that wrote it. */
export async function writeSettingOnce<K extends Key>(key: K, value: Value<K>): Promise<boolean> {
  const { count } = await getPrisma().setting.createMany({ data: [{ key, value }], skipDuplicates: true });
  return count === 1;
}
