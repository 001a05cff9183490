import type { ClosedSpike, Detection, GroupChange } from '#analysis/detection/detection.ts';
import type { GeneratedSample, GeneratedSeries } from '#contract/demo.ts';
import { Engine } from '#server/detection/detection.ts';
import type { CheckSample } from '#server/detection/read-samples.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import { generatedLevels, type Levels } from './levels.ts';
import { firstSince } from './past-rollups.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Nothing is raised before a series is known: three days, as in the generator's own labels. */
const WARM_UP = 3 * DAY;
/** What is raised so shortly before the end is left out: it would be news, and somebody would be told. */
const TOO_NEW = HOUR;
/** So much of the past is enough to know its allSeries by: daily shapes are learnt from a day. */
const LEARNT = 1.5 * DAY;

/** A stretch of the past, epoch seconds, half-open. */
type Span = { from: number; to: number };
type Vantages = Map<string, VantageLabels>;

/** What the detector raised over a stretch that ends at `to` with no spike under way, the spikes it ended, and what became of groups. */
export type Stretch = {
  to: number;
  raised: (Detection & Levels)[];
  closed: ClosedSpike[];
  changes: GroupChange[];
};

/** What the live detector would know at the end of the past, had it measured its last day and a half. */
export function learnPast(allSeries: readonly GeneratedSeries[], vantages: Vantages, { to }: Span): Uint8Array[] {
  const engine = new Engine();
  for (const played of hours(engine, allSeries, vantages, { from: to - LEARNT, to })) void played;
  return [...engine.state()];
}

/** Runs the detector over the past as if it had come in live; a stretch is a day or, while a spike is under way, more. */
export function* watchPast(allSeries: readonly GeneratedSeries[], vantages: Vantages, span: Span): Generator<Stretch> {
  const engine = new Engine();
  const byCheck = new Map(allSeries.map((series) => [`${series.targetId} ${series.vantageId}`, series]));
  const isKept = ({ at }: Detection) => at >= span.from + WARM_UP && at < span.to - TOO_NEW;
  let stretch: Stretch = { to: span.from, raised: [], closed: [], changes: [] };
  let began = span.from;
  for (const { to, raised, closed, changes } of hours(engine, allSeries, vantages, span)) {
    for (const each of raised.filter(isKept)) {
      const series = byCheck.get(`${each.target} ${each.vantage}`);
      if (series) stretch.raised.push({ ...each, ...generatedLevels(series, each) });
    }
    stretch.closed.push(...closed);
    stretch.changes.push(...changes);
    if (to < span.to && (to - began < DAY || engine.open().length > 0)) continue;
    // Nothing more comes of what is under way at the end.
    if (to === span.to)
      stretch.closed.push(...engine.open().map((each) => ({ ...each, at: to, endedAt: to, by: 'silence' as const })));
    yield { ...stretch, to };
    stretch = { to, raised: [], closed: [], changes: [] };
    began = to;
  }
}

/** Feeds an engine hour by hour. */
function* hours(engine: Engine, allSeries: readonly GeneratedSeries[], vantages: Vantages, { from, to: end }: Span) {
  const cursors = allSeries.map((series) => ({ series, next: firstSince(series.samples, from) }));
  for (let hour = from; hour < end; hour += HOUR) {
    const to = Math.min(end, hour + HOUR);
    const read = cursors.flatMap((cursor) => takeUntil(cursor, to));
    read.sort((a, b) => a.sample.timestamp - b.sample.timestamp);
    const raised: Detection[] = [];
    const closed: ClosedSpike[] = [];
    const changes: GroupChange[] = [];
    for (const found of engine.consumeTick(engine.prepare({ seq: 0, from: hour, to }, read, vantages))) {
      raised.push(...found);
      closed.push(...engine.closed());
      changes.push(...engine.changes());
    }
    yield { to, raised, closed, changes };
  }
}

function takeUntil(cursor: { series: GeneratedSeries; next: number }, end: number): CheckSample[] {
  const { targetId, vantageId, samples } = cursor.series;
  const taken: CheckSample[] = [];
  for (let sample = samples[cursor.next]; sample && sample.at < end; sample = samples[++cursor.next]) {
    taken.push({ targetId, vantageId, sample: seen(sample) });
  }
  return taken;
}

function seen({ at, ok, tcpMs, tlsMs, firstByteMs }: GeneratedSample): CheckSample['sample'] {
  return { timestamp: at, tcp: tcpMs, tls: tlsMs, firstByte: firstByteMs, ok };
}
