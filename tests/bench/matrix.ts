import { targetFigures } from '#app/targets/[id]/figures.ts';
import { readFilter } from '#components/filters/filter.ts';
import { MatrixQuery, SeriesQuery } from '#contract/query.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

const MINUTES = 24 * 60;
const RUNS = 50;
const UI: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'light' };

/** Milliseconds of one call: the median and the 95th percentile over RUNS calls. */
export type Latency = { p50: number; p95: number };

/** Fills the 24 hours before now: 93 vantages, one result a minute each, 133,920 in all. Returns the target. */
export async function fillDay(): Promise<string> {
  const vantages = mainlandVantages();
  await insertProber(vantages);
  const targetId = await insertTarget();
  const begin = Date.now() - MINUTES * 60_000;
  for (let minute = 0; minute < MINUTES; minute += 30) {
    const results = Array.from({ length: 30 * vantages.length }, (_, n) => {
      const vantage = vantages[n % vantages.length];
      if (!vantage) throw new Error('no vantage to measure from');
      const startedAt = begin + (minute + Math.floor(n / vantages.length)) * 60_000 + (n % vantages.length) * 300;
      // Places differ, and every result a little.
      return makeResult({ targetId, vantage, startedAt, tls: 15 + (n % 93) + ((n * 7919) % 1_000) / 100 });
    });
    await insertResults(results);
  }
  return targetId;
}

export async function latencyOf(call: () => Promise<unknown>): Promise<Latency> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const begin = performance.now();
    await call();
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return { p50: times[Math.ceil(RUNS * 0.5) - 1] ?? 0, p95: times[Math.ceil(RUNS * 0.95) - 1] ?? 0 };
}

/** A figure's name, and its value with the unit. */
export type Figure = [what: string, figure: string];

/** How long charts of one target over 24 hours take, with rollups as they are in the middle of an hour. */
export async function benchMatrix(show: (figure: Figure) => void = print): Promise<void> {
  await onFreshDatabase(async () => {
    const target = await fillDay();
    const begin = performance.now();
    await drainRollups();
    show(timed('minute rollups of 133,920 results', performance.now() - begin));
    const unsettled = await latencyOf(() => queryMatrix(MatrixQuery.parse({ target })));
    show(timed('matrix while tens and hours wait', unsettled.p50, unsettled.p95));
    const settling = performance.now();
    await drainRollups({ settled: true });
    show(timed('tens and hours', performance.now() - settling));
    await report(target, show);
  });
}

async function report(target: string, show: (figure: Figure) => void): Promise<void> {
  const calls: [string, () => Promise<unknown>][] = [
    ['matrix p50, 24 h', () => queryMatrix(MatrixQuery.parse({ target }))],
    [
      'overview of a target, 24 h against the day before',
      () => targetFigures(UI, { id: target, demo: false }, readFilter({}, Date.now())),
    ],
    ['series by carrier, 24 h by 600 s', () => querySeries(SeriesQuery.parse({ target, groupBy: 'carrier' }))],
    [
      'series by carrier, 24 h by 60 s',
      () => querySeries(SeriesQuery.parse({ target, groupBy: 'carrier', step: '60' })),
    ],
  ];
  for (const [name, call] of calls) {
    const { p50, p95 } = await latencyOf(call);
    show(timed(name, p50, p95));
  }
}

function timed(name: string, ms: number, p95?: number): Figure {
  return [name, `${ms.toFixed(1)} ms${p95 === undefined ? '' : ` (p95 ${p95.toFixed(1)} ms)`}`];
}

function print([name, figure]: Figure): void {
  console.log(`${name}: ${figure}`);
}

if (import.meta.main) await benchMatrix();
