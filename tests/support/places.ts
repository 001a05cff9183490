import { v7 } from 'uuid';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';

/** Puts a target into the database as it stands after `createTarget`; returns its id. */
export async function insertTarget(options: { demo?: boolean; name?: string } = {}): Promise<string> {
  const id = v7();
  await getPool().query(
    `insert into target (id, name, url, period_seconds, vantages, settings, demo, updated_at)
      values ($1, $2, 'https://shop.example.org/', 60, '{}', '{}', $3, now())`,
    [id, options.name ?? 'shop', options.demo ?? false],
  );
  return id;
}

/** Gives every target to every vantage (or to these) that is demo where it is, as `syncChecks` does for one that selects all. */
export async function assignAll(vantages?: VantageRef[]): Promise<void> {
  await getPool().query(
    `insert into "check" (id, target_id, vantage_id, revision)
      select gen_random_uuid(), t.id, v.id, nextval('check_revision') from target t join vantage v on v.demo = t.demo
      where $1::uuid[] is null or v.id = any($1)
      on conflict (target_id, vantage_id) do nothing`,
    [vantages?.map(({ id }) => id) ?? null],
  );
}

/** Puts a prober and its vantages into the database. */
export async function insertProber(vantages: VantageRef[], demo = false): Promise<string> {
  const proberId = v7();
  await getPool().query(
    `insert into prober (id, credential_hash, engine_version) values ($1, sha256($2::text::bytea), 1)`,
    [proberId, proberId],
  );
  for (const { id, name, country, region, city, carrier, asn, access } of vantages) {
    await getPool().query(
      `insert into vantage (id, name, country, region, city, carrier, asn, access, demo, prober_id)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [id, name, country, region, city, carrier, asn, access, demo, proberId],
    );
  }
  return proberId;
}
