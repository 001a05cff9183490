import { loadavg } from 'node:os';
import type { VantageRef } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { readStatus } from '#server/detection/status.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { DAY, HOUR } from '../support/detecting.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

/**
 * Prints what it takes to go through results that were measured while no jobs ran, one probe a minute of each check: `catch-up [CHECKS]
 * [HOURS]`.
 */
export async function benchCatchUp([checks = '4650', hours = '2']: string[]): Promise<void> {
  if (!(Number(checks) >= 1 && Number(hours) >= 1)) throw new Error('catch-up [CHECKS] [HOURS]');
  const vantages = mainlandVantages().slice(0, Number(checks));
  const end = Math.floor(Date.now() / 1_000 / HOUR) * HOUR;
  const from = end - Number(hours) * HOUR;
  await onFreshDatabase(async () => {
    await insertProber(vantages);
    const targets: string[] = [];
    for (let n = 0; n < Math.ceil(Number(checks) / vantages.length); n++)
      targets.push(await insertTarget({ name: `shop ${n}` }));
    const days = Math.ceil(Number(hours) / 24) + 2;
    await ensurePartitions(Array.from({ length: days }, (_, day) => (end + DAY - day * DAY) * 1_000));
    await writeResults(targets, vantages, { from, to: end });
    await getPool().query('vacuum analyze');
    process.stdout.write(`${targets.length * vantages.length} checks, ${hours} hours\n`);
    await catchUp(end + GRACE_SECONDS);
  });
}

/** A result a minute of each check in [from, to), seconds since 1970, made in PostgreSQL. */
async function writeResults(
  targets: string[],
  vantages: VantageRef[],
  { from, to }: { from: number; to: number },
): Promise<void> {
  const [targetId = '', vantage] = [targets[0], vantages[0]];
  if (!vantage) throw new Error('no vantage');
  // The words that rows name by number.
  await insertResults([makeResult({ targetId, vantage, startedAt: from * 1_000 })]);
  const noisy = (ms: number) =>
    `round(${ms * 1_000} * exp(0.04 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())))::int`;
  for (let day = from; day < to; day += DAY)
    await getPool().query(
      `insert into result (target_id, started_at, id, vantage_id, url_id, engine_version, demo, ok, clean, loop_delay_us,
          in_flight, dns_us, tcp_us, tls_us, first_byte_us, download_us, total_us, namelookup_us, connect_us, appconnect_us,
          pretransfer_us, starttransfer_us, end_us, peer_port, local_port, family, min_rtt_us, retransmits, snd_cwnd)
        select target, to_timestamp($3::float8 + 60 * n + (v * 7 + t) % 60), gen_random_uuid(), vantage, (select url_id from result limit 1), 1,
          false, true, true, 300, 4, 1, ${noisy(40)}, ${noisy(45)}, ${noisy(50)}, 5, 6, 7, 8, 9, 10, 11, 12, 443, 40000, 4, 13, 0, 10
        from generate_series(0, $4::int - 1) n, unnest($1::uuid[]) with ordinality as targets (target, t),
          unnest($2::uuid[]) with ordinality as vantages (vantage, v)`,
      [targets, vantages.map(({ id }) => id), day, Math.min(DAY, to - day) / 60],
    );
}

async function catchUp(now: number): Promise<void> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  const before = process.memoryUsage().rss;
  let most = before;
  const job = createDetectionJob();
  while (await job.step(now * 1_000)) most = Math.max(most, process.memoryUsage().rss);
  await job.close();
  const { user, system } = process.cpuUsage(cpu);
  const status = await readStatus();
  const figures = {
    secondsUntilLive: (performance.now() - begun) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    loadAverage: loadavg()[0],
    detectorCpuSeconds: (status?.cpuMs ?? 0) / 1_000,
    samples: status?.samples,
    rssBeforeMb: before / 1e6,
    rssMostMb: most / 1e6,
    incidents: await getPrisma().incident.count(),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
