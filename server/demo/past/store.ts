import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import * as copyStreams from 'pg-copy-streams';
import { v7 as uuid } from 'uuid';
import { inTransaction } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { getRetention } from '#server/database/retention.ts';
import { ROW_COLUMNS } from '#server/rollups/rollup-rows.ts';
import { TIERS, type Tier } from '#server/rollups/tiers.ts';
import type { BucketRange } from './past-rollups.ts';

/** A change that somebody made, epoch seconds. */
export type GeneratedMarker = { targetId: string; at: number; title: string; text: string };
/** Some buckets of a target at one tier. */
type Piece = { targetId: string; tier: Tier; range: BucketRange };
/** What is to be stored. `rowsOf` gives the rows of a piece as `tierRows` writes them. */
export type GeneratedPast = {
  from: number;
  to: number;
  targetIds: string[];
  rowsOf: (piece: Piece) => Uint8Array;
  markers: GeneratedMarker[];
};

const DAY = 86_400;
const HOUR = 3_600;

/**
 * Stores what was generated as rollups, and its markers, once however often it is called: first the minutes of the last day,
 * which is what a page shows that is opened at once, then the rest, each of the two whole or not at all. Says whether this
 * call stored the rest: not where it is there already, nor where a target was removed meanwhile.
 */
export async function storePast(past: GeneratedPast): Promise<boolean> {
  await ensurePartitions(daysOf(past).map((day) => day * 1_000));
  const pieces = Map.groupBy(piecesOf(past, await oldestKept(past.to)), ({ tier }) =>
    tier.step === 60 ? 'minutes' : 'rest',
  );
  await inTransaction(async (client) => {
    if (!(await claim(client, past, 'minutes'))) return;
    for (const piece of pieces.get('minutes') ?? []) await copyRows(client, piece.tier, past.rowsOf(piece));
    // The minutes of the past have no results, and are not open.
    await client.query('update rollup_progress set open_from = greatest(open_from, $1)', [Math.floor(past.to / 60)]);
  });
  return await inTransaction(async (client) => {
    if (!(await claim(client, past, 'rest'))) return false;
    for (const piece of pieces.get('rest') ?? []) await copyRows(client, piece.tier, past.rowsOf(piece));
    await markEnds(client, past);
    for (const marker of past.markers) await addMarker(client, marker);
    return true;
  });
}

const CLAIM = {
  minutes: `insert into setting (key, value, updated_at) values ('demo_past', $1, now()) on conflict (key) do nothing`,
  rest: `update setting set value = $1::jsonb || '{"stored": true}', updated_at = now()
    where key = 'demo_past' and value = $1::jsonb`,
} as const;

/**
 * The process that writes the setting stores a part of the past. The lock lets a removal of the demo wait until all of the
 * part is written, so that it removes all.
 */
async function claim(
  client: PoolClient,
  { from, to, targetIds }: GeneratedPast,
  part: keyof typeof CLAIM,
): Promise<boolean> {
  const { rowCount: there } = await client.query(
    'select id from target where id = any($1::uuid[]) and demo and deleted_at is null for key share',
    [targetIds],
  );
  if (there !== targetIds.length) return false;
  const { rowCount: written } = await client.query(CLAIM[part], [JSON.stringify({ from, to })]);
  return written === 1;
}

/** An instant of each day, epoch seconds. */
function daysOf({ from, to }: GeneratedPast): number[] {
  return Array.from({ length: Math.ceil((to - from) / DAY) + 1 }, (_, day) => Math.min(from + day * DAY, to));
}

/**
 * The first instant that each tier holds, by its step: no longer than results would be kept. One sample in ten minutes
 * says nothing further by the minute, so that only a day of minutes is stored.
 */
async function oldestKept(now: number): Promise<Record<Tier['step'], number>> {
  const { minuteDays, tenMinuteDays, hourDays, dayDays } = await getRetention();
  return {
    60: now - Math.min(1, minuteDays) * DAY,
    600: now - tenMinuteDays * DAY,
    3600: now - hourDays * DAY,
    86400: now - dayDays * DAY,
  };
}

/** A day of a target's tier each, in the order of time. Whole hours and days, so that no bucket is in two of them. */
function piecesOf({ from, to: end, targetIds }: GeneratedPast, kept: Record<Tier['step'], number>): Piece[] {
  return targetIds.flatMap((targetId) =>
    TIERS.flatMap((tier) => {
      const { step } = tier;
      const whole = Math.max(HOUR, step);
      const oldest = Math.max(Math.floor(from / whole) * whole, Math.ceil(kept[step] / whole) * whole);
      const days = Math.max(0, Math.ceil((end - oldest) / DAY));
      return Array.from({ length: days }, (_, day) => {
        const start = oldest + day * DAY;
        return { targetId, tier, range: { from: start, to: start + DAY, end } };
      });
    }),
  );
}

async function copyRows(client: PoolClient, { table }: Tier, rows: Uint8Array): Promise<void> {
  const stream = client.query(copyStreams.from(`copy ${table} (${ROW_COLUMNS.join(', ')}) from stdin (format binary)`));
  stream.end(rows);
  await finished(stream);
}

/** The ten minutes, the hour and the day in which the past ends go on with results: they are computed from what both have. */
async function markEnds(client: PoolClient, { to, targetIds }: GeneratedPast): Promise<void> {
  for (const { step } of TIERS.filter((tier) => tier.step > 60 && to % tier.step !== 0)) {
    const bucket = Math.floor(to / step) * step;
    await client.query(
      `insert into rollup_dirty (target_id, step, bucket, ready_at)
        select id, $2::int, to_timestamp($3), to_timestamp($3 + $2::int) from unnest($1::uuid[]) as id`,
      [targetIds, step, bucket],
    );
  }
}

async function addMarker(client: PoolClient, { targetId, at, title, text }: GeneratedMarker): Promise<void> {
  await client.query(
    `insert into marker (id, at, target_id, title, text, created_by, demo)
      values ($1, to_timestamp($2), $3, $4, $5, 'demo', true)`,
    [uuid({ msecs: at * 1_000 }), at, targetId, title, text],
  );
}
