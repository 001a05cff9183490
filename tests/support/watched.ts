import { TargetCreate } from '#contract/target.ts';
import { getPool } from '#server/database/database.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { createTarget, deleteTarget } from '#server/targets/targets.ts';
import { enrolVantages } from '#server/vantages/enrolments.ts';
import { deleteVantage } from '#server/vantages/vantages.ts';
import type { TlsTarget } from './tls-target.ts';

/** A target in the database of this process that is probed every second from one vantage alone, and the token for its prober. */
export type Watched = { token: string; vantageId: string; targetId: string };

export async function watch(target: TlsTarget): Promise<Watched> {
  const place = { name: 'the test machine', region: 'CN-GD', carrier: 'telecom', city: null, asn: null } as const;
  const { token, vantages } = await enrolVantages([{ ...place, access: 'idc' }]);
  const { url, settings } = target.check();
  const vantageId = vantages[0]?.id ?? '';
  const { id } = await createTarget(
    TargetCreate.parse({ url, vantages: { vantageIds: [vantageId] }, settings: { caPem: settings.caPem } }),
  );
  await getPool().query('update target set period_seconds = 1 where id = $1', [id]);
  return { token, vantageId, targetId: id };
}

/** Ends the watching: the target and its vantage are deleted. */
export async function unwatch({ targetId, vantageId }: Watched): Promise<void> {
  await getPool().query('update target set deleted_at = null where id = $1', [targetId]);
  await deleteTarget(targetId);
  await deleteVantage(vantageId);
}

type Stored = { id: string; startedAt: Date; clockOffsetMs: number | null };

export async function storedResults(targetId: string): Promise<Stored[]> {
  const { rows } = await getPool().query<Stored>(
    `select id, started_at as "startedAt", clock_offset_ms as "clockOffsetMs" from result
      where target_id = $1 order by started_at`,
    [targetId],
  );
  return rows;
}

/** One at a time: of two, either would leave to the other what that one has begun, and be done before it. */
let drained: Promise<unknown> = Promise.resolve();

/** Results a minute (its start, ms), of the rollups. */
export async function minutesOf(targetId: string): Promise<Map<number, number>> {
  drained = drained.then(() => drainRollups({ settled: true }));
  await drained;
  const { rows } = await getPool().query<{ bucket: Date; n: number }>(
    'select bucket, sum(total)::int as n from rollup_minute where target_id = $1 group by bucket order by bucket',
    [targetId],
  );
  return new Map(rows.map(({ bucket, n }) => [bucket.getTime(), n]));
}
