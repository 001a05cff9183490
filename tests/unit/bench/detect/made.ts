import type { Detection } from '../../../bench/detect/detection.ts';
import { type Judgement, judge } from '../../../bench/detect/judge.ts';
import type { EventLabel, SeriesLabel } from '../../../bench/detect/world/labels.ts';

export const HOUR = 3_600;
export const DAY = 86_400;
const ON = { target: 't1.example', region: 'Hubei', carrier: 'unicom' };

/** Ten days with a probe a minute, the first two to warm up. */
export const seriesLabel = (more: Partial<SeriesLabel> = {}): SeriesLabel => ({
  type: 'series',
  ...ON,
  from: 0,
  warmUpEnd: 2 * DAY,
  to: 10 * DAY,
  periodSeconds: 60,
  samples: 14_400,
  tlsMs: 65,
  rttMs: 30,
  ...more,
});

/** A judged spike of an hour on the fourth day. */
export const spikeLabel = (more: Partial<EventLabel> = {}): EventLabel => ({
  type: 'event',
  ...ON,
  kind: 'spike',
  start: 4 * DAY,
  end: 4 * DAY + HOUR,
  cause: 'network',
  causeJudged: true,
  effectMs: 60,
  effectRatio: 0.9,
  samples: 60,
  incident: 'spike-1',
  hitShare: 1,
  judged: true,
  ...more,
});

/** A judged regression that stays, from the sixth day on. */
export const shiftLabel = (more: Partial<EventLabel> = {}): EventLabel =>
  spikeLabel({
    kind: 'regression',
    start: 6 * DAY,
    end: null,
    cause: 'server',
    effectMs: 12,
    effectRatio: 0.18,
    samples: 1_440,
    incident: 'shift-1',
    ...more,
  });

export const raised = (kind: Detection['kind'], at: number, more: Partial<Detection> = {}): Detection => ({
  ...ON,
  kind,
  at,
  cause: 'network',
  incident: `page ${at}`,
  ...more,
});

/** Judges a series with these events; every minute has a successful probe. */
export function judged(events: readonly EventLabel[], detections: readonly Detection[]): Judgement {
  const instants = Array.from({ length: 14_400 }, (_, index) => index * 60);
  return judge({ series: seriesLabel(), events, detections, instants });
}

export const outcomes = (events: readonly EventLabel[], detections: readonly Detection[]) =>
  judged(events, detections).verdicts.map(({ outcome }) => outcome);
