import { expect, it } from 'vitest';
import { SleepingClock } from '#workers/prober/sleeping-clock.ts';

/** Two clocks of a machine: one stands still while it sleeps, the other tells hundredths of a second. */
function machine() {
  let awake = 5_000;
  let slept = 0;
  return {
    clock: new SleepingClock({
      awakeMs: () => awake,
      sinceBootMs: () => Math.floor((awake + slept + 1_234) / 10) * 10,
    }),
    works: (ms: number) => {
      awake += ms;
    },
    sleeps: (ms: number) => {
      slept += ms;
    },
  };
}

it('counts the time that the machine slept, once', () => {
  const { clock, works, sleeps } = machine();
  const before = clock.now();
  works(10_000);
  expect(clock.now() - before).toBe(10_000);
  sleeps(600_000);
  works(1_000);
  expect(Math.abs(clock.now() - before - 611_000)).toBeLessThan(20);
  works(1_000);
  expect(Math.abs(clock.now() - before - 612_000)).toBeLessThan(20);
});

it('never goes back and takes the grain of the other clock for no sleep', () => {
  const { clock, works } = machine();
  let last = clock.now();
  const first = last;
  for (let step = 0; step < 10_000; step += 1) {
    works(7.3);
    const now = clock.now();
    expect(now).toBeGreaterThan(last);
    last = now;
  }
  expect(last - first).toBeCloseTo(73_000, 3);
});

it('agrees with the clocks of this machine', () => {
  const clock = new SleepingClock();
  const before = performance.now();
  const told = clock.now();
  expect(told).toBeGreaterThanOrEqual(before);
  expect(told - before).toBeLessThan(1_000);
});
