import { describe, expect, it, vi } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { isBusy, newProberDelay, observeOwnDelay } from '#analysis/detection/monitor/own-delay.ts';
import { chance, detect, HOUR, MONDAY, play, seriesIn } from './scene.ts';

vi.setConfig({ testTimeout: 60_000 });

const BUSY = MONDAY + 30 * HOUR;
const isBusyTime = (at: number) => at >= BUSY && at < BUSY + 300;

describe("a prober's own delay", () => {
  const random = chance(5);
  const idle = (prober: ReturnType<typeof newProberDelay>, from: number, seconds: number, ms: number) => {
    for (let at = from; at < from + seconds; at += 10) observeOwnDelay(prober, at, [ms * random() * 2]);
  };

  it('is busy from three times the usual one on, and no longer than that lasts', () => {
    const prober = newProberDelay();
    idle(prober, 0, 1_000, 2);
    expect(prober.busy).toBeNull();
    for (let at = 1_000; at < 1_300; at += 10) observeOwnDelay(prober, at, [15]);
    expect(isBusy(prober)).toBe(true);
    idle(prober, 1_300, 200, 2);
    expect(isBusy(prober)).toBe(false);
    expect(prober.busy?.since).toBeLessThan(1_060);
    expect(prober.busy?.until).toBeGreaterThanOrEqual(1_300);
    expect(prober.busy?.until).toBeLessThan(1_360);
    expect(prober.usual).toBeLessThan(3);
  });

  it('below 3 ms is no matter, and one long delay of many is not either', () => {
    const prober = newProberDelay();
    idle(prober, 0, 1_000, 0.1);
    for (let at = 1_000; at < 1_300; at += 10) observeOwnDelay(prober, at, [2.9]);
    observeOwnDelay(prober, 1_300, [500, 0, 0]);
    expect(prober.busy).toBeNull();
  });

  it('is judged by the middle one of a minute, of two the upper', () => {
    const prober = newProberDelay();
    idle(prober, 0, 1_000, 0.1);
    observeOwnDelay(prober, 2_000, [4, 0, 0]);
    expect(isBusy(prober)).toBe(false);
    observeOwnDelay(prober, 2_030, [3]);
    expect(isBusy(prober)).toBe(true);
    observeOwnDelay(prober, 2_090, [0]);
    expect(isBusy(prober)).toBe(false);
    observeOwnDelay(prober, 3_000, []);
    expect(prober.recent).toEqual([]);
    expect(isBusy(prober)).toBe(false);
  });

  it('that stays for an hour is usual then', () => {
    const prober = newProberDelay();
    idle(prober, 0, 1_000, 1);
    idle(prober, 1_000, 6 * HOUR, 12);
    expect(prober.busy?.since).toBeLessThan(1_060);
    expect(prober.busy?.until).toBeLessThan(1_000 + 2 * HOUR);
    expect(prober.usual).toBeGreaterThan(5);
  });
});

describe('five minutes of a busy prober', () => {
  const [own, ...others] = ['Beijing', 'Hubei', 'Gansu', 'Hainan'].map((region) => seriesIn(region));
  const targets = ['shop', 'pay', 'mail'];
  const all = targets.flatMap((target) =>
    [own, ...others].flatMap((series) => (series ? [{ ...series, target }] : [])),
  );
  const scene = {
    days: 1.5,
    series: all,
    period: 30,
    conditions: (at: number, { region, target }: { region: string; target: string }, random: () => number) => {
      const delay = isBusyTime(at) && region === own?.region ? 20 + 60 * random() : 2 * random();
      // A true change, of one target, that begins in these minutes.
      const slower = target === 'pay' && at >= BUSY + 60 && at < BUSY + HOUR ? 17 : 0;
      return { tlsMs: delay + slower, tcpMs: delay / 2, ownDelay: delay };
    },
  };

  it('raise nothing at its vantage, and a rise of 30% that began in them is found by the others', () => {
    const found = detect(scene);
    expect(new Set(found.map(({ target }) => target))).toEqual(new Set(['pay']));
    const first = found.filter(({ at }) => at < BUSY + 300);
    expect(first.map(({ region }) => region).sort()).toEqual(others.map(({ region }) => region).sort());
  });

  it('are told of, and would have raised spikes if nobody knew of the delay', () => {
    const detector = createDetector();
    for (const { timestamp, samples } of play(scene, detector)) detector.advance(timestamp, samples);
    const [busy, ...more] = detector.busy().filter(({ since }) => since >= BUSY);
    expect(more).toEqual([]);
    expect(busy?.vantage).toBe(own?.vantage);
    expect(busy?.since).toBeLessThan(BUSY + 60);
    expect(busy?.until).toBeGreaterThan(BUSY + 240);
    expect(busy?.until).toBeLessThan(BUSY + 400);
    const blind = detect({
      ...scene,
      conditions: (at, series, random) => ({ ...scene.conditions(at, series, random), ownDelay: 0 }),
    });
    expect(blind.some(({ target }) => target !== 'pay')).toBe(true);
  });

  it('a sample counts by no more than exceeds its own delay', () => {
    const delayed = (told: boolean) =>
      detect({
        days: 1.5,
        series: [seriesIn('Beijing')],
        conditions: (at, _series, random) => {
          // One in three, so that the prober is not busy: the samples speak for themselves.
          const delay = at >= BUSY && at < BUSY + HOUR && random() < 0.45 ? 80 : 0;
          return { tlsMs: delay, ownDelay: told ? delay : 0 };
        },
      });
    expect(delayed(false).length).toBeGreaterThan(0);
    expect(delayed(true)).toEqual([]);
  });

  it.each([{ ownDelay: 300 }, {}])('leave samples that are not clean out of everything but this: %j', (own) => {
    const detector = createDetector();
    const index = detector.indexOf(seriesIn('Beijing'));
    for (let at = MONDAY; at < MONDAY + 1_750; at += 30)
      detector.advance(at, [
        { index, sample: { timestamp: at, tcp: 50, tls: 60, firstByte: 60, ok: true, ...own, clean: false } },
      ]);
    const blank = createDetector();
    blank.indexOf(seriesIn('Beijing'));
    const seriesOf = (each: typeof detector) => Buffer.from([...each.state()][1] ?? []);
    expect(seriesOf(detector).equals(seriesOf(blank))).toBe(true);
  });
});
