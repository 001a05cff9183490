import { randomUUID } from 'node:crypto';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertResults, makeResult } from './results.ts';

/**
 * What a made probe measured: the round trip, and the TLS time, ms. `refused`: of a handshake that offered a session; `ownDelay`: how
 * much may be the prober's own, ms, and `clean` whether it counts.
 */
export type Measured = {
  rtt: number;
  tls: number;
  ok?: boolean;
  refused?: boolean;
  ownDelay?: number;
  clean?: boolean;
};
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

/** What a row of `result` has of its own, with its type: the rest is the same in all. */
const OWN = {
  ...{ id: 'uuid', started_at: 'timestamptz', ok: 'boolean', clean: 'boolean' },
  ...{ tcp_us: 'int', rtt_us: 'int', min_rtt_us: 'int', tls_us: 'int', first_byte_us: 'int' },
  ...{ variant: 'smallint', resumed: 'boolean', late_us: 'int', stamped_by: 'smallint' },
} as const;
type Row = { id: string; started_at: Date } & Partial<Record<keyof typeof OWN, unknown>>;

/**
 * Writes results of checks, main ones or of handshakes that offered a session, over [from, to), seconds since 1970, one a `period`. One real Result is stored first; the
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
    const rows: Row[] = [];
    for (let at = from + (index % period); at < to; at += period) {
      const { rtt, tls, ok = true, refused, ownDelay, clean = true } = measure(check, at, index);
      rows.push({
        id: randomUUID(),
        started_at: new Date(at * 1_000),
        ok,
        clean,
        tcp_us: micros(rtt),
        rtt_us: micros(rtt),
        min_rtt_us: micros(rtt),
        tls_us: micros(tls),
        first_byte_us: micros(rtt) + 10_000,
        ...(refused !== undefined && { variant: 1, resumed: !refused }),
        ...(ownDelay !== undefined && { late_us: micros(ownDelay), stamped_by: 1 }),
      });
    }
    await copyOf(check, rows);
  }
}

async function copyOf({ targetId, vantage }: Check, rows: Row[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const template = makeResult({ targetId, vantage, startedAt: first.started_at.getTime() - 1, tls: 0.001 });
  await insertResults([template]);
  const { rows: columns } = await getPool().query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'result'::regclass and attnum > 0 and not attisdropped`,
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => (name in OWN ? `coalesce(n.${name}, r.${name})` : `r.${name}`));
  const types = Object.entries(OWN).map(([name, type]) => `${name} ${type}`);
  await getPool().query(
    `insert into result (${names.join()}) select ${values.join()}
      from result r cross join jsonb_to_recordset($3::jsonb) as n(${types.join()})
      where r.target_id = $1 and r.id = $2 and r.started_at = $4`,
    [targetId, template.id, JSON.stringify(rows), new Date(template.startedAt)],
  );
  await getPool().query('delete from result where target_id = $1 and id = $2', [targetId, template.id]);
}

/** Makes the rollups of all results that there are, as the jobs do: what is copied is in no log of theirs. */
export async function rollUpHistory(): Promise<void> {
  await getPool().query(`insert into rollup_dirty (target_id, step, bucket)
    select distinct target_id, 60, date_trunc('minute', started_at) from result`);
  await drainRollups({ settled: true });
}

const micros = (ms: number) => Math.round(ms * 1_000);
