import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Check } from '#contract/check.ts';
import { ProbeSettings } from '#contract/target.ts';
import { JITTER, LATE_LIMIT, Schedule, STARTS_A_RETAKE, timeoutOf } from '#workers/prober/schedule.ts';

const DAY_MS = 86_400_000;

function checkOf(number: number, periodSeconds: number): Check {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const vantage = { name: 'here', country: 'CN', region: 'CN-BJ', city: null, carrier: 'telecom', asn: null } as const;
  return {
    id,
    targetId: id,
    url: 'https://a.example/',
    vantage: { id, access: 'idc', ...vantage },
    demo: false,
    periodSeconds,
    timeoutMs: 60_000,
    settings: ProbeSettings.parse({}),
    allowPrivate: false,
  };
}

/** A generator of numbers from 0 to 1 that is the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Start = { id: string; at: number };

/** Plays the schedule in simulated time: every probe takes as long as `durationOf` says. */
function simulate(
  schedule: Schedule,
  from: number,
  to: number,
  durationOf: (check: Check) => number,
  disturbed = false,
) {
  const starts: Start[] = [];
  const ends: { at: number; id: string }[] = [];
  let mostInFlight = 0;
  for (let now = from; now < to; ) {
    for (const end of ends.splice(0, ends.findLastIndex((each) => each.at <= now) + 1))
      schedule.done(end.id, end.at, disturbed);
    const check = schedule.take(now);
    if (check) {
      starts.push({ id: check.id, at: now });
      ends.push({ at: now + durationOf(check), id: check.id });
      ends.sort((a, b) => a.at - b.at);
      mostInFlight = Math.max(mostInFlight, schedule.inFlight);
    }
    const next = Math.min(schedule.nextAt() ?? Number.POSITIVE_INFINITY, ends[0]?.at ?? Number.POSITIVE_INFINITY);
    now = Math.max(next, now + (check ? 0.01 : 0.5));
  }
  return { starts, mostInFlight };
}

function gapsById(starts: Start[]): Map<string, number[]> {
  const gaps = new Map<string, number[]>();
  const last = new Map<string, number>();
  for (const { id, at } of starts) {
    const before = last.get(id);
    if (before !== undefined) gaps.set(id, [...(gaps.get(id) ?? []), at - before]);
    last.set(id, at);
  }
  return gaps;
}

describe('the schedule', () => {
  it('runs each check once a period, within the jitter, over a whole day', () => {
    const arbitrary = fc.record({
      seed: fc.nat(),
      periods: fc.array(fc.constantFrom(60, 120, 300, 3_600), { minLength: 1, maxLength: 12 }),
      durationMs: fc.integer({ min: 1, max: 30_000 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ seed, periods, durationMs }) => {
        const schedule = new Schedule({ random: seeded(seed) });
        const checks = periods.map((period, index) => checkOf(index, period));
        for (const check of checks) schedule.put(check, 0);
        const { starts } = simulate(schedule, 0, DAY_MS, (check) => Math.min(durationMs, timeoutOf(check)));
        const gaps = gapsById(starts);
        for (const check of checks) {
          const periodMs = check.periodSeconds * 1_000;
          const runs = starts.filter((start) => start.id === check.id).length;
          expect(Math.abs(runs - DAY_MS / periodMs)).toBeLessThanOrEqual(1);
          for (const gap of gaps.get(check.id) ?? []) {
            expect(gap).toBeGreaterThan(periodMs * (1 - 2 * JITTER) - 200);
            expect(gap).toBeLessThan(periodMs * (1 + 2 * JITTER) + 200);
          }
        }
        expect(schedule.counts.missed).toBe(0);
        expect(schedule.counts.started).toBe(starts.length);
      }),
      { numRuns: 15 },
    );
  });

  it('keeps under the cap, never runs a check twice at once, and counts every run it missed', () => {
    const arbitrary = fc.record({
      seed: fc.nat(),
      count: fc.integer({ min: 5, max: 60 }),
      maxInFlight: fc.integer({ min: 1, max: 4 }),
      durationMs: fc.integer({ min: 500, max: 20_000 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ seed, count, maxInFlight, durationMs }) => {
        const schedule = new Schedule({ random: seeded(seed), maxInFlight });
        for (let number = 0; number < count; number += 1) schedule.put(checkOf(number, 10), 0);
        const hour = 3_600_000;
        const { starts, mostInFlight } = simulate(schedule, 0, hour, () => durationMs);
        expect(mostInFlight).toBeLessThanOrEqual(maxInFlight);
        for (const gaps of gapsById(starts).values()) {
          for (const gap of gaps)
            expect(gap).toBeGreaterThan(Math.max(durationMs, 10_000 * (1 - 2 * JITTER - LATE_LIMIT)) - 1);
        }
        const slots = (count * hour) / 10_000;
        // At the end each check may have a first slot still ahead, and those not looked at while the last probe ran.
        const open = Math.ceil(durationMs / 10_000) + 1;
        expect(Math.abs(schedule.counts.started + schedule.counts.missed - slots)).toBeLessThanOrEqual(open * count);
      }),
      { numRuns: 15 },
    );
  });

  it('spreads first runs over the period', () => {
    const schedule = new Schedule({ random: seeded(7), maxInFlight: 10_000 });
    for (let number = 0; number < 1_000; number += 1) schedule.put(checkOf(number, 60), 0);
    const { starts } = simulate(schedule, 0, 60_000, () => 50);
    const perTenth = Array.from({ length: 10 }, (_, tenth) =>
      starts.filter(({ at }) => Math.floor(at / 6_000) === tenth),
    );
    for (const { length } of perTenth) expect(length).toBeGreaterThan(60);
  });

  it('brings first runs early when asked to, and spreads the later ones over the period all the same', () => {
    const schedule = new Schedule({ random: seeded(8), firstSpreadMs: 5_000 });
    for (let number = 0; number < 279; number += 1) schedule.put(checkOf(number, 60), 0);
    expect(simulate(schedule, 0, 5_100, () => 50).starts).toHaveLength(279);
    const { starts } = simulate(schedule, 60_000, 120_000, () => 50);
    expect(starts.filter(({ at }) => at > 90_000).length).toBeGreaterThan(100);
    expect(schedule.counts.missed).toBe(0);
  });

  it('takes a disturbed run again once, soon, and keeps the rhythm', () => {
    const schedule = new Schedule({ random: () => 0.5, phase: () => 0.5 });
    const { id } = checkOf(1, 60);
    schedule.put(checkOf(1, 60), 0);
    for (const at of [30_000, 90_000, 150_000]) {
      expect(schedule.take(at)).not.toBeNull();
      schedule.done(id, at + 100, at === 150_000);
    }
    expect(schedule.nextAt()).toBe(153_100);
    expect(schedule.take(153_100)).not.toBeNull();
    schedule.done(id, 153_200, true);
    expect(schedule.nextAt()).toBe(210_000);
    expect(schedule.counts).toEqual({ started: 3, missed: 0, retaken: 1 });
  });

  it('takes at most every third start again, so that load does not feed itself', () => {
    const schedule = new Schedule({ random: seeded(5) });
    for (let number = 0; number < 90; number += 1) schedule.put(checkOf(number, 60), 0);
    simulate(schedule, 0, 3_600_000, () => 50, true);
    const { started, retaken, missed } = schedule.counts;
    expect(started).toBeGreaterThan(90 * 59);
    expect(retaken).toBeLessThanOrEqual(started / STARTS_A_RETAKE);
    expect(retaken).toBeGreaterThan(started / STARTS_A_RETAKE - 90);
    expect(missed).toBe(0);
  });

  it('takes a run that lasted into its next slot not again', () => {
    const schedule = new Schedule({ random: () => 0.5, phase: () => 0.5 });
    schedule.put(checkOf(1, 10), 0);
    for (const at of [5_000, 15_000, 25_000]) {
      expect(schedule.take(at)).not.toBeNull();
      schedule.done(checkOf(1, 10).id, at + 7_000, true);
      expect(schedule.nextAt()).toBe(at + 10_000);
    }
  });

  it('keeps starts a few milliseconds apart', () => {
    const schedule = new Schedule({ random: () => 0.5, phase: () => 0.5 });
    for (let number = 0; number < 20; number += 1) schedule.put(checkOf(number, 60), 0);
    const { starts } = simulate(schedule, 0, 60_000, () => 1);
    expect(starts).toHaveLength(20);
    for (const [index, { at }] of starts.entries()) {
      if (index > 0) expect(at - (starts[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(5);
    }
  });

  it('counts what a sleeping machine missed and does not make up for it', () => {
    const schedule = new Schedule({ random: seeded(3) });
    for (let number = 0; number < 10; number += 1) schedule.put(checkOf(number, 60), 0);
    simulate(schedule, 0, 600_000, () => 50);
    const { starts } = simulate(schedule, 4_200_000, 4_260_000, () => 50);
    expect(starts.length).toBeLessThanOrEqual(11);
    expect(schedule.counts.missed).toBeGreaterThanOrEqual(590);
    expect(schedule.counts.missed).toBeLessThanOrEqual(610);
  });

  it('keeps the rhythm of a check whose settings change, and gives a new one to a new period', () => {
    const schedule = new Schedule({ random: () => 0.5, phase: () => 0.5 });
    schedule.put(checkOf(1, 60), 0);
    schedule.put({ ...checkOf(1, 60), url: 'https://b.example/' }, 20_000);
    expect(schedule.nextAt()).toBe(30_000);
    expect(schedule.take(30_000)?.url).toBe('https://b.example/');
    schedule.put(checkOf(1, 600), 40_000);
    expect(schedule.take(95_000)).toBeNull();
    expect(schedule.nextAt()).toBe(300_000);
    expect(schedule.size).toBe(1);
  });

  it('does not start a removed check, nor one that came back while its probe still runs', () => {
    const schedule = new Schedule({ random: () => 0, phase: () => 0 });
    schedule.put(checkOf(1, 60), 0);
    expect(schedule.take(0)).not.toBeNull();
    schedule.remove(checkOf(1, 60).id);
    expect(schedule.take(120_000)).toBeNull();
    schedule.put(checkOf(1, 60), 120_000);
    expect(schedule.take(120_000)).toBeNull();
    expect(schedule.counts.missed).toBe(1);
    schedule.done(checkOf(1, 60).id, 121_000);
    expect(schedule.inFlight).toBe(0);
  });

  it('asks nothing of the timer while the prober is full', () => {
    const schedule = new Schedule({ random: () => 0, phase: () => 0, maxInFlight: 1 });
    schedule.put(checkOf(1, 60), 0);
    schedule.put(checkOf(2, 60), 0);
    schedule.take(0);
    expect(schedule.nextAt()).toBeNull();
    schedule.done(checkOf(1, 60).id, 61_000);
    expect(schedule.nextAt()).toBe(5);
  });

  it('schedules 20,000 checks at a few microseconds a start', () => {
    const schedule = new Schedule({ random: seeded(5), maxInFlight: 100_000 });
    for (let number = 0; number < 20_000; number += 1) schedule.put(checkOf(number, 60), 0);
    const began = performance.now();
    let starts = 0;
    for (let now = 0; now < 60_000; now += 1) {
      for (let check = schedule.take(now); check; check = schedule.take(now)) {
        schedule.done(check.id, now);
        starts += 1;
      }
    }
    expect(starts).toBeGreaterThan(19_000);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('keeps the time-out of a probe below its period', () => {
    expect(timeoutOf(checkOf(1, 10))).toBe(7_500);
    expect(timeoutOf({ ...checkOf(1, 10), timeoutMs: 3_000 })).toBe(3_000);
  });
});
