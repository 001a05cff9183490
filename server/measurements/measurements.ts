// Probe now: one probe of a URL from each of several vantages. The life of a measurement: a person or a script creates it
// (here), with the vantages that its selection means (`choose.ts`), within the limits of contract/measurement.ts. Their probers
// hold a request for tasks open (`wake.ts`); the first to ask takes the tasks of its vantages, and sends each Result at once
// (`tasks.ts`). Who watches reads what has come (`read.ts`), or follows it (`events.ts`). A vantage whose prober is away fails
// at once; after a minute what has not answered counts as failed; after a week all of it is deleted. Nothing of it reaches
// results, rollups or the detector.

import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { v7 as uuid } from 'uuid';
import {
  IDEMPOTENCY_HOURS,
  MAX_MEASUREMENTS_KEPT,
  MEASUREMENT_DAYS,
  MEASUREMENT_SECONDS,
  MEASUREMENTS_A_MINUTE,
  type Measurement,
  type MeasurementCreate,
  MeasurementSettings,
  PROBER_AWAY_SECONDS,
} from '#contract/measurement.ts';
import { ProbeSettings } from '#contract/target.ts';
import { type Caller, nameOf, viewerOf } from '#server/access/access.ts';
import { allowsPrivateAddresses } from '#server/access/private-addresses.ts';
import { unmaskedUrl } from '#server/access/secret-parameters.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { getPool, getPrisma, inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { invalidField, ServiceError } from '#server/environment/errors.ts';
import { refusePrivateTarget, sendsElsewhere } from '#server/targets/address.ts';
import { acceptedSettings } from '#server/targets/settings.ts';
import { targetOfOrigin } from '#server/targets/target-ref.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { chooseVantages } from './choose.ts';
import { getMeasurement, readMeasurement } from './read.ts';
import { announceAnswers, announceTasks } from './wake.ts';

/** The creator of a measurement: a name to show, what its limit is counted by, and what it may see. */
export type Creator = { name: string; limitBy: string; viewer: Viewer };

/** Sessions share the limit of the dashboard, whatever their addresses. */
export const creatorOf = (caller: Caller): Creator => ({
  name: nameOf(caller),
  limitBy: caller.kind === 'key' ? caller.limitBy : nameOf(caller),
  viewer: viewerOf(caller),
});

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** As `createMeasurement`, without an `Idempotency-Key`. */
export const createMeasurement = async (input: MeasurementCreate, by: Creator, now?: Date): Promise<Measurement> =>
  (await createOnce(undefined, input, by, now)).measurement;

/**
 * Creates a measurement, whose tasks probers take at once. Throws `invalid` for an unknown target, a private address, settings that no
 * probe could work with or a selection of no vantage or too many, and `rate_limited` over a limit. With an `Idempotency-Key` that its creator
 * has used within a day gives the measurement of then, `replayed`; throws `key_reused` if that had another body.
 */
export async function createOnce(
  idempotencyKey: string | undefined,
  input: MeasurementCreate,
  by: Creator,
  now: Date = new Date(),
): Promise<{ measurement: Measurement; replayed: boolean }> {
  const bodyHash = createHash('sha256').update(JSON.stringify(input)).digest('hex');
  const request = idempotencyKey === undefined ? null : { idempotencyKey, bodyHash, limitBy: by.limitBy, now };
  // Before anything is looked up: what the first request found may be gone.
  const earlier = request && (await findMade(getPool(), request));
  const made = earlier ?? (await insertMeasurement(input, by, now, request));
  return { measurement: await getMeasurement(made.id, by.viewer, now), replayed: made.replayed };
}

/** A request with an `Idempotency-Key`, which is its creator's. */
type KeyedRequest = { idempotencyKey: string; bodyHash: string; limitBy: string; now: Date };
/** A measurement that this request made, or one with its key before (`replayed`). */
type Made = { id: string; replayed: boolean };

/** The measurement that this key has made. Throws `key_reused` if that was by another body. */
async function findMade(
  client: Pool | PoolClient,
  { idempotencyKey, bodyHash, limitBy, now }: KeyedRequest,
): Promise<Made | null> {
  const { rows } = await client.query<{ id: string; bodyHash: string }>(
    'select id, body_hash as "bodyHash" from measurement where limit_by = $1 and idempotency_key = $2 and created_at > $3',
    [limitBy, idempotencyKey, new Date(now.getTime() - IDEMPOTENCY_HOURS * HOUR_MS)],
  );
  const [made] = rows;
  if (made && made.bodyHash !== bodyHash)
    throw new ServiceError('key_reused', 'This Idempotency-Key was used with another body.', [
      { field: 'Idempotency-Key', message: `was used with another body within ${IDEMPOTENCY_HOURS} hours` },
    ]);
  return made ? { id: made.id, replayed: true } : null;
}

async function insertMeasurement(
  input: MeasurementCreate,
  by: Creator,
  now: Date,
  request: KeyedRequest | null,
): Promise<Made> {
  const watched = input.targetId === undefined ? null : await findTarget(input.targetId);
  const url = watched?.url ?? unmaskedUrl(input.url ?? '', null);
  const like = watched ?? (await targetOfOrigin(url));
  const settings = input.settings ?? settingsLike(like?.settings);
  const demo = like?.demo ?? false;
  const whole = ProbeSettings.parse(settings);
  if (!demo && !(await allowsPrivateAddresses())) refusePrivateTarget(url, whole);
  // What is allowed of the demo is its own servers alone.
  if (demo && sendsElsewhere({ url, settings: ProbeSettings.parse(like?.settings) }, { url, settings: whole }))
    throw invalidField('settings.address', 'and resolver cannot be chosen for a server of the demo');
  acceptedSettings(whole, null);
  const vantageIds = chooseVantages(input, [...(await vantageLabels()).values()], demo).map(({ id }) => id);
  const id = uuid({ msecs: now.getTime() });
  const host = new URL(url).hostname;
  const made = await inTransaction(async (client): Promise<Made> => {
    // Two requests at once must not both be the last that a limit allows.
    await lock(client, 'measurement');
    const earlier = request && (await findMade(client, request));
    if (earlier) return earlier;
    const { rows } = await client.query<Counted>(COUNT, [new Date(now.getTime() - MINUTE_MS), by.limitBy, host]);
    if (rows[0]) refuseOverLimit(rows[0], now);
    await client.query('delete from measurement where id in (select id from measurement order by id desc offset $1)', [
      MAX_MEASUREMENTS_KEPT - 1,
    ]);
    // One that made a measurement longer ago is free again.
    if (request)
      await client.query('update measurement set idempotency_key = null where limit_by = $1 and idempotency_key = $2', [
        by.limitBy,
        request.idempotencyKey,
      ]);
    await client.query(
      `insert into measurement (id, url, host, settings, demo, created_by, limit_by, created_at, ends_at, expires_at,
          idempotency_key, body_hash)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        id,
        url,
        host,
        JSON.stringify(settings),
        demo,
        by.name,
        by.limitBy,
        now,
        new Date(now.getTime() + MEASUREMENT_SECONDS * 1_000),
        new Date(now.getTime() + MEASUREMENT_DAYS * DAY_MS),
        request?.idempotencyKey ?? null,
        request?.bodyHash ?? null,
      ],
    );
    await client.query(
      `insert into measurement_vantage (measurement_id, vantage_id, away)
        select $1::uuid, v.id, coalesce(p.last_seen_at < $3, true)
        from vantage v left join prober p on p.id = v.prober_id where v.id = any($2::uuid[])`,
      [id, vantageIds, new Date(now.getTime() - PROBER_AWAY_SECONDS * 1_000)],
    );
    return { id, replayed: false };
  });
  if (!made.replayed) announceTasks();
  return made;
}

async function findTarget(id: string) {
  const target = await getPrisma().target.findFirst({ where: { id, deletedAt: null } });
  if (!target) throw invalidField('targetId', 'is unknown');
  return target;
}

/** The part of a target's settings that a measurement may have: those that need no secret and make no further probe. */
export function settingsLike(stored?: unknown): MeasurementSettings {
  const { sigalgs, ...settings } = ProbeSettings.parse(stored ?? {});
  const kept = Object.entries(settings).filter(([name]) => name in MeasurementSettings.shape);
  return MeasurementSettings.parse({ ...Object.fromEntries(kept), sigalgs: sigalgs === 'both' ? null : sigalgs });
}

type Counted = { byKey: number; byHost: number; keySince: Date | null; hostSince: Date | null };

const COUNT = `select
    count(*) filter (where limit_by = $2)::int as "byKey", min(created_at) filter (where limit_by = $2) as "keySince",
    count(*) filter (where host = $3)::int as "byHost", min(created_at) filter (where host = $3) as "hostSince"
  from measurement where created_at > $1`;

function refuseOverLimit({ byKey, byHost, keySince, hostSince }: Counted, now: Date): void {
  const { key, host } = MEASUREMENTS_A_MINUTE;
  const over = (message: string, since: Date | null) => {
    const left = since === null ? 60 : Math.ceil((since.getTime() + MINUTE_MS - now.getTime()) / 1_000);
    return new ServiceError('rate_limited', message, [], Math.max(1, left));
  };
  if (byKey >= key) throw over(`At most ${key} measurements a minute.`, keySince);
  if (byHost >= host) throw over(`At most ${host} measurements a minute of one host.`, hostSince);
}

/** Cancels a measurement, and takes back the tasks that are not begun; one that is over stays as it is. Throws `not_found`. */
export async function cancelMeasurement(id: string, now: Date = new Date()): Promise<void> {
  const { finished } = await readMeasurement(id, now);
  if (finished) return;
  await getPool().query('update measurement set cancelled_at = $2 where id = $1 and cancelled_at is null', [id, now]);
  announceTasks();
  announceAnswers(id);
}

/** Deletes measurements that have expired, and returns how many. */
export async function dropOldMeasurements(now: Date = new Date()): Promise<number> {
  const { rowCount } = await getPool().query('delete from measurement where expires_at <= $1', [now]);
  return rowCount ?? 0;
}
