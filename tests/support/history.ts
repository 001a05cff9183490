import { randomUUID } from 'node:crypto';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { insertResults, makeResult } from './results.ts';

/** What a made probe measured: the round trip, and what TLS took beyond it, ms. */
export type Measured = { rtt: number; tls: number; ok?: boolean };
export type Check = { targetId: string; vantage: VantageRef };

/** Uniform numbers in [0, 1), always the same (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Writes main results of checks over [from, to), seconds since 1970, one a `period`. One real Result is stored first; the
 * others are its copies with times of their own, since a history of days is many.
 */
export async function writeHistory(
  checks: Check[],
  { from, to, period = 60 }: { from: number; to: number; period?: number },
  measure: (check: Check, at: number, index: number) => Measured,
): Promise<void> {
  const days = Array.from({ length: Math.ceil((to - from) / 86_400) + 1 }, (_, day) => (from + day * 86_400) * 1_000);
  await ensurePartitions(days);
  for (const [index, check] of checks.entries()) {
    const rows: [string, Date, number, number, boolean][] = [];
    for (let at = from + (index % period); at < to; at += period) {
      const { rtt, tls, ok = true } = measure(check, at, index);
      rows.push([randomUUID(), new Date(at * 1_000), micros(rtt), micros(tls), ok]);
    }
    await copyOf(check, rows);
  }
}

async function copyOf({ targetId, vantage }: Check, rows: [string, Date, number, number, boolean][]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const template = makeResult({ targetId, vantage, startedAt: first[1].getTime() - 1, tls: 0.001 });
  await insertResults([template]);
  await getPool().query(
    `insert into result select (jsonb_populate_record(r, jsonb_build_object('id', n.id, 'started_at', n.at, 'ok', n.ok,
        'tcp_us', n.rtt, 'tls_us', n.tls, 'first_byte_us', n.rtt + 10000))).*
      from result r cross join unnest($3::uuid[], $4::timestamptz[], $5::int[], $6::int[], $7::bool[]) as n (id, at, rtt, tls, ok)
      where r.target_id = $1 and r.id = $2 and r.started_at = $8`,
    [
      targetId,
      template.id,
      rows.map(([id]) => id),
      rows.map(([, at]) => at),
      rows.map(([, , rtt]) => rtt),
      rows.map(([, , , tls]) => tls),
      rows.map(([, , , , ok]) => ok),
      new Date(template.startedAt),
    ],
  );
  await getPool().query('delete from result where target_id = $1 and id = $2', [targetId, template.id]);
}

const micros = (ms: number) => Math.round(ms * 1_000);
