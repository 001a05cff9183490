import type { Sample, Series } from '#analysis/detection/sample.ts';
import { mayBeSealed } from '#server/blocks/blocks.ts';
import { queryResults, type Span } from '#server/blocks/read.ts';
import { oldestSealed } from '#server/blocks/scan.ts';
import { IS_MAIN, STAMPER_CODES, VARIANT_CODES } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import { measuringVantages } from '#server/vantages/labels.ts';

/** One probe as the detector takes it, and the check that it is of. Handshakes that offered a session are a series of their own. */
export type CheckSample = { targetId: string; vantageId: string; variant?: Series['variant']; sample: Sample };

type Row = [
  targetId: string,
  vantageId: string,
  second: number,
  ok: boolean,
  tcpUs: number | null,
  tlsUs: number | null,
  firstByteUs: number | null,
  variant: number,
  resumed: boolean | null,
  clean: boolean,
  ownDelayUs: number | null,
];

const IS_NO_FAULT_OF_OURS = `(failure_source_id is null or failure_source_id <> coalesce(
  (select word.id from dictionary word where word.hash = sha256('prober'::bytea)), -1))`;
const IS_RESUMED = `variant = ${VARIANT_CODES.resumed}`;

/** Says, in SQL, that a row of `result` tells of its target: main, taken in time, and no fault of the prober's. */
export const IS_INFORMATIVE = `clean and ${IS_MAIN} and ${IS_NO_FAULT_OF_OURS}`;
/** The same of a series' variant. */
export const informativeOf = (variant: Series['variant']): string =>
  variant === 'resumed' ? `clean and ${IS_RESUMED} and ${IS_NO_FAULT_OF_OURS}` : IS_INFORMATIVE;
/** Or, of a main handshake that is not clean, of its prober alone. */
const IS_SAMPLED = `(${IS_MAIN} or (clean and ${IS_RESUMED})) and ${IS_NO_FAULT_OF_OURS}`;
/** How much of a result's durations may be the prober's own delay: without stamps of the kernel's a stall of the loop counts too. */
const OWN_DELAY = `case when stamped_by = ${STAMPER_CODES.watcher} then late_us else greatest(late_us, loop_delay_us) end`;

/** The path's own time: a connect to an address that was dead says nothing about it. */
const TCP_US = 'coalesce(attempt_us, tcp_us)';

const MEASURED = [
  'tcp_us',
  'attempt_us',
  'tls_us',
  'first_byte_us',
  'resumed',
  'late_us',
  'loop_delay_us',
  'stamped_by',
];
const COLUMNS = ['id', ...MEASURED];
const SAMPLED = ['target_id, started_at, id, vantage_id, ok, clean, variant', ...MEASURED].join(', ');
const IS_ASKED = `started_at >= to_timestamp($1) and started_at < to_timestamp($2) and ${IS_SAMPLED}`;

/**
 * What all checks measured in [from, to), seconds since 1970, in the order of time; those of some targets where these are given. What
 * was imported is of no check.
 */
export async function readSamples(from: number, to: number, targetIds?: readonly string[]): Promise<CheckSample[]> {
  const rows = await queryResults<Row>({
    spans: await spansOf(from, to, targetIds),
    columns: COLUMNS,
    values: [from, to, targetIds ?? null],
    // What is sealed is of these targets alone, and is gone through once, not once a target.
    apart: true,
    text: (
      result,
      sealed,
    ) => `select target_id, vantage_id, floor(extract(epoch from started_at))::int, ok, ${TCP_US}, tls_us, first_byte_us,
        coalesce(variant, 0)::int, resumed, clean, ${OWN_DELAY}
      from (select r.* from target t cross join lateral (
          select ${SAMPLED} from ${result} result where target_id = t.id and ${IS_ASKED} ${ONE_BY_ONE}) r
        where t.deleted_at is null and ($3::uuid[] is null or t.id = any($3))
        ${sealed ? `union all select ${SAMPLED} from ${sealed} sealed where ${IS_ASKED}` : ''}) sampled
      order by started_at, id`,
    rowMode: 'array',
  });
  const measuring = await measuringVantages();
  return rows.filter(([, vantageId]) => measuring?.has(vantageId) ?? true).map(checkSampleOf);
}

function checkSampleOf(row: Row): CheckSample {
  const [targetId, vantageId, timestamp, ok, tcpUs, tlsUs, firstByteUs, variant, resumed, clean, ownDelayUs] = row;
  const isResumed = variant === VARIANT_CODES.resumed;
  return {
    targetId,
    vantageId,
    ...(isResumed && { variant: 'resumed' }),
    sample: {
      timestamp,
      tcp: ok ? milliseconds(tcpUs) : null,
      tls: ok ? milliseconds(tlsUs) : null,
      firstByte: ok ? milliseconds(firstByteUs) : null,
      ok,
      ...(isResumed && ok && resumed !== null && { refused: !resumed }),
      ...(ownDelayUs !== null && { ownDelay: ownDelayUs / 1_000 }),
      ...(!clean && { clean: false }),
    },
  };
}

/** How many of these there are in [from, to) by now. */
export async function countSamples(from: number, to: number): Promise<number> {
  const measuring = await measuringVantages();
  const isMeasured = '($3::uuid[] is null or vantage_id = any($3))';
  const rows = await queryResults<{ n: number }>({
    spans: await spansOf(from, to),
    columns: COLUMNS,
    values: [from, to, measuring && [...measuring]],
    apart: true,
    text: (result, sealed) => `select coalesce(sum(n), 0)::int as n from (
        select r.n from target t cross join lateral (
          select count(*) as n from ${result} result where target_id = t.id and ${IS_ASKED} and ${isMeasured} group by target_id) r
        where t.deleted_at is null
        ${sealed ? `union all select count(*) from ${sealed} sealed where ${IS_ASKED} and ${isMeasured}` : ''}) counted`,
  });
  return rows[0]?.n ?? 0;
}

/** The same stretch of every target, or of some, where some of it may be sealed. */
async function spansOf(from: number, to: number, targetIds?: readonly string[]): Promise<Span[]> {
  if (!mayBeSealed(from * 1_000)) return [];
  const { rows } = await getPool().query<{ id: string }>(
    'select id from target where deleted_at is null and ($1::uuid[] is null or id = any($1))',
    [targetIds ?? null],
  );
  return rows.map(({ id }) => ({ targetId: id, from: from * 1_000, to: to * 1_000 }));
}

/**
 * When the oldest result since `since` was taken, seconds since 1970; null where there is none. Of a block that begins
 * before, `since` itself.
 */
export async function oldestSample(since: number): Promise<number | null> {
  const { rows } = await getPool().query<{ at: number | null }>(
    `select floor(extract(epoch from min(r.started_at)))::int as at from target t cross join lateral (
      select started_at from (
        select target_id, started_at from result where target_id = t.id and started_at >= to_timestamp($1)
        order by started_at limit 1) oldest
      ${ONE_BY_ONE}) r where t.deleted_at is null`,
    [since],
  );
  const sealed = await oldestSealed(since * 1_000);
  const found = [rows[0]?.at ?? null, sealed === null ? null : Math.floor(sealed / 1_000)].filter((at) => at !== null);
  return found.length === 0 ? null : Math.min(...found);
}

const milliseconds = (micros: number | null) => (micros === null ? null : micros / 1_000);
