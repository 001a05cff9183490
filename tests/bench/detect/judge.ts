import type { Detection } from './detection.ts';
import type { EventLabel, SeriesLabel } from './world/labels.ts';

const HOUR = 3_600;
/** A lasting change is found in time within a day. */
const SHIFT_WINDOW = 24 * HOUR;
/** A spike alert so soon after an upward step is that step's early warning. */
const EARLY_WARNING = 6 * HOUR;

/** Judged series: its events and detections are of no other series. `instants` are those of successful probes, rising. */
export type Case = {
  series: SeriesLabel;
  events: readonly EventLabel[];
  detections: readonly Detection[];
  instants?: readonly number[];
};

/** `right` found its event first; `repeat` and `false` are false alarms; `ignored` is not judged either way. */
export type Verdict = {
  detection: Detection;
  outcome: 'right' | 'repeat' | 'false' | 'ignored';
  event: EventLabel | null;
  /** Successful probes from the start of what was found up to the alert, that probe included. */
  samples: number | null;
};

export type Judgement = {
  series: SeriesLabel;
  events: readonly EventLabel[];
  verdicts: Verdict[];
  missed: EventLabel[];
};

/** Judges the detections of one series, in the order in which they were raised, by the rules of `roundtrip detect`. */
export function judge(one: Case): Judgement {
  const { series, events, detections } = one;
  const found = new Set<EventLabel>();
  const verdicts = [...detections]
    .sort((a, b) => a.at - b.at)
    .map((detection) => {
      const verdict = judgeOne(series, events, detection, found);
      return {
        ...verdict,
        detection,
        samples: verdict.outcome === 'right' ? samplesUntil(one, verdict.event, detection) : null,
      };
    });
  const missed = events.filter((event) => event.judged && !found.has(event));
  return { series, events, verdicts, missed };
}

function judgeOne(
  series: SeriesLabel,
  events: readonly EventLabel[],
  detection: Detection,
  found: Set<EventLabel>,
): Pick<Verdict, 'outcome' | 'event'> {
  if (detection.at < series.warmUpEnd) return { outcome: 'ignored', event: null };
  const candidates = events.filter((event) => agrees(event, detection, series.periodSeconds));
  const fresh = candidates.find((event) => event.judged && !found.has(event));
  if (fresh) {
    found.add(fresh);
    return { outcome: 'right', event: fresh };
  }
  const excuse = candidates.find((event) => !event.judged) ?? events.find((event) => excuses(event, detection)) ?? null;
  if (excuse) return { outcome: 'ignored', event: excuse };
  const known = candidates[0] ?? null;
  return { outcome: known ? 'repeat' : 'false', event: known };
}

function samplesUntil({ instants }: Case, event: EventLabel | null, { at }: Detection): number | null {
  if (!instants || !event) return null;
  return instants.filter((instant) => instant >= event.start && instant <= at).length;
}

/** The events of its series that a detection may be of, those that began nearest to the onset it names first. */
export function eventsNear(events: readonly EventLabel[], detection: Detection, period: number): EventLabel[] {
  const onset = detection.change_at ?? detection.at;
  return events
    .filter((event) => agrees(event, detection, period) || excuses(event, detection))
    .sort((a, b) => Math.abs(a.start - onset) - Math.abs(b.start - onset));
}

/** Whether a detection says that this event happened, in time. */
function agrees(event: EventLabel, detection: Detection, periodSeconds: number): boolean {
  if (event.kind !== detection.kind || detection.at < event.start) return false;
  if (event.kind === 'spike') return detection.at <= (event.end ?? Number.POSITIVE_INFINITY) + 2 * periodSeconds;
  return detection.at <= event.start + SHIFT_WINDOW;
}

/** Events of another kind that leave a detection unjudged: the early warning of an upward step, a slow drift in its direction. */
function excuses(event: EventLabel, detection: Detection): boolean {
  const passed = detection.at - event.start;
  if (passed < 0) return false;
  if (detection.kind === 'spike') return event.kind === 'regression' && passed <= EARLY_WARNING;
  if (event.kind !== 'drift') return false;
  const upward = event.effectMs > 0;
  return upward === (detection.kind === 'regression') && detection.at <= (event.end ?? event.start) + SHIFT_WINDOW;
}
