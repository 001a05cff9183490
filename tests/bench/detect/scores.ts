import type { Judgement, Verdict } from './judge.ts';
import { type PageScores, scorePages } from './pages.ts';
import type { EventLabel } from './world/labels.ts';

const WEEK = 604_800;

/** Scores of spikes, or of regressions and improvements together. Null where nothing was there to divide by. */
export type KindScores = {
  events: number;
  right: number;
  falseAlarms: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  /** From the event's start to the alert: median and 90th percentile, minutes. */
  delayMinutes: number | null;
  delayMinutes90: number | null;
  /** Successful probes from the event's start up to the alert, that probe included: median. */
  delaySamples: number | null;
  falsePerSeriesWeek: number | null;
  /** Distance of `change_at` from the start: median, minutes, of those that give it. */
  onsetMinutes: number | null;
};

export type Scores = {
  seriesWeeks: number;
  spikes: KindScores;
  shifts: KindScores;
  /** Right causes among right detections whose cause can be told. */
  cause: number | null;
  causes: number;
  pages: PageScores;
};

export function score(judgements: readonly Judgement[]): Scores {
  const seriesWeeks = judgements.reduce((sum, { series }) => sum + (series.to - series.warmUpEnd) / WEEK, 0);
  const right = judgements.flatMap(({ verdicts }) => verdicts).filter(isRight);
  const told = right.filter(({ event }) => event.causeJudged);
  return {
    seriesWeeks,
    spikes: scoreKind(judgements, (kind) => kind === 'spike', seriesWeeks),
    shifts: scoreKind(judgements, (kind) => kind !== 'spike', seriesWeeks),
    cause: ratio(told.filter(({ event, detection }) => event.cause === detection.cause).length, told.length),
    causes: told.length,
    pages: scorePages(judgements),
  };
}

type RightVerdict = Verdict & { event: EventLabel };

export function isRight(verdict: Verdict): verdict is RightVerdict {
  return verdict.outcome === 'right' && verdict.event !== null;
}

function scoreKind(
  judgements: readonly Judgement[],
  wanted: (kind: string) => boolean,
  seriesWeeks: number,
): KindScores {
  const verdicts = judgements.flatMap((each) => each.verdicts).filter(({ detection }) => wanted(detection.kind));
  const right = verdicts.filter(isRight);
  const falseAlarms = verdicts.filter(({ outcome }) => outcome === 'false' || outcome === 'repeat').length;
  const events = right.length + judgements.flatMap((each) => each.missed).filter(({ kind }) => wanted(kind)).length;
  const precision = ratio(right.length, right.length + falseAlarms);
  const recall = ratio(right.length, events);
  const delays = right.map(({ event, detection }) => (detection.at - event.start) / 60);
  const onsets = right.flatMap(({ event, detection: { change_at } }) =>
    change_at === undefined ? [] : [Math.abs(change_at - event.start) / 60],
  );
  return {
    events,
    right: right.length,
    falseAlarms,
    precision,
    recall,
    f1: ratio(2 * right.length, right.length + falseAlarms + events),
    delayMinutes: quantileOf(delays, 0.5),
    delayMinutes90: quantileOf(delays, 0.9),
    delaySamples: quantileOf(
      right.flatMap(({ samples }) => samples ?? []),
      0.5,
    ),
    falsePerSeriesWeek: ratio(falseAlarms, seriesWeeks),
    onsetMinutes: quantileOf(onsets, 0.5),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Between two values the quantile lies on the line between them; null without values. */
export function quantileOf(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const rank = q * (sorted.length - 1);
  const low = sorted[Math.floor(rank)] ?? 0;
  const high = sorted[Math.ceil(rank)] ?? 0;
  return low + (high - low) * (rank - Math.floor(rank));
}
