import { type Counts, emptyCounts, writeCounts } from '#analysis/cells.ts';
import { addThousandths, emptyHistogram } from '#analysis/histogram.ts';
import { writeHistogram } from '#analysis/histogram-codec.ts';
import { VarintWriter } from '#analysis/varint.ts';
import { MatrixQuery, SeriesQuery } from '#contract/query.ts';
import type { VantageRef } from '#contract/result.ts';
import { METRIC_TABLE } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { TimedCache } from '#server/database/timed-cache.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { wholeIn } from '#server/rollups/rollup-rows.ts';
import { pumpRollups } from '#server/rollups/rollups.ts';
import { rowNumber, TIERS, type Tier } from '#server/rollups/tiers.ts';
import { vantageNumbers } from '#server/rollups/vantage-numbers.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

const DAYS = 30;
const DAY = 86_400;
const HISTORY = 50;
const MANY = 500;
/** Buckets differ: so many that were drawn stand in turn. */
const DRAWN = 16;
/** Days of which there are minutes and tens; before that ranges are read as hours and days. */
const FINE_DAYS = 2;
const ROUNDS = 3;

/**
 * Prints how long figures take over a month of 50 targets at 93 vantages, a probe a minute, all targets in turn, and the list
 * of 50 and of 500 targets. Rollups of TLS time are drawn, not measured, and read by the functions that pages and the API call.
 */
export async function benchFigures(): Promise<void> {
  await onFreshDatabase(async () => {
    const vantages = mainlandVantages();
    const now = Math.floor(Date.now() / 60_000) * 60;
    const targets = await fillFleet(HISTORY, DAYS, vantages, now);
    const numbers = await numbersOf(vantages);
    await getPool().query('analyze');
    for (const days of [1, 7, DAYS]) await reportTargets(targets, days, now);
    await reportList(HISTORY);
    await fill(MANY - HISTORY, FINE_DAYS, numbers, now);
    await getPool().query('analyze');
    await reportList(MANY);
  });
}

/** So many targets at these vantages, which are put in with a prober, and their rollups of so many days up to `now`, s since 1970. */
export async function fillFleet(
  count: number,
  days: number,
  vantages: VantageRef[],
  now = Math.floor(Date.now() / 60_000) * 60,
): Promise<string[]> {
  await insertProber(vantages);
  const targets = await fill(count, days, await numbersOf(vantages), now);
  await pumpRollups();
  return targets;
}

const numbersOf = async (vantages: VantageRef[]) => [...(await vantageNumbers(vantages.map(({ id }) => id))).values()];

async function fill(count: number, days: number, numbers: number[], now: number): Promise<string[]> {
  const from = Math.floor((now - days * DAY) / DAY) * DAY;
  await ensurePartitions(Array.from({ length: days + 2 }, (_, day) => (from + day * DAY) * 1_000));
  const targets: string[] = [];
  for (let n = 0; n < count; n++) targets.push(await insertTarget({ name: `shop ${n}` }));
  for (const tier of TIERS) {
    const begin = tier.step < 3_600 ? Math.max(from, now - FINE_DAYS * DAY) : from;
    await fillTier(tier, targets, numbers, Math.ceil(begin / tier.step) * tier.step, now);
  }
  return targets;
}

async function fillTier(tier: Tier, targets: string[], numbers: number[], from: number, now: number): Promise<void> {
  const perBucket = tier.step / 60;
  const end = Math.floor((now - 120) / tier.step) * tier.step - tier.step;
  const times = Array.from({ length: DRAWN }, () => drawTimes(numbers, perBucket));
  const counts: Counts = { ...emptyCounts(), total: perBucket, ok: perBucket };
  const outcomes = new VarintWriter();
  for (const number of numbers) writeCounts(outcomes, number, counts);
  const total = perBucket * numbers.length;
  await getPool().query(
    `insert into ${tier.table} (target_id, metric, bucket, cells, total, ok, failed_prober, unclean)
      select target_id, ${rowNumber(null, 'main')}, to_timestamp(bucket), $4, $5::int, $5::int, 0, 0
      from unnest($1::uuid[]) as target_id, generate_series($2::bigint, $3::bigint, ${tier.step}) as bucket`,
    [targets, from, end, outcomes.take(), total],
  );
  await getPool().query(
    `insert into ${tier.table} (target_id, metric, bucket, cells, whole)
      select target_id, ${METRIC_TABLE.tls.rollup}, to_timestamp(bucket), ($4::bytea[])[drawn], ($5::bytea[])[drawn]
      from unnest($1::uuid[]) with ordinality as target (target_id, n), generate_series($2::bigint, $3::bigint, ${tier.step}) as bucket,
        lateral (select 1 + (bucket / ${tier.step} + n) % ${DRAWN} as drawn) of_bucket`,
    [targets, from, end, times, times.map((cells) => wholeIn(tier, { metric: METRIC_TABLE.tls.rollup, cells }))],
  );
}

/** Handshakes of each vantage about its own level, now and then one that takes much longer. */
function drawTimes(numbers: number[], perBucket: number): Buffer {
  const writer = new VarintWriter();
  for (const number of numbers) {
    const histogram = emptyHistogram();
    for (let n = 0; n < perBucket; n++) {
      const tail = Math.random() < 0.02 ? 3 : 1;
      addThousandths(histogram, Math.round((15 + (number % 50)) * tail * (1 + Math.random() * 0.15) * 1_000));
    }
    writer.write(number * 2);
    writeHistogram(writer, histogram);
  }
  return writer.take();
}

async function reportTargets(targets: string[], days: number, now: number): Promise<void> {
  const range = { from: new Date((now - days * DAY) * 1_000).toISOString(), to: new Date(now * 1_000).toISOString() };
  await report(`matrix, ${days} d, ${targets.length} targets in turn`, targets, (target) =>
    queryMatrix(MatrixQuery.parse({ target, ...range })),
  );
  await report(`series by carrier, ${days} d`, targets, (target) =>
    querySeries(SeriesQuery.parse({ target, groupBy: 'carrier', ...range })),
  );
}

async function reportList(count: number): Promise<void> {
  // The figures that server/figures/target-summaries.ts keeps.
  const kept = new TimedCache('target figures', { freshMs: 0 });
  kept.forget();
  const pool = getPool();
  const query = pool.query;
  let statements = 0;
  pool.query = ((...given: Parameters<typeof query>) => {
    statements += 1;
    return query.apply(pool, given);
  }) as typeof query;
  await listTargetSummaries();
  pool.query = query;
  const rounds = Array.from({ length: 10 }, (_, round) => String(round));
  await report(`list of ${count} targets, read anew, ${statements} statements`, rounds, () => {
    kept.forget();
    return listTargetSummaries();
  });
  await report(`list of ${count} targets, as pages and /metrics get it`, rounds, () => listTargetSummaries());
}

async function report(what: string, items: string[], call: (item: string) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const item of items) {
      const begin = performance.now();
      await call(item);
      times.push(performance.now() - begin);
    }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.ceil(times.length * share) - 1] ?? Number.NaN).toFixed(1);
  process.stdout.write(`| ${what} | ${at(0.5)} ms | ${at(0.95)} ms |\n`);
}
