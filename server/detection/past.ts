import { mergeHistograms, readCounts, readValues } from '#analysis/cells.ts';
import { causeCapacity, halfHourCapacity, historySeconds, slotSeconds } from '#analysis/detection/parameters.ts';
import type { Past, PastHalfHour } from '#analysis/detection/past.ts';
import type { Sample, Series } from '#analysis/detection/sample.ts';
import { addThousandths, emptyHistogram, type Histogram } from '#analysis/histogram.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { wholeSince } from '#server/database/retention.ts';
import { ONE_BY_ONE, rowNumber, type Tier } from '#server/rollups/tiers.ts';
import { vantageNumbers } from '#server/rollups/vantage-numbers.ts';
import { type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';
import { readSamples } from './samples.ts';

// The past of series, as a detector learns it that has not seen it: from rollups, of which one row has all vantages of a minute,
// ten or an hour. Of the last 26 hours minutes are read: of a check that runs once a minute these hold each value. Of 80 hours, as far
// as tests for lasting changes look back, tens, and of 8 days, for the shape of the day, hours. Where there are none, as
// after hours without jobs, results are read in their place.

/** Phases that are learnt, by the number of their rows. */
const PHASES = ['tls', 'tcp', 'firstByte'] as const;
type Phase = (typeof PHASES)[number];
/** A series of resumed handshakes has their TLS time alone. */
const WHAT_OF = new Map<number, { phase: Phase; variant?: Series['variant'] }>([
  ...PHASES.map((phase) => [rowNumber(phase, 'main'), { phase }] as const),
  [rowNumber('tls', 'resumed'), { phase: 'tls', variant: 'resumed' }],
]);
const OUTCOMES = rowNumber(null, 'main');

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** Targets that are read at once: some 50 MB for 93 vantages, and as much of those that are read ahead. */
const TARGETS_AT_ONCE = 4;

/** By target and then by vantage and variant: twice the vantage's number, and one more for resumed handshakes. */
type Pasts = Map<string, Map<number, Past>>;
const keyOf = (vantage: number, variant: Series['variant']) => 2 * vantage + (variant === 'resumed' ? 1 : 0);

/** The past of one series. */
export type SeriesPast = { targetId: string; vantage: VantageLabels; variant: Series['variant']; past: Past };

/**
 * The past of all series that had a sample within 26 hours before `until` (seconds since 1970, the end of a half hour), target by
 * target. `resultHours`: of so many of the newest hours results are read where there are no rollups.
 */
export async function* readPasts(until: number, resultHours: number): AsyncGenerator<SeriesPast> {
  const labels = await vantageLabels();
  const numbers = await vantageNumbers(labels.keys());
  const byNumber = new Map([...labels.values()].map((each) => [numbers.get(each.id), each]));
  const { rows } = await getPool().query<{ id: string }>(
    'select id from target where deleted_at is null and enabled order by id',
  );
  const ids = rows.map(({ id }) => id);
  // PostgreSQL finds the next ones while these are learnt.
  const readFrom = (first: number) => {
    const reading = pastsOf(ids.slice(first, first + TARGETS_AT_ONCE), until, resultHours, numbers);
    // Whoever stops in between hears of no error of what is read ahead.
    reading.catch(() => {});
    return reading;
  };
  let ahead = readFrom(0);
  for (let first = 0; first < ids.length; first += TARGETS_AT_ONCE) {
    const pasts = await ahead;
    ahead = readFrom(first + TARGETS_AT_ONCE);
    for (const [targetId, byVantage] of pasts)
      for (const [key, past] of byVantage) {
        const vantage = byNumber.get(key >> 1);
        if (vantage && past.samples.length > 0)
          yield { targetId, vantage, variant: key % 2 === 1 ? 'resumed' : undefined, past };
      }
  }
}

async function pastsOf(
  targetIds: readonly string[],
  until: number,
  resultHours: number,
  numbers: ReadonlyMap<string, number>,
): Promise<Pasts> {
  const making = new Making(until);
  if (targetIds.length === 0) return making.pasts();
  const since = until - historySeconds;
  const tens = Math.ceil((until - causeCapacity * slotSeconds) / HOUR_SECONDS) * HOUR_SECONDS;
  const hours = until - halfHourCapacity * slotSeconds;
  await eachRow('rollup_hour', targetIds, { from: hours, to: tens }, (row) => making.addHalfHours(row, 2));
  await eachRow('rollup_ten', targetIds, { from: tens, to: since }, (row) => making.addHalfHours(row, 1));
  await eachRow('rollup_minute', targetIds, { from: since, to: until }, (row) => making.addMinute(row));
  for (const { from, to, ids } of making.gaps(targetIds, Math.max(hours, until - resultHours * HOUR_SECONDS))) {
    const whole = Math.ceil((await wholeSince(from * 1_000, until * 1_000)) / 1_000);
    for (const { targetId, vantageId, variant, sample } of await readSamples(whole, to, ids))
      if (sample.clean !== false) making.addSample(targetId, numbers.get(vantageId), variant, sample);
  }
  await eachRow('rollup_hour', targetIds, { from: until - DAY_SECONDS, to: until }, (row) => making.addOutcomes(row), [
    OUTCOMES,
  ]);
  for (const { targetId, vantageId, variant, at } of await readChanges(targetIds, hours, until))
    if (variant === VARIANT_CODES.main) making.addChange(targetId, numbers.get(vantageId), at);
  return making.pasts();
}

type Row = { targetId: string; metric: number; bucket: number; cells: Buffer };

async function eachRow(
  table: Tier['table'],
  targetIds: readonly string[],
  { from, to }: { from: number; to: number },
  take: (row: Row) => void,
  metrics = [...WHAT_OF.keys()],
): Promise<void> {
  const { rows } = await getPool().query<Row>(
    `select r.target_id as "targetId", r.metric, floor(extract(epoch from r.bucket))::int as bucket, r.cells
      from unnest($1::uuid[]) as target (id) cross join lateral (
        select target_id, metric, bucket, cells from ${table} where target_id = target.id and metric = any($2::smallint[])
          and bucket >= to_timestamp($3) and bucket < to_timestamp($4) ${ONE_BY_ONE}) r
      order by r.bucket`,
    [targetIds, metrics, from, to],
  );
  for (const row of rows) take(row);
}

/** Lasting changes that were found already: when each began. */
async function readChanges(targetIds: readonly string[], from: number, to: number) {
  const { rows } = await getPool().query<{ targetId: string; vantageId: string; variant: number; at: number }>(
    `select target_id as "targetId", vantage_id as "vantageId", variant, floor(extract(epoch from change_at))::int as at from detection
      where target_id = any($1::uuid[]) and kind in ('regression', 'improvement')
        and change_at >= to_timestamp($2) and at < to_timestamp($3) order by change_at`,
    [targetIds, from, to],
  );
  return rows;
}

type SlotHistograms = Map<number, PastHalfHour>;
/** Values of a phase with the minutes that they are of, rising. */
type Values = { at: number[]; ms: number[] };
type Made = {
  bySlot: SlotHistograms;
  minutes: Record<Phase, Values>;
  samples: Sample[];
  changes: number[];
  total: number;
  failed: number;
};

function newMade(): Made {
  const minutes = { tls: { at: [], ms: [] }, tcp: { at: [], ms: [] }, firstByte: { at: [], ms: [] } };
  return { bySlot: new Map(), minutes, samples: [], changes: [], total: 0, failed: 0 };
}

/** A stretch in which targets have no rollups. */
type Gap = { from: number; to: number; ids: string[] };
/** Results of so many seconds are read at once. */
const GAP_SECONDS = 12 * HOUR_SECONDS;

/** The pasts in the making. */
class Making {
  readonly #until: number;
  readonly #made = new Map<string, Map<number, Made>>();
  /** Hours of targets of which there are rollups. */
  readonly #hours = new Map<string, Set<number>>();

  constructor(until: number) {
    this.#until = until;
  }

  /** Of a bucket: the half hour that it lies in, or as many as it holds. */
  addHalfHours({ targetId, metric, bucket, cells }: Row, count: number): void {
    const { phase, variant } = WHAT_OF.get(metric) as { phase: Phase; variant?: Series['variant'] };
    this.#note(targetId, bucket);
    const slot = Math.floor(bucket / slotSeconds);
    const of = this.#ofTarget(targetId);
    mergeHistograms(cells, (vantage) => {
      const { bySlot } = of(vantage, variant);
      const histogram = histogramOf(halfHourAt(bySlot, slot), phase);
      // Half hours of one hour share its histogram.
      for (let other = slot + 1; other < slot + count; other++) halfHourAt(bySlot, other)[phase] = histogram;
      return histogram;
    });
  }

  /** The values of a minute. */
  addMinute({ targetId, metric, bucket, cells }: Row): void {
    const { phase, variant } = WHAT_OF.get(metric) as { phase: Phase; variant?: Series['variant'] };
    this.#note(targetId, bucket);
    const of = this.#ofTarget(targetId);
    readValues(cells, (vantage, thousandths) => {
      const values = of(vantage, variant).minutes[phase];
      values.at.push(bucket);
      values.ms.push(thousandths / 1_000);
    });
  }

  addSample(targetId: string, vantage: number | undefined, variant: Series['variant'], sample: Sample): void {
    if (vantage === undefined) return;
    const { samples, bySlot } = this.#of(targetId, vantage, variant);
    if (sample.timestamp >= this.#until - historySeconds) samples.push(sample);
    else {
      const halfHour = halfHourAt(bySlot, Math.floor(sample.timestamp / slotSeconds));
      for (const phase of PHASES) {
        const ms = sample[phase];
        if (ms !== null) addThousandths(histogramOf(halfHour, phase), Math.round(ms * 1_000));
      }
    }
  }

  addOutcomes({ targetId, cells }: Row): void {
    readCounts(cells, (vantage, { total, ok, failedProber, unclean }) => {
      const made = this.#of(targetId, vantage);
      const counted = Math.max(ok, total - failedProber - unclean);
      made.total += counted;
      made.failed += Math.max(0, counted - ok);
    });
  }

  addChange(targetId: string, vantage: number | undefined, at: number): void {
    if (vantage !== undefined) this.#of(targetId, vantage).changes.push(at);
  }

  /** The hours since `from` without rollups, with the targets that have none then; some at once where these are the same. */
  gaps(targetIds: readonly string[], from: number): Gap[] {
    const found: Gap[] = [];
    for (let at = from; at < this.#until; ) {
      const to = Math.min(this.#until, (Math.floor(at / HOUR_SECONDS) + 1) * HOUR_SECONDS);
      const ids = targetIds.filter((id) => !this.#hours.get(id)?.has(Math.floor(at / HOUR_SECONDS)));
      const last = found.at(-1);
      const goesOn = last?.to === at && last.ids.join() === ids.join() && to - last.from <= GAP_SECONDS;
      if (last && goesOn) last.to = to;
      else if (ids.length > 0) found.push({ from: at, to, ids });
      at = to;
    }
    return found;
  }

  pasts(): Pasts {
    return new Map(
      [...this.#made].map(([targetId, byVantage]) => [
        targetId,
        new Map([...byVantage].map(([vantage, made]) => [vantage, pastOf(made)])),
      ]),
    );
  }

  #note(targetId: string, bucket: number): void {
    const hours = this.#hours.get(targetId) ?? new Set();
    this.#hours.set(targetId, hours.add(Math.floor(bucket / HOUR_SECONDS)));
  }

  #of(targetId: string, vantage: number, variant?: Series['variant']): Made {
    return this.#ofTarget(targetId)(vantage, variant);
  }

  /** What is made of the series of a target. A row has a hundred vantages: the target is looked for once. */
  #ofTarget(targetId: string): (vantage: number, variant?: Series['variant']) => Made {
    const known = this.#made.get(targetId) ?? new Map<number, Made>();
    this.#made.set(targetId, known);
    return (vantage, variant) => {
      const key = keyOf(vantage, variant);
      let made = known.get(key);
      if (made === undefined) {
        made = newMade();
        known.set(key, made);
      }
      return made;
    };
  }
}

function halfHourAt(bySlot: SlotHistograms, slot: number): PastHalfHour {
  let known = bySlot.get(slot);
  if (known === undefined) {
    known = { slot, tls: null, tcp: null, firstByte: null };
    bySlot.set(slot, known);
  }
  return known;
}

function histogramOf(halfHour: PastHalfHour, phase: Phase): Histogram {
  const histogram = halfHour[phase] ?? emptyHistogram();
  halfHour[phase] = histogram;
  return histogram;
}

function pastOf({ bySlot, minutes, samples, changes, total, failed }: Made): Past {
  const inOrder = [...samplesOf(minutes)].concat(samples).sort((a, b) => a.timestamp - b.timestamp);
  return {
    halfHours: [...bySlot.values()].sort((a, b) => a.slot - b.slot),
    samples: inOrder,
    changes,
    failureRate:
      total > 0 ? failed / total : samples.length > 0 ? samples.filter(({ ok }) => !ok).length / samples.length : null,
  };
}

/** Of several probes in a minute each takes some seconds of it. */
const PROBE_SECONDS = 10;

/** Samples of minutes: values of one probe have the same place among those of their phases in a minute. */
function* samplesOf({ tls, tcp, firstByte }: Record<Phase, Values>): Generator<Sample> {
  const [connects, firsts] = [inStep(tcp), inStep(firstByte)];
  let nth = 0;
  for (const [index, at] of tls.at.entries()) {
    nth = at === tls.at[index - 1] ? nth + 1 : 0;
    const timestamp = at + Math.min(59, nth * PROBE_SECONDS);
    yield { timestamp, tcp: connects(at), tls: tls.ms[index] as number, firstByte: firsts(at), ok: true };
  }
}

/** Gives the next value of a minute each time; null where it has no more. */
function inStep({ at, ms }: Values): (minute: number) => number | null {
  let next = 0;
  return (minute) => {
    while ((at[next] ?? Number.POSITIVE_INFINITY) < minute) next += 1;
    return at[next] === minute ? (ms[next++] as number) : null;
  };
}
