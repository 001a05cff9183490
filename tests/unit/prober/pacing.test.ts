import fc from 'fast-check';
import { v4 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Check } from '#contract/check.ts';
import { ProbeSettings } from '#contract/target.ts';
import type { Task } from '#workers/prober/measurements.ts';
import { Pacing } from '#workers/prober/pacing.ts';
import { JITTER } from '#workers/prober/schedule.ts';

const settings = ProbeSettings.parse({});
const vantage = { name: 'here', country: 'CN', region: 'CN-BJ', city: null, carrier: 'telecom', asn: null } as const;

function checkOf(id: string, periodSeconds: number): Check {
  return {
    id,
    targetId: id,
    url: 'https://a.example/',
    vantage: { id, access: 'idc', ...vantage },
    demo: false,
    periodSeconds,
    timeoutMs: 60_000,
    settings,
    allowPrivate: false,
  };
}

/** Plays the schedule's timer from `from` to `to`; every run lasts `lastsMs`. Returns when runs started. */
function play(pacing: Pacing, from: number, to: number, lastsMs: number): { at: number; id: string }[] {
  const starts: { at: number; id: string }[] = [];
  let ended = 0;
  for (let now = from; now < to; now += 1) {
    for (let run = starts[ended]; run && run.at + lastsMs <= now; run = starts[++ended]) pacing.done(run.id, now);
    const at = pacing.nextAt();
    const check = at !== null && at <= now ? pacing.take(now) : null;
    if (check) starts.push({ at: now, id: check.id });
  }
  for (const { id } of starts.slice(ended)) pacing.done(id, to);
  return starts;
}

function mostWithin(ms: number, starts: { at: number }[]): number {
  return starts.reduce((most, { at }, index) => {
    const end = starts.findIndex((later, position) => position > index && later.at >= at + ms);
    return Math.max(most, (end < 0 ? starts.length : end) - index);
  }, 0);
}

function filled(count: number, periodSeconds: number, options: { maxInFlight?: number; epoch?: number } = {}) {
  const pacing = new Pacing({ random: Math.random, ...options });
  const ids = Array.from({ length: count }, () => v4());
  for (const id of ids) pacing.put(checkOf(id, periodSeconds), 0);
  return { pacing, ids };
}

describe('thousands of checks on one thread', () => {
  it('start evenly: 1,000 of 10 s never more than twice their mean rate in any tenth of a second', () => {
    const { pacing } = filled(1_000, 10);
    play(pacing, 0, 10_000, 80);
    const starts = play(pacing, 10_000, 40_000, 80);
    expect(starts.length).toBeGreaterThan(2_900);
    expect(starts.length).toBeLessThanOrEqual(3_050);
    // 10 in the mean; starts are at least half their mean distance apart.
    expect(mostWithin(100, starts)).toBeLessThanOrEqual(21);
    expect(pacing.counts.missed).toBe(0);
  });

  it('do not bunch after ten minutes of sleep: what was missed is counted', () => {
    const { pacing } = filled(1_000, 60);
    const before = play(pacing, 0, 60_000, 80);
    const wakes = 660_000;
    const after = play(pacing, wakes, wakes + 60_000, 80);
    // 16.7 a second in the mean. Runs that came due in the last 6 s of sleep may still start, at twice that pace.
    expect(mostWithin(1_000, after)).toBeLessThanOrEqual(42);
    expect(Math.abs(after.length - 1_050)).toBeLessThan(100);
    expect(new Set(after.map(({ id }) => id)).size).toBeGreaterThan(950);
    // Ten runs of each check were due meanwhile.
    expect(Math.abs(pacing.counts.missed - 9_950)).toBeLessThan(150);
    expect(pacing.counts.started).toBe(before.length + after.length);
  });

  it('count as missed what finds no place, and leave none of it to chance', () => {
    const arbitrary = fc.record({
      maxInFlight: fc.integer({ min: 1, max: 20 }),
      lastsMs: fc.integer({ min: 200, max: 2_000 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ maxInFlight, lastsMs }) => {
        const count = 200;
        const { pacing } = filled(count, 10, { maxInFlight });
        const periods = 5;
        const starts = play(pacing, 0, periods * 10_000, lastsMs);
        expect(starts.length).toBeLessThanOrEqual((maxInFlight * periods * 10_000) / lastsMs + maxInFlight);
        const accounted = pacing.counts.started + pacing.counts.missed;
        expect(Math.abs(accounted - count * periods)).toBeLessThanOrEqual(count + maxInFlight);
      }),
      { numRuns: 20 },
    );
  });

  it('keep their places over a restart, whenever that comes', () => {
    const ids = Array.from({ length: 50 }, () => v4());
    const periodMs = 60_000;
    const places = (startedAt: number) => {
      const pacing = new Pacing({ random: () => 0.5, epoch: startedAt, firstSpreadMs: 5_000 });
      for (const id of ids) pacing.put(checkOf(id, 60), 0);
      play(pacing, 0, 2 * periodMs, 50);
      const starts = play(pacing, 2 * periodMs, 3 * periodMs, 50);
      return new Map(starts.map(({ at, id }) => [id, (startedAt + at) % periodMs]));
    };
    const once = places(1_795_000_000_000);
    const again = places(1_795_000_000_000 + 7_654_321);
    expect(once.size).toBe(50);
    for (const [id, place] of once) {
      const apart = Math.abs(place - (again.get(id) ?? Number.NaN));
      // Less what keeping starts apart from each other moves.
      expect(Math.min(apart, periodMs - apart)).toBeLessThan(100);
    }
  });

  it('stay within the jitter of their places', () => {
    const { pacing, ids } = filled(100, 60);
    const starts = play(pacing, 0, 600_000, 50);
    for (const id of ids.slice(0, 20)) {
      const places = starts.filter((start) => start.id === id).map(({ at }) => at % 60_000);
      // The first run has no jitter; the others lie on both sides of it.
      const [first = 0] = places;
      for (const place of places) {
        const apart = Math.abs(place - first);
        expect(Math.min(apart, 60_000 - apart)).toBeLessThanOrEqual(JITTER * 60_000 + 50);
      }
    }
  });
});

describe('tasks of measurements', () => {
  const taskOf = (): Task => {
    const { targetId: _, periodSeconds: __, ...check } = checkOf(v4(), 60);
    return { ...check, measurementId: v4() };
  };
  const request = (pacing: Pacing, count: number) => {
    const tasks = Array.from({ length: count }, taskOf);
    for (const task of tasks) expect(pacing.request(task)).toBe(true);
    return new Set(tasks.map(({ id }) => id));
  };

  it('start at once, 5 ms apart, and 16 at the same time', () => {
    const { pacing } = filled(0, 60);
    const ids = request(pacing, 93);
    const starts = play(pacing, 1_000, 3_000, 100);
    expect(starts.map(({ id }) => id)).toEqual([...ids]);
    expect(starts.slice(0, 3).map(({ at }) => at)).toEqual([1_000, 1_005, 1_010]);
    expect(starts[16]?.at).toBeGreaterThanOrEqual(1_100);
    // 93 probes of a tenth of a second, 16 at once.
    expect(starts.at(-1)?.at).toBeLessThan(1_000 + 700);
    expect([pacing.counts.started, pacing.counts.missed, pacing.inFlight]).toEqual([0, 0, 0]);
  });

  it('cost the checks no run, and delay none by more than some milliseconds', () => {
    const { pacing } = filled(500, 10, {});
    play(pacing, 0, 10_000, 80);
    const tasks = request(pacing, 200);
    const starts = play(pacing, 10_000, 20_000, 80);
    expect(starts.filter(({ id }) => tasks.has(id))).toHaveLength(200);
    expect(starts.length - 200).toBeGreaterThan(480);
    expect(pacing.counts.missed).toBe(0);
  });

  it('of a cancelled measurement do not begin, and the others keep their turn', () => {
    const { pacing } = filled(0, 60);
    const [first, second, third] = [taskOf(), taskOf(), taskOf()] as const;
    for (const task of [first, second, third]) pacing.request(task);
    expect(pacing.take(0)).toBe(first);
    pacing.takeBack(first.measurementId);
    pacing.takeBack(second.measurementId);
    expect([pacing.take(5), pacing.take(10), pacing.inFlight]).toEqual([third, null, 2]);
  });

  it('take no room that a full prober lacks, and are refused beyond a thousand', () => {
    const { pacing } = filled(1, 60, { maxInFlight: 2 });
    request(pacing, 1_000);
    expect(pacing.request(taskOf())).toBe(false);
    expect([pacing.take(0), pacing.take(5), pacing.take(10)].map(Boolean)).toEqual([true, true, false]);
    expect(pacing.nextAt()).toBeNull();
    // When a check is due is known nevertheless: what is promised to the detector hangs on it.
    expect(pacing.nextCheckAt()).not.toBeNull();
  });
});
