import { type Detection, seriesKey } from './detection.ts';
import type { Case, Judgement } from './judge.ts';
import { isRight } from './scores.ts';
import type { EventLabel } from './world/labels.ts';

const HOUR = 3_600;
const NEAR = 24 * HOUR;

/** What was missed, raised for nothing or blamed on the wrong cause, each with what happened around it, one paragraph each. */
export function describeMisses(cases: readonly Case[], judgements: readonly Judgement[]): string[] {
  return judgements.flatMap((judgement, index) => {
    const one = cases[index];
    if (!one) return [];
    const misses = judgement.missed.map((event) => ({ at: event.start, text: `MISSED ${describeEvent(event)}` }));
    const alarms = judgement.verdicts
      .filter(({ outcome }) => outcome === 'false' || outcome === 'repeat')
      .map(({ detection, outcome }) => ({
        at: detection.at,
        text: `${outcome.toUpperCase()} ${describeDetection(detection)}`,
      }));
    const causes = judgement.verdicts
      .filter(isRight)
      .filter(({ event, detection }) => event.causeJudged && event.cause !== detection.cause)
      .map(({ event, detection }) => ({
        at: detection.at,
        text: `WRONG CAUSE ${detection.cause} of ${describeEvent(event)}`,
      }));
    return [...misses, ...alarms, ...causes].map(({ at, text }) => [text, ...contextOf(one, at)].join('\n'));
  });
}

function contextOf({ series, events, detections }: Case, at: number): string[] {
  const line = `  ${seriesKey(series)}: period ${series.periodSeconds} s, RTT ${series.rttMs} ms, TLS ${series.tlsMs} ms, day ${((at - series.from) / 86_400).toFixed(1)}, warm-up ${((series.warmUpEnd - series.from) / 86_400).toFixed(1)} days`;
  const near = events
    .filter((event) => event.start < at + NEAR && (event.end ?? event.start) > at - NEAR)
    .map((event) => ({ from: event.start, text: `  ${relative(event.start, at)} ${describeEvent(event)}` }));
  const raised = detections
    .filter((detection) => Math.abs(detection.at - at) < NEAR)
    .map((detection) => ({
      from: detection.at,
      text: `  ${relative(detection.at, at)} raised ${describeDetection(detection)}`,
    }));
  return [line, ...[...near, ...raised].sort((a, b) => a.from - b.from).map(({ text }) => text)];
}

function describeEvent(event: EventLabel): string {
  const length = event.end === null ? 'stays' : `${((event.end - event.start) / 60).toFixed(0)} min`;
  const effect = `${(event.effectRatio * 100).toFixed(0)}% (${event.effectMs.toFixed(1)} ms)`;
  const why = event.judged ? '' : ` not judged: ${event.notJudged}`;
  return `${event.kind} ${effect} ${event.cause ?? ''} from ${localTime(event.start)}, ${length}, ${event.samples} samples${why} [${event.incident}]`;
}

function describeDetection({ kind, cause, at, incident, change_at }: Detection): string {
  const onset = change_at === undefined ? '' : ` change_at ${localTime(change_at)}`;
  return `${kind} ${cause ?? ''} at ${localTime(at)}${onset} [${incident ?? ''}]`;
}

/** Time of day in China, where evenings are. */
function localTime(at: number): string {
  const local = new Date((at + 8 * HOUR) * 1_000).toUTCString();
  return `${local.slice(0, 3)} ${local.slice(5, 11)} ${local.slice(17, 25)}`;
}

function relative(at: number, reference: number): string {
  const hours = (at - reference) / HOUR;
  return `${hours >= 0 ? '+' : ''}${hours.toFixed(2)} h`;
}
