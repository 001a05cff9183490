// Probe now: one probe of a URL from each of several vantages. The life of a measurement: a person or a script creates it
// (here), with the vantages that its selection means (`choose.ts`), within the limits of contract/measurement.ts. Their probers
// hold a request for tasks open (`wake.ts`); the first to ask takes the tasks of its vantages, and sends each Result at once
// (`tasks.ts`). Who watches reads what has come (`read.ts`), or follows it (`events.ts`). A vantage whose prober is away fails
// at once; after a minute what has not answered counts as failed; after a week all of it is deleted. Nothing of it reaches
// results, rollups or the detector.

import { v7 as uuid } from 'uuid';
import {
  MAX_MEASUREMENTS_KEPT,
  MEASUREMENT_DAYS,
  MEASUREMENT_SECONDS,
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
import { getPool, getPrisma, onceStored } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { environment } from '#server/environment/environment.ts';
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
const DAY_MS = 86_400_000;

/**
 * Creates a measurement, whose tasks probers take at once. Throws `invalid` for an unknown target, a private address, settings that no
 * probe could work with or a selection of no vantage or too many, and `rate_limited` over a limit.
 */
export async function createMeasurement(
  input: MeasurementCreate,
  by: Creator,
  now: Date = new Date(),
): Promise<Measurement> {
  return await getMeasurement(await insertMeasurement(input, by, now), by.viewer, now);
}

async function insertMeasurement(input: MeasurementCreate, by: Creator, now: Date): Promise<string> {
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
  await getPrisma().$transaction(async (tx) => {
    // Two requests at once must not both be the last that a limit allows.
    await lock(tx, 'measurement');
    const since = new Date(now.getTime() - MINUTE_MS);
    const [counted] = await tx.$queryRawUnsafe<Counted[]>(COUNT, since, by.limitBy, host);
    if (counted) refuseOverLimit(counted, now);
    await tx.$executeRaw`delete from measurement
      where id in (select id from measurement order by id desc offset ${MAX_MEASUREMENTS_KEPT - 1})`;
    await tx.measurement.create({
      data: {
        id,
        url,
        host,
        settings,
        demo,
        createdBy: by.name,
        limitBy: by.limitBy,
        createdAt: now,
        endsAt: new Date(now.getTime() + MEASUREMENT_SECONDS * 1_000),
        expiresAt: new Date(now.getTime() + MEASUREMENT_DAYS * DAY_MS),
      },
    });
    await tx.$executeRaw`insert into measurement_vantage (measurement_id, vantage_id, away)
      select ${id}::uuid, v.id, coalesce(p.last_seen_at < ${new Date(now.getTime() - PROBER_AWAY_SECONDS * 1_000)}, true)
      from vantage v left join prober p on p.id = v.prober_id where v.id = any(${vantageIds}::uuid[])`;
  });
  onceStored(announceTasks);
  return id;
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
  from measurement where created_at > $1::timestamptz`;

function refuseOverLimit({ byKey, byHost, keySince, hostSince }: Counted, now: Date): void {
  const { ROUNDTRIP_MEASUREMENTS_PER_KEY: key, ROUNDTRIP_MEASUREMENTS_PER_HOST: host } = environment();
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
