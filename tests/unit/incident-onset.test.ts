import { describe, expect, it } from 'vitest';
import { onsetOf, onsetWith } from '#server/incidents/onset.ts';
import type { IncidentRecord, StoredCell } from '#server/incidents/stored-incident.ts';

type Cell = Pick<StoredCell, 'at' | 'changeAt' | 'kind'>;

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12) + minute * 60_000);
/** Cells that began in these minutes, each detected `delay` minutes later, or all at one instant. */
const spikes = (minutes: readonly number[], { delay = 8, found }: { delay?: number; found?: number } = {}): Cell[] =>
  minutes.map((minute) => ({
    kind: 'spike',
    changeAt: at(minute).toISOString(),
    at: at(found ?? minute + delay).toISOString(),
  }));
const lasting = (minutes: readonly number[]): Cell[] =>
  spikes(minutes).map((cell) => ({ ...cell, kind: 'regression' }));
const many = (count: number, minute: number) => Array<number>(count).fill(minute);

describe('an onset', () => {
  it('is the median of its series, not the earliest that chance gave', () => {
    // It began at 15; one series was dated by a chance value 13 minutes before.
    expect(onsetOf(spikes([2, 12, 13, 15, 16], { found: 25 })).at).toEqual(at(13));
    expect(onsetOf(spikes([7, 3, 5])).at).toEqual(at(5));
    expect(onsetOf(spikes([-3, ...many(30, 0)])).at).toEqual(at(0));
    expect(onsetOf(spikes([4])).at).toEqual(at(4));
  });

  it('is of those that are sure: what took much longer to be detected is left out', () => {
    expect(onsetOf([...spikes([-11], { delay: 40 }), ...spikes([2], { delay: 6 })]).at).toEqual(at(2));
    expect(onsetOf([...spikes([-50, -52, -53], { delay: 70 }), ...spikes([0, 1])]).at).toEqual(at(0));
    // None is sure: all count.
    expect(onsetOf(spikes([-50, -52, -53], { delay: 70 })).at).toEqual(at(-52));
  });

  it('of a lasting change is not that of those which chance dated up to three hours early', () => {
    const early = [-175, -135, -119, -90, -79, -61, -44, -25, -22, -16, -12];
    expect(onsetOf(lasting([...early, ...many(10, -5), ...many(12, 0), ...many(12, 3)])).at).toEqual(at(0));
  });

  it('of what spread is that of the series that changed first', () => {
    expect(onsetOf(lasting([...many(7, 0), ...many(15, 120)])).at).toEqual(at(0));
    expect(onsetOf(spikes([...many(3, 0), ...many(20, 45)])).at).toEqual(at(45));
  });

  it('lies in an interval that its series span, to at least as long after it as one of them is uncertain', () => {
    expect(onsetOf(spikes([0, 10, 14]))).toEqual({ at: at(10), from: at(0), to: at(14) });
    expect(onsetOf(spikes([10]))).toEqual({ at: at(10), from: at(10), to: at(10.5) });
    expect(onsetOf(lasting([10]))).toEqual({ at: at(10), from: at(10), to: at(12) });
    // A tenth on either side is left out, and an hour is the most.
    const some = Array.from({ length: 20 }, (_, n) => n);
    expect(onsetOf(spikes(some))).toEqual({ at: at(9), from: at(2), to: at(17) });
    const spread = Array.from({ length: 30 }, (_, n) => 10 * n);
    expect(onsetOf(lasting(spread))).toEqual({ at: at(140), from: at(80), to: at(200) });
  });

  it('is never later than the incident was opened', () => {
    const incident = { onsetAt: at(0), openedAt: at(2), reopened: 0 } as IncidentRecord;
    expect(onsetWith(incident, spikes([...many(3, 0), ...many(60, 90)]))).toEqual(at(0));
  });

  it('becomes another where it is better known, and stays where an incident came back', () => {
    const record = (onsetAt: Date, reopened: number) => ({ onsetAt, openedAt: at(30), reopened }) as IncidentRecord;
    expect(onsetWith(record(at(-13), 0), spikes([-13, 0, 1]))).toEqual(at(0));
    expect(onsetWith(record(at(-240), 1), spikes([0, 1, 2]))).toEqual(at(-240));
    expect(onsetWith(record(at(5), 1), spikes([2, 3, 4]))).toEqual(at(3));
  });
});
