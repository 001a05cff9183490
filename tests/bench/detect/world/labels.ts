import type { Cause, NoiseKind, SeriesEvent } from '#analysis/synthetic/event.ts';
import { apply, calmConditions, type SeriesModel } from '#analysis/synthetic/series-model.ts';
import { expectedTls } from './expected.ts';

const HOUR = 3_600;
/** Below these nothing is judged (format of `roundtrip detect`). */
const SHIFT_RATIO = 0.08;
const SHIFT_MS = 3;
const SPIKE_RATIO = 0.3;
const SPIKE_MS = 15;
const SPIKE_SAMPLES = 3;
/** What stays less long is neither a spike nor a lasting change. */
const LASTING = 24 * HOUR;

export type ShiftKind = 'regression' | 'improvement';
export type EventKind = 'spike' | ShiftKind | NoiseKind;
export type NotJudged = 'small' | 'short' | 'few-samples' | 'rollback' | 'warm-up' | 'late' | 'noise';

/** A series as its labels see it. Epoch seconds. */
export type SeriesLabel = {
  type: 'series';
  target: string;
  region: string;
  carrier: string;
  from: number;
  warmUpEnd: number;
  to: number;
  periodSeconds: number;
  samples: number;
  /** Mean TLS time without noise and evening, at the beginning. */
  tlsMs: number;
  rttMs: number;
};

/** One event of one series. `end` is null for what stays; effects are those on mean TLS time, without noise and evening. */
export type EventLabel = {
  type: 'event';
  target: string;
  region: string;
  carrier: string;
  kind: EventKind;
  start: number;
  end: number | null;
  cause: Cause | null;
  /** Whether it has a cause to be told. */
  causeJudged: boolean;
  effectMs: number;
  effectRatio: number;
  /** Successful probes from start to end; of what stays, in the first 24 hours. */
  samples: number;
  incident: string;
  /** Share of samples that are touched while it lasts. */
  hitShare: number;
  judged: boolean;
  notJudged?: NotJudged;
};

/** The series as drawn: `instants` are those of successful probes. */
export type DrawnSeries = {
  model: SeriesModel;
  warmUpEnd: number;
  to: number;
  events: readonly SeriesEvent[];
  instants: readonly number[];
};

export function labelEvents(series: DrawnSeries): EventLabel[] {
  return series.events.flatMap((event) => {
    const label = labelOf(series, event);
    return event.kind === 'shift' && event.end < series.to ? [label, rollbackOf(series, label, event)] : [label];
  });
}

function labelOf(series: DrawnSeries, event: SeriesEvent): EventLabel {
  const { model } = series;
  const before = tlsUnder(series, event, 0);
  const effectMs = tlsUnder(series, event, event.kind === 'spike' ? meanWeight(event) : event.hitShare) - before;
  const kind: EventKind = event.kind === 'shift' ? (effectMs >= 0 ? 'regression' : 'improvement') : event.kind;
  const label: Omit<EventLabel, 'judged'> = {
    type: 'event',
    target: model.target.name,
    region: model.region,
    carrier: model.carrier,
    kind,
    start: event.start,
    end: endOf(event),
    cause: event.cause,
    causeJudged: event.cause !== null,
    effectMs: round(effectMs),
    effectRatio: round(effectMs / before),
    samples: countBetween(series.instants, event.start, event.kind === 'spike' ? event.end : event.start + LASTING),
    incident: event.incident,
    hitShare: round(event.hitShare),
  };
  const notJudged = whyNotJudged(series, label);
  return notJudged ? { ...label, judged: false, notJudged } : { ...label, judged: true };
}

/** A drift ends where its new level is reached. */
function endOf(event: SeriesEvent): number | null {
  if (event.kind === 'drift') return Math.floor(event.start + event.rampSeconds);
  return event.end === Number.POSITIVE_INFINITY ? null : Math.floor(event.end);
}

/** Mean TLS time when `event` begins, with the lasting events that are already there. */
function tlsUnder({ model, events }: DrawnSeries, event: SeriesEvent, weight: number): number {
  const conditions = calmConditions(model.target);
  for (const other of events) {
    const lasting = other.kind === 'shift' || other.kind === 'drift';
    if (lasting && other !== event && other.start < event.start && other.end > event.start) {
      const passed = event.start - other.start;
      apply(
        conditions,
        other.effect,
        other.kind === 'drift' ? Math.min(1, passed / other.rampSeconds) : other.hitShare,
      );
    }
  }
  apply(conditions, event.effect, weight);
  return expectedTls(model, conditions);
}

function whyNotJudged(series: DrawnSeries, label: Omit<EventLabel, 'judged'>): NotJudged | null {
  const { effectMs, effectRatio, start, kind } = label;
  if (kind !== 'spike' && kind !== 'regression' && kind !== 'improvement') return 'noise';
  if (start < series.warmUpEnd) return 'warm-up';
  if (kind === 'spike') {
    if (effectRatio < SPIKE_RATIO || effectMs < SPIKE_MS) return 'small';
    return label.samples * label.hitShare < SPIKE_SAMPLES ? 'few-samples' : null;
  }
  if (Math.abs(effectRatio) < SHIFT_RATIO || Math.abs(effectMs) < SHIFT_MS) return 'small';
  if (start > series.to - LASTING) return 'late';
  if (label.end !== null && label.end - start < LASTING) return 'short';
  return label.samples < 12 ? 'few-samples' : null;
}

/** The way back is a step of its own, not judged either way. */
function rollbackOf(series: DrawnSeries, label: EventLabel, event: SeriesEvent): EventLabel {
  return {
    ...label,
    kind: label.kind === 'regression' ? 'improvement' : 'regression',
    start: event.end,
    end: null,
    effectMs: -label.effectMs,
    effectRatio: round(1 / (1 + label.effectRatio) - 1),
    samples: countBetween(series.instants, event.end, event.end + LASTING),
    incident: `${label.incident}-back`,
    judged: false,
    notJudged: 'rollback',
  };
}

export function countBetween(instants: readonly number[], start: number, end: number): number {
  let count = 0;
  for (const at of instants) if (at >= start && at < end) count += 1;
  return count;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** Mean weight over all of an event: 1 for what stays. */
export function meanWeight(event: SeriesEvent): number {
  if (event.end === Number.POSITIVE_INFINITY) return event.hitShare;
  const length = event.end - event.start;
  if (event.shape === 'triangle') return event.hitShare * 0.675;
  if (event.shape === 'box' || length <= 0) return event.hitShare;
  return event.hitShare * (1 - Math.min(1, event.rampSeconds / length) / 2);
}
