import type { SeriesEvent } from '#analysis/synthetic/event.ts';

const HOUR = 3_600;

/** The events of each series, with room kept between them, so that a label is about one thing. */
export class Schedule {
  readonly events: SeriesEvent[][];

  constructor(series: number) {
    this.events = Array.from({ length: series }, () => []);
  }

  /** Whether an event may be added to all these series. */
  fits(indexes: readonly number[], event: SeriesEvent): boolean {
    return indexes.every((index) => (this.events[index] ?? []).every((other) => !collide(other, event)));
  }

  add(index: number, event: SeriesEvent): void {
    this.events[index]?.push(event);
  }
}

/** Edges of shifts and drifts are far apart, spikes do not overlap; a spike may follow a shift at once. */
function collide(a: SeriesEvent, b: SeriesEvent): boolean {
  if (isLasting(a) && isLasting(b))
    return edges(a).some((x) => edges(b).some((y) => Math.abs(x - y) < 30 * HOUR)) || bothDrift(a, b);
  if (a.kind === 'spike' && b.kind === 'spike') return overlap(a, b, 1.5 * HOUR);
  const [spike, other] = a.kind === 'spike' ? [a, b] : [b, a];
  if (spike.kind !== 'spike') return false;
  if (other.kind === 'shift') return edges(other).some((edge) => edge > spike.start - 900 && edge < spike.end + HOUR);
  return other.kind === 'odd' || other.kind === 'failures' ? overlap(spike, other, 1_800) : false;
}

function isLasting(event: SeriesEvent): boolean {
  return event.kind === 'shift' || event.kind === 'drift';
}

function bothDrift(a: SeriesEvent, b: SeriesEvent): boolean {
  const slope = (event: SeriesEvent) => ({
    ...event,
    end: event.kind === 'drift' ? event.start + event.rampSeconds : event.start,
  });
  return overlap(slope(a), slope(b), 30 * HOUR);
}

function edges(event: SeriesEvent): number[] {
  return event.end === Number.POSITIVE_INFINITY ? [event.start] : [event.start, event.end];
}

function overlap(a: { start: number; end: number }, b: { start: number; end: number }, room: number): boolean {
  return a.start < b.end + room && b.start < a.end + room;
}
