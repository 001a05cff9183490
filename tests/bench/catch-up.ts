import { loadavg } from 'node:os';
import { compactHistograms, emptyCounts, writeCounts, writeValue } from '#analysis/cells.ts';
import { VarintWriter } from '#analysis/varint.ts';
import type { VantageRef } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { readStatus } from '#server/detection/status.ts';
import { createDetectionJob, HISTORY_DAYS } from '#server/pipeline/pipeline.ts';
import { rowNumber } from '#server/rollups/tiers.ts';
import { vantageNumbers } from '#server/rollups/vantage-numbers.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { DAY, HOUR, noise } from '../support/detecting.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

/** What is measured: `live` until the present is reached, with rollups of 8 days and results of an hour; the others with results of 14 days. */
const FORMS = ['live', 'history', 'in-order'] as const;
type Form = (typeof FORMS)[number];

/**
 * Prints what it takes to go through the history that jobs find at their first start, one probe a minute: `catch-up [CHECKS] [FORM]`.
 * `live`, of 10,000 checks, takes some minutes, most of them for writing 8 days of rollups; `history` and `in-order` write each result
 * of 14 days, 20,160 a check, so they are for some dozens.
 */
export async function benchCatchUp([given = '10000', form = 'live']: string[]): Promise<void> {
  const isForm = (each: string): each is Form => FORMS.some((known) => known === each);
  if (!isForm(form) || !(Number(given) >= 1)) throw new Error(`catch-up [CHECKS] [${FORMS.join('|')}]`);
  const vantages = mainlandVantages().slice(0, Number(given));
  const end = Math.floor(Date.now() / 1_000 / HOUR) * HOUR;
  await onFreshDatabase(async () => {
    await insertProber(vantages);
    const targets: string[] = [];
    for (let n = 0; n < Math.ceil(Number(given) / vantages.length); n++)
      targets.push(await insertTarget({ name: `shop ${n}` }));
    await ensurePartitions(
      Array.from({ length: HISTORY_DAYS + 2 }, (_, day) => (end - (HISTORY_DAYS - day) * DAY) * 1_000),
    );
    await writeResults(targets, vantages, { from: end - (form === 'live' ? HOUR : HISTORY_DAYS * DAY), to: end });
    if (form === 'live') {
      await writeOldest(targets, vantages, end);
      await writeRollups(targets, vantages, end);
    }
    await getPool().query('vacuum analyze');
    process.stdout.write(`${targets.length * vantages.length} checks, ${form}\n`);
    await catchUp(end + GRACE_SECONDS, form);
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

/** One result of 14 days ago: from then on there would be history. */
async function writeOldest([targetId = '']: string[], [vantage]: VantageRef[], end: number): Promise<void> {
  if (vantage)
    await insertResults([makeResult({ targetId, vantage, startedAt: (end - HISTORY_DAYS * DAY + HOUR) * 1_000 })]);
}

/** What tiers hold that relearning reads, and how far back. */
const TIERS = [
  { table: 'rollup_minute', step: 60, from: 27 * HOUR },
  { table: 'rollup_ten', step: 600, from: 81 * HOUR },
  { table: 'rollup_hour', step: HOUR, from: 8 * DAY },
] as const;
const PHASES = { tcp: 40, tls: 45, firstByte: 50 } as const;

/** The rollups of one target, as its results would make them, and the same of all others. Rows end to end are their sum. */
async function writeRollups([first = '', ...others]: string[], vantages: VantageRef[], end: number): Promise<void> {
  const noisy = noise(1);
  const numbers = [...(await vantageNumbers(vantages.map(({ id }) => id))).values()];
  for (const { table, step, from } of TIERS) {
    const rows: { metric: number; bucket: number; cells: Buffer }[] = [];
    for (let bucket = end - from; bucket < end; bucket += step) {
      for (const phase of ['tcp', 'tls', 'firstByte'] as const) {
        const writer = new VarintWriter();
        for (const number of numbers)
          for (let minute = 0; minute < step; minute += 60)
            writeValue(writer, number, Math.round(noisy(PHASES[phase]) * 1_000));
        rows.push({ metric: rowNumber(phase, 'main'), bucket, cells: compactHistograms(writer.take()) });
      }
      const writer = new VarintWriter();
      for (const number of numbers) writeCounts(writer, number, { ...emptyCounts(), total: step / 60, ok: step / 60 });
      rows.push({ metric: rowNumber(null, 'main'), bucket, cells: writer.take() });
    }
    await getPool().query(
      `insert into ${table} (target_id, metric, bucket, cells)
        select $1::uuid, metric, to_timestamp(bucket), cells from unnest($2::smallint[], $3::bigint[], $4::bytea[]) new (metric, bucket, cells)`,
      [first, rows.map(({ metric }) => metric), rows.map(({ bucket }) => bucket), rows.map(({ cells }) => cells)],
    );
    await getPool().query(
      `insert into ${table} (target_id, metric, bucket, cells)
        select other, metric, bucket, cells from unnest($2::uuid[]) other cross join (select * from ${table} where target_id = $1) own`,
      [first, others],
    );
  }
}

async function catchUp(now: number, form: Form): Promise<void> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  const before = process.memoryUsage().rss;
  let most = before;
  const job = createDetectionJob({ inOrderResults: form === 'in-order' ? Number.POSITIVE_INFINITY : 0 });
  while (await job.step(now * 1_000)) most = Math.max(most, process.memoryUsage().rss);
  const live = process.cpuUsage(cpu);
  const secondsUntilLive = (performance.now() - begun) / 1_000;
  while (form === 'history' && (await job.history(now * 1_000))) most = Math.max(most, process.memoryUsage().rss);
  await job.close();
  const { user, system } = process.cpuUsage(cpu);
  const status = await readStatus();
  const figures = {
    secondsUntilLive,
    cpuSecondsUntilLive: (live.user + live.system) / 1e6,
    seconds: (performance.now() - begun) / 1_000,
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
