import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Check } from '#contract/check.ts';
import { ProbeSettings } from '#contract/target.ts';
import { Pacing, STARTS_A_RETAKE } from '#workers/prober/pacing.ts';
import { firstRun, JITTER, LATE_LIMIT, runAfter, timeoutOf } from '#workers/prober/schedule.ts';

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
function simulate(pacing: Pacing, from: number, to: number, durationOf: (check: Check) => number, disturbed = false) {
  const starts: Start[] = [];
  const ends: { at: number; id: string }[] = [];
  let mostInFlight = 0;
  for (let now = from; now < to; ) {
    for (const end of ends.splice(0, ends.findLastIndex((each) => each.at <= now) + 1))
      pacing.done(end.id, end.at, disturbed);
    const check = pacing.take(now) as Check | null; // without tasks
    if (check) {
      starts.push({ id: check.id, at: now });
      ends.push({ at: now + durationOf(check), id: check.id });
      ends.sort((a, b) => a.at - b.at);
      mostInFlight = Math.max(mostInFlight, pacing.inFlight);
    }
    const next = Math.min(pacing.nextAt() ?? Number.POSITIVE_INFINITY, ends[0]?.at ?? Number.POSITIVE_INFINITY);
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

describe('the slots of a check', () => {
  const WALL = 1_795_000_000_000;

  it('lie at its phase of the period for ever, whenever the prober began, and each run within the jitter of one', () => {
    const arbitrary = fc.record({
      phase: fc.double({ min: 0, max: 0.999, noNaN: true }),
      periodMs: fc.constantFrom(10_000, 60_000, 3_600_000),
      begun: fc.nat(10_000_000),
      chances: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ phase, periodMs, begun, chances }) => {
        const wall = WALL + begun;
        let run = Object.freeze(firstRun({ phase, periodMs }, 0, wall, { count: 0 }));
        expect(run.dueAt).toBe(run.slotAt);
        for (const chance of chances) {
          const { next, missed } = runAfter(run, periodMs, run.dueAt, chance);
          expect(missed).toBe(0);
          expect((next.slotAt - run.slotAt) / periodMs).toBeCloseTo(1, 6);
          const off = (((wall + next.slotAt) / periodMs) % 1) - phase;
          expect(Math.abs(off - Math.round(off))).toBeLessThan(1e-6);
          expect(Math.abs(next.dueAt - next.slotAt)).toBeLessThanOrEqual(JITTER * periodMs + 1e-6);
          run = Object.freeze(next);
        }
      }),
    );
  });

  it('that went by while the machine slept are missed, all but the one that can still be met', () => {
    const run = { slotAt: 10_000, dueAt: 10_000, first: false };
    expect(runAfter(run, 10_000, 70_500, 0.5)).toEqual({
      next: { slotAt: 70_000, dueAt: 70_000, first: false },
      missed: 5,
    });
  });
});

describe('the schedule', () => {
  it('runs each check once a period, within the jitter, over a whole day', () => {
    const arbitrary = fc.record({
      seed: fc.nat(),
      periods: fc.array(fc.constantFrom(60, 120, 300, 3_600), { minLength: 1, maxLength: 12 }),
      durationMs: fc.integer({ min: 1, max: 30_000 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ seed, periods, durationMs }) => {
        const pacing = new Pacing({ random: seeded(seed) });
        const checks = periods.map((period, index) => checkOf(index, period));
        for (const check of checks) pacing.put(check, 0);
        const { starts } = simulate(pacing, 0, DAY_MS, (check) => Math.min(durationMs, timeoutOf(check)));
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
        expect(pacing.counts.missed).toBe(0);
        expect(pacing.counts.started).toBe(starts.length);
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
        const pacing = new Pacing({ random: seeded(seed), maxInFlight });
        for (let number = 0; number < count; number += 1) pacing.put(checkOf(number, 10), 0);
        const hour = 3_600_000;
        const { starts, mostInFlight } = simulate(pacing, 0, hour, () => durationMs);
        expect(mostInFlight).toBeLessThanOrEqual(maxInFlight);
        for (const gaps of gapsById(starts).values()) {
          for (const gap of gaps)
            expect(gap).toBeGreaterThan(Math.max(durationMs, 10_000 * (1 - 2 * JITTER - LATE_LIMIT)) - 1);
        }
        const slots = (count * hour) / 10_000;
        // At the end each check may have a first slot still ahead, and those not looked at while the last probe ran.
        const open = Math.ceil(durationMs / 10_000) + 1;
        expect(Math.abs(pacing.counts.started + pacing.counts.missed - slots)).toBeLessThanOrEqual(open * count);
      }),
      { numRuns: 15 },
    );
  });

  it('spreads first runs over the period', () => {
    const pacing = new Pacing({ random: seeded(7), maxInFlight: 10_000 });
    for (let number = 0; number < 1_000; number += 1) pacing.put(checkOf(number, 60), 0);
    const { starts } = simulate(pacing, 0, 60_000, () => 50);
    const perTenth = Array.from({ length: 10 }, (_, tenth) =>
      starts.filter(({ at }) => Math.floor(at / 6_000) === tenth),
    );
    for (const { length } of perTenth) expect(length).toBeGreaterThan(60);
  });

  it('brings first runs early when asked to, and spreads the later ones over the period all the same', () => {
    const pacing = new Pacing({ random: seeded(8), firstSpreadMs: 5_000 });
    for (let number = 0; number < 279; number += 1) pacing.put(checkOf(number, 60), 0);
    expect(simulate(pacing, 0, 5_100, () => 50).starts).toHaveLength(279);
    const { starts } = simulate(pacing, 60_000, 120_000, () => 50);
    expect(starts.filter(({ at }) => at > 90_000).length).toBeGreaterThan(100);
    expect(pacing.counts.missed).toBe(0);
  });

  it('takes a disturbed run again once, soon, and keeps the rhythm', () => {
    const pacing = new Pacing({ random: () => 0.5, phase: () => 0.5 });
    const { id } = checkOf(1, 60);
    pacing.put(checkOf(1, 60), 0);
    for (const at of [30_000, 90_000, 150_000]) {
      expect(pacing.take(at)).not.toBeNull();
      pacing.done(id, at + 100, at === 150_000);
    }
    expect(pacing.nextAt()).toBe(153_100);
    expect(pacing.take(153_100)).not.toBeNull();
    pacing.done(id, 153_200, true);
    expect(pacing.nextAt()).toBe(210_000);
    expect(pacing.counts).toEqual({ started: 3, missed: 0, retaken: 1 });
  });

  it('takes a check that has had no undisturbed run yet again until it has one', () => {
    const pacing = new Pacing({ random: () => 0.5, phase: (id) => (id === checkOf(1, 60).id ? 0.5 : 0.1) });
    for (let number = 1; number <= 12; number += 1) pacing.put(checkOf(number, 60), 0);
    const disturbed: number[] = [];
    for (let at: number | null = 0; at !== null && at < 60_000; at = pacing.nextAt()) {
      const run = pacing.take(at);
      if (!run) continue;
      const isOne = run.id === checkOf(1, 60).id;
      if (isOne) disturbed.push(at);
      pacing.done(run.id, at + 1, isOne && disturbed.length < 4);
    }
    expect(disturbed).toEqual([30_000, 33_001, 36_002, 39_003]);
    expect(pacing.counts).toEqual({ started: 12, missed: 0, retaken: 3 });
  });

  it('takes at most every third start again, so that load does not feed itself', () => {
    const pacing = new Pacing({ random: seeded(5) });
    for (let number = 0; number < 90; number += 1) pacing.put(checkOf(number, 60), 0);
    simulate(pacing, 0, 3_600_000, () => 50, true);
    const { started, retaken, missed } = pacing.counts;
    expect(started).toBeGreaterThan(90 * 59);
    expect(retaken).toBeLessThanOrEqual(started / STARTS_A_RETAKE);
    expect(retaken).toBeGreaterThan(started / STARTS_A_RETAKE - 90);
    expect(missed).toBe(0);
  });

  it('takes a run that lasted into its next slot not again', () => {
    const pacing = new Pacing({ random: () => 0.5, phase: () => 0.5 });
    pacing.put(checkOf(1, 10), 0);
    for (const at of [5_000, 15_000, 25_000]) {
      expect(pacing.take(at)).not.toBeNull();
      pacing.done(checkOf(1, 10).id, at + 7_000, true);
      expect(pacing.nextAt()).toBe(at + 10_000);
    }
  });

  it('keeps starts a few milliseconds apart', () => {
    const pacing = new Pacing({ random: () => 0.5, phase: () => 0.5 });
    for (let number = 0; number < 20; number += 1) pacing.put(checkOf(number, 60), 0);
    const { starts } = simulate(pacing, 0, 60_000, () => 1);
    expect(starts).toHaveLength(20);
    for (const [index, { at }] of starts.entries()) {
      if (index > 0) expect(at - (starts[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(5);
    }
  });

  it('counts what a sleeping machine missed and does not make up for it', () => {
    const pacing = new Pacing({ random: seeded(3) });
    for (let number = 0; number < 10; number += 1) pacing.put(checkOf(number, 60), 0);
    simulate(pacing, 0, 600_000, () => 50);
    const { starts } = simulate(pacing, 4_200_000, 4_260_000, () => 50);
    expect(starts.length).toBeLessThanOrEqual(11);
    expect(pacing.counts.missed).toBeGreaterThanOrEqual(590);
    expect(pacing.counts.missed).toBeLessThanOrEqual(610);
  });

  it('keeps the rhythm of a check whose settings change, and gives a new one to a new period', () => {
    const pacing = new Pacing({ random: () => 0.5, phase: () => 0.5 });
    pacing.put(checkOf(1, 60), 0);
    pacing.put({ ...checkOf(1, 60), url: 'https://b.example/' }, 20_000);
    expect(pacing.nextAt()).toBe(30_000);
    expect(pacing.take(30_000)?.url).toBe('https://b.example/');
    pacing.put(checkOf(1, 600), 40_000);
    expect(pacing.take(95_000)).toBeNull();
    expect(pacing.nextAt()).toBe(300_000);
    expect(pacing.size).toBe(1);
  });

  it('does not start a removed check, nor one that came back while its probe still runs', () => {
    const pacing = new Pacing({ random: () => 0, phase: () => 0 });
    pacing.put(checkOf(1, 60), 0);
    expect(pacing.take(0)).not.toBeNull();
    pacing.remove(checkOf(1, 60).id);
    expect(pacing.take(120_000)).toBeNull();
    pacing.put(checkOf(1, 60), 120_000);
    expect(pacing.take(120_000)).toBeNull();
    expect(pacing.counts.missed).toBe(1);
    pacing.done(checkOf(1, 60).id, 121_000);
    expect(pacing.inFlight).toBe(0);
  });

  it('asks nothing of the timer while the prober is full', () => {
    const pacing = new Pacing({ random: () => 0, phase: () => 0, maxInFlight: 1 });
    pacing.put(checkOf(1, 60), 0);
    pacing.put(checkOf(2, 60), 0);
    pacing.take(0);
    expect(pacing.nextAt()).toBeNull();
    pacing.done(checkOf(1, 60).id, 61_000);
    expect(pacing.nextAt()).toBe(5);
  });

  it('schedules 20,000 checks at a few microseconds a start', () => {
    const pacing = new Pacing({ random: seeded(5), maxInFlight: 100_000 });
    for (let number = 0; number < 20_000; number += 1) pacing.put(checkOf(number, 60), 0);
    // Of this thread's own time: a busy machine takes it away for as long as it likes.
    const began = process.threadCpuUsage();
    let starts = 0;
    for (let now = 0; now < 60_000; now += 1) {
      for (let check = pacing.take(now); check; check = pacing.take(now)) {
        pacing.done(check.id, now);
        starts += 1;
      }
    }
    expect(starts).toBeGreaterThan(19_000);
    const { user, system } = process.threadCpuUsage(began);
    expect(user + system).toBeLessThan(2_000_000);
  });

  it('keeps the time-out of a probe below its period', () => {
    expect(timeoutOf(checkOf(1, 10))).toBe(7_500);
    expect(timeoutOf({ ...checkOf(1, 10), timeoutMs: 3_000 })).toBe(3_000);
  });
});
