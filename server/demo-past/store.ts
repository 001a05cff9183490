import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import * as copyStreams from 'pg-copy-streams';
import { v7 as uuid } from 'uuid';
import { inTransaction } from '../database.ts';
import { ensurePartitions } from '../partitions.ts';
import { getRetention } from '../retention.ts';
import { TIERS, type Tier } from '../rollups/tiers.ts';
import { ROLLUP_COLUMNS, tierRows } from './rows.ts';
import type { GeneratedLine } from './sample.ts';

/** A change that somebody made, epoch seconds. */
export type GeneratedMarker = { targetId: string; at: number; title: string; text: string };
/** `lines` gives those of a target when they are asked for, so that they need not all be in memory. */
export type GeneratedPast = {
  from: number;
  to: number;
  targetIds: string[];
  linesOf: (targetId: string) => readonly GeneratedLine[];
  markers: GeneratedMarker[];
};

const DAY = 86_400;

/**
 * Stores what was generated as rollups, and its markers: all of it or nothing, and once however often it is called. Says
 * whether this call did it: not where it is there already, nor where a target was removed meanwhile.
 */
export async function storePast(past: GeneratedPast): Promise<boolean> {
  await ensurePartitions(daysOf(past));
  return await inTransaction(async (client) => {
    if (!(await claim(client, past))) return false;
    const kept = await oldestKept(past.to);
    for (const targetId of past.targetIds) {
      const lines = past.linesOf(targetId);
      for (const tier of TIERS) await copyTier(client, tier, since(lines, kept[tier.step]), past.to);
    }
    await markEnds(client, past);
    for (const marker of past.markers) await addMarker(client, marker);
    return true;
  });
}

/**
 * Whoever writes the setting stores the past. The lock lets a removal of the demo wait until all is written, so that it
 * removes all.
 */
async function claim(client: PoolClient, { from, to, targetIds }: GeneratedPast): Promise<boolean> {
  const { rowCount: there } = await client.query(
    'select id from target where id = any($1::uuid[]) and demo and deleted_at is null for key share',
    [targetIds],
  );
  if (there !== targetIds.length) return false;
  const { rowCount: written } = await client.query(
    `insert into setting (key, value, updated_at) values ('demo_past', $1, now()) on conflict (key) do nothing`,
    [JSON.stringify({ from, to })],
  );
  return written === 1;
}

function daysOf({ from, to }: GeneratedPast): number[] {
  return Array.from({ length: Math.ceil((to - from) / DAY) + 1 }, (_, day) => Math.min(from + day * DAY, to) * 1_000);
}

/**
 * The first instant that each tier holds, by its step: no longer than results would be kept. One sample in ten minutes
 * says no more by the minute, so that only a day of minutes is stored.
 */
async function oldestKept(now: number): Promise<Record<Tier['step'], number>> {
  const { minuteDays, tenMinuteDays, hourDays } = await getRetention();
  return { 60: now - Math.min(1, minuteDays) * DAY, 600: now - tenMinuteDays * DAY, 3600: now - hourDays * DAY };
}

function since(lines: readonly GeneratedLine[], kept: number): GeneratedLine[] {
  return lines.map((line) => ({ ...line, samples: line.samples.filter(({ at }) => at >= kept) }));
}

async function copyTier(client: PoolClient, tier: Tier, lines: GeneratedLine[], to: number): Promise<void> {
  const stream = client.query(
    copyStreams.from(`copy ${tier.table} (${ROLLUP_COLUMNS.join(', ')}) from stdin (format binary)`),
  );
  stream.end(tierRows(tier, lines, to));
  await finished(stream);
}

/** The ten minutes and the hour in which the past ends go on with results: they are computed from the minutes of both. */
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
