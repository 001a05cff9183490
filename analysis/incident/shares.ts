import type { ExcessPart } from '#contract/explanation.ts';
import { medianOf } from '../detection/statistics.ts';
import { type Measurement, middleWeights, type Sides } from './measurement.ts';

// The excess of an incident, and what it is made of. Both sides of a series are summed up by the mean of their middle half, which odd
// results do not move, and which is the sum of its parts, unlike a median: round trips x round-trip time, lost segments, the prober's own
// delay, and what is left, work. Differences of these are the parts; of several series they are the means of the middle half of the
// series, by their excess. So the parts sum up to the excess exactly.

/** Nothing is said of an excess of less than this: ms, and as a share of the level before. */
export const LEAST_EXCESS = { ms: 3, share: 0.05 };
/** Nothing is said of fewer results: of a series before, and of all series together since. */
export const LEAST_RESULTS = { before: 3, after: 3 };
/** Nothing is said where fewer of the results have their round trips counted. */
const LEAST_COUNTED = 0.5;
/** A share of resumed handshakes that moved by less says nothing. */
const LEAST_RESUMED = 0.1;
/** Work is the server's own where answers to requests take longer too, by so much of it; else it is the handshake's. */
const ANSWER_SHARE = 0.25;
/**
 * Of results since the onset that lost something, more than before: from here on, pauses that look like a repeated segment are counted as
 * loss, too. Only the sender notices the loss of a flight's last segment.
 */
const LOSSY_SHARE = 0.15;
const LOSSY_LEAST = 2;
/** No TCP in wide use repeats a segment earlier, unless later ones were acknowledged; ms. */
const REPEAT_MS = 190;

/** Which time is split up. Connects hold no round trips but one. */
export type ExplainedMetric = 'tls' | 'tcp' | 'firstByte';

export type Shares = {
  beforeMs: number;
  excessMs: number;
  series: number;
  results: { before: number; after: number };
  /** Ms of each part; their sum is `excessMs`. */
  parts: Record<ExcessPart, number>;
  roundTrips: { before: number; after: number } | null;
  /** Of the connections since the onset, the share whose SYN was repeated, and that much before. */
  synRepeated: { before: number; after: number; count: number };
};

/**
 * Splits up by how much the series' times changed; null where too little was measured, too few results have round trips (other
 * systems, older engines), or the change is too small to say anything about.
 */
export function sharesOf(metric: ExplainedMetric, all: readonly Sides[]): Shares | null {
  const usable = all
    .map(known)
    .filter(({ before, after }) => before.length >= LEAST_RESULTS.before && after.length > 0);
  const counted = usable.map(({ before, after }) => ({ before: countedOf(before), after: countedOf(after) }));
  const kept = counted.filter(
    ({ before, after }, i) =>
      before.length >= LEAST_COUNTED * (usable[i] as Sides).before.length &&
      after.length >= LEAST_COUNTED * (usable[i] as Sides).after.length &&
      after.length > 0,
  );
  const since = kept.flatMap(({ after }) => after);
  if (since.length < LEAST_RESULTS.after || kept.length < usable.length / 2) return null;
  const earlier = kept.flatMap(({ before }) => before);
  const lossy = isLossier(earlier, since);
  const moved = kept.map((sides) => splitOf(metric, sides, lossy)).sort((a, b) => a.excess - b.excess);
  const weights = middleWeights(moved.length);
  const mean = (of: (one: Split) => number) => moved.reduce((sum, one, i) => sum + of(one) * (weights[i] as number), 0);
  const [beforeMs, excessMs] = [mean(({ before }) => before), mean(({ excess }) => excess)];
  if (Math.abs(excessMs) < Math.max(LEAST_EXCESS.ms, LEAST_EXCESS.share * beforeMs)) return null;
  const repeats = (side: readonly Measurement[]) => side.filter(({ synRepeated }) => synRepeated).length;
  return {
    beforeMs,
    excessMs,
    series: kept.length,
    results: { before: earlier.length, after: since.length },
    parts: partsOf(metric, mean, { excessMs, answerMs: medianOf(moved.flatMap(({ answer }) => answer ?? [])) }, kept),
    roundTrips:
      metric === 'tcp' ? null : { before: mean(({ trips }) => trips.before), after: mean(({ trips }) => trips.after) },
    synRepeated: {
      before: repeats(earlier) / earlier.length,
      after: repeats(since) / since.length,
      count: repeats(since),
    },
  };
}

/** A measurement whose round trips are counted. */
type Counted = Measurement & { rttMs: number; trips: number };

const isCounted = (each: Measurement): each is Counted => each.rttMs !== null && each.trips !== null;

/** No time is less than its round trips: a longer one was of a queue that had gone by then, or of a connect with a hidden loss. */
const countedOf = (side: readonly Measurement[]): Counted[] =>
  side.filter(isCounted).map((each) => ({ ...each, rttMs: Math.min(each.rttMs, each.ms / each.trips) }));

/**
 * Round trips are not counted where the server took so long that its path seems no measure: they are then those that its kind of
 * handshake is expected to have, and as many more as the series usually has. And a pause inside the server's flight that is too long for
 * any round trip, and long enough for a segment to be repeated, is a lost segment at the flight's end, not a further round trip: a server
 * that takes its time does so before its flight.
 */
function known({ before, after }: Sides): Sides {
  const extra = before.flatMap(({ trips, expectedTrips }) =>
    trips === null || expectedTrips === null ? [] : trips - expectedTrips,
  );
  if (extra.length < LEAST_COUNTED * before.length) return { before, after };
  const more = Math.round(medianOf(extra));
  const completed = (each: Measurement) => {
    const { ms, rttMs, trips, expectedTrips } = each;
    if (expectedTrips === null) return each;
    const usual = expectedTrips + more;
    if (trips === null) return { ...each, trips: usual };
    const isPause = trips > usual && rttMs !== null && ms - trips * rttMs >= REPEAT_MS;
    return isPause ? { ...each, trips: usual, lost: true } : each;
  };
  return { before: before.map(completed), after: after.map(completed) };
}

function isLossier(before: readonly Measurement[], after: readonly Measurement[]): boolean {
  const share = (side: readonly Measurement[]) => side.filter(({ lost }) => lost).length / side.length;
  const count = after.filter(({ lost }) => lost).length;
  return count >= LOSSY_LEAST && share(after) - share(before) >= LOSSY_SHARE;
}

/** By what one series moved, ms; `resumption` holds its round trips and its work. */
type Split = {
  before: number;
  excess: number;
  trips: { before: number; after: number };
  roundTrips: number;
  path: number;
  late: number;
  loss: number;
  work: number;
  helloRetry: number;
  resumption: { roundTrips: number; work: number };
  answer: number | null;
};

function splitOf(metric: ExplainedMetric, { before, after }: CountedSides, lossy: boolean): Split {
  const usual = medianOf(before.filter(({ lost }) => !lost).map(remainderOf));
  const usualWork = Number.isNaN(usual) ? medianOf(before.map(remainderOf)) : usual;
  const [early, late] = [before, after].map((side) => middleOf(metric, side, usualWork, lossy)) as [Middle, Middle];
  const rtt = early.path / early.trips;
  const trips = (late.trips - early.trips) * rtt;
  const helloRetry = metric === 'tls' ? (late.helloRetry - early.helloRetry) * rtt : 0;
  const resumption = resumptionOf(metric, [...before, ...after], late.resumed - early.resumed, rtt);
  return {
    before: early.ms,
    excess: late.ms - early.ms,
    trips: { before: early.trips, after: late.trips },
    roundTrips: trips - helloRetry - resumption.roundTrips,
    // A change of RTT is paid on every round trip that there is now.
    path: late.path - early.path - trips,
    late: late.own - early.own,
    loss: late.loss - early.loss,
    work: late.work - early.work - resumption.work,
    helloRetry,
    resumption,
    answer: early.answer === null || late.answer === null ? null : late.answer - early.answer,
  };
}

type CountedSides = { before: readonly Counted[]; after: readonly Counted[] };

/** What is left of a time without its round trips and our own delay; a lost segment makes that look long. */
const remainderOf = ({ ms, rttMs, trips, lateMs, lost }: Counted) => {
  const left = ms - trips * rttMs;
  return lost ? left : left - Math.min(lateMs, Math.max(0, left));
};

/** Means over the middle half of one side, by its times. */
type Middle = {
  ms: number;
  trips: number;
  path: number;
  own: number;
  loss: number;
  work: number;
  resumed: number;
  helloRetry: number;
  answer: number | null;
};

function middleOf(metric: ExplainedMetric, side: readonly Counted[], usualWork: number, lossy: boolean): Middle {
  const sorted = side.toSorted((a, b) => a.ms - b.ms);
  const weights = middleWeights(sorted.length);
  const middle: Middle = {
    ms: 0,
    trips: 0,
    path: 0,
    own: 0,
    loss: 0,
    work: 0,
    resumed: 0,
    helloRetry: 0,
    answer: null,
  };
  let answered = 0;
  let answer = 0;
  sorted.forEach((each, i) => {
    const weight = weights[i] as number;
    const left = remainderOf(each);
    const beyond = left - usualWork;
    const isLost = metric === 'tcp' ? each.synRepeated : each.lost || (lossy && beyond >= REPEAT_MS);
    const loss = isLost ? Math.max(0, beyond) : 0;
    middle.ms += weight * each.ms;
    middle.trips += weight * each.trips;
    middle.path += weight * each.trips * each.rttMs;
    middle.own += weight * (each.ms - each.trips * each.rttMs - left);
    middle.loss += weight * loss;
    middle.work += weight * (left - loss);
    middle.resumed += weight * Number(each.resumed);
    middle.helloRetry += weight * Number(each.helloRetry);
    if (each.answerMs !== null && !each.lost) {
      answered += weight;
      answer += weight * each.answerMs;
    }
  });
  if (answered > 0) middle.answer = answer / answered;
  return middle;
}

/** What it costs that another share of the handshakes is resumed: their round trips and work against those of full ones. */
function resumptionOf(
  metric: ExplainedMetric,
  all: readonly Counted[],
  moved: number,
  rtt: number,
): Split['resumption'] {
  const [full, resumed] = [all.filter((each) => !each.resumed), all.filter((each) => each.resumed)];
  if (metric !== 'tls' || Math.abs(moved) < LEAST_RESUMED || full.length === 0 || resumed.length === 0)
    return { roundTrips: 0, work: 0 };
  const trips = (of: readonly Counted[]) => medianOf(of.map((each) => each.trips));
  const work = (of: readonly Counted[]) => medianOf(of.map(remainderOf));
  return {
    roundTrips: moved * (trips(resumed) - trips(full)) * rtt,
    work: moved * (work(resumed) - work(full)),
  };
}

function partsOf(
  metric: ExplainedMetric,
  mean: (of: (one: Split) => number) => number,
  { excessMs, answerMs }: { excessMs: number; answerMs: number },
  kept: readonly CountedSides[],
): Shares['parts'] {
  const loss = mean((one) => one.loss);
  const work = mean((one) => one.work);
  const parts: Shares['parts'] = {
    round_trips: mean((one) => one.roundTrips),
    resumption: mean(({ resumption }) => resumption.roundTrips + resumption.work),
    hello_retry: mean((one) => one.helloRetry),
    loss: metric === 'tcp' ? 0 : loss,
    syn_loss: metric === 'tcp' ? loss : 0,
    path: mean((one) => one.path),
    staple: 0,
    handshake_work: 0,
    server_work: 0,
    own_delay: mean((one) => one.late),
    other: 0,
  };
  parts[workCode(metric, work, answerMs, kept)] = work;
  // What rounding left.
  parts.other += excessMs - Object.values(parts).reduce((sum, part) => sum + part, 0);
  return parts;
}

/** Whose work it is: the server's where answers take longer as well, else that of the handshake alone. */
function workCode(metric: ExplainedMetric, work: number, answerMs: number, kept: readonly CountedSides[]): ExcessPart {
  if (metric === 'tcp') return 'other';
  if (metric === 'firstByte') return 'server_work';
  // Too little to say whose it is, and no word on what requests took.
  if (Math.abs(work) < LEAST_EXCESS.ms) return 'server_work';
  if (Number.isNaN(answerMs)) return 'other';
  if (answerMs / work >= ANSWER_SHARE) return 'server_work';
  return isOfStaple(kept) ? 'staple' : 'handshake_work';
}

/** Whether the server staples, or should, and its certificate is still the same kind: then it is the staple that is waited for. */
function isOfStaple(kept: readonly CountedSides[]): boolean {
  const usual = (side: 'before' | 'after', dimension: 'staple' | 'certificate') => {
    const counts = new Map<string, number>();
    for (const sides of kept)
      for (const { dimensions } of sides[side])
        counts.set(dimensions[dimension] ?? '', (counts.get(dimensions[dimension] ?? '') ?? 0) + 1);
    return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), ['', 0])[0];
  };
  if (usual('before', 'certificate') !== usual('after', 'certificate')) return false;
  return [usual('before', 'staple'), usual('after', 'staple')].some((status) => !NO_STAPLE.has(status));
}

/** Of resumed handshakes no staple is known; of certificates without a responder none is expected. */
const NO_STAPLE = new Set(['', 'not_applicable', 'not_observed']);
