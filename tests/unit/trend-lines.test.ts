import { expect, it } from 'vitest';
import type { Series } from '#contract/query.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { carrierLines, MAX_LINES, percentileLines } from '../../app/targets/[id]/trend/lines.ts';
import { makeupLines, makeupNote } from '../../app/targets/[id]/trend/makeup.tsx';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'light' };
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20, 12);

/** Minutes of these carriers, from `from` (ms) on. */
function seriesOf(from: number, carriers: string[], values: number[]): Series {
  const instant = (minute: number) => new Date(from + minute * 60_000).toISOString();
  return {
    ...{
      metric: 'tls',
      stat: 'p50',
      unit: 'ms',
      stepSeconds: 60,
      demo: false,
      generatedUntil: null,
      importedUntil: null,
    },
    ...{ from: instant(0), to: instant(values.length) },
    series: carriers.map((carrier) => ({
      labels: { carrier },
      points: values.map((value, minute) => [instant(minute), value, 3]),
    })),
  };
}

it('draws the day before at the times of the range, in the colours of its carriers', () => {
  const now = seriesOf(START, ['telecom', 'unicom'], [40, 41]);
  const earlier = seriesOf(START - DAY, ['telecom', 'unicom'], [30, 31]);
  const { lines, hidden } = carrierLines(ui, now, { regions: [], overlay: 'day', earlier });
  expect(lines.map(({ name }) => name)).toEqual(['Telecom', 'Unicom', 'Telecom, day before', 'Unicom, day before']);
  expect(lines[2]?.points).toEqual([
    [START, 30],
    [START + 60_000, 31],
  ]);
  expect(lines[2]).toMatchObject({ token: lines[0]?.token, dash: [2, 4] });
  expect(hidden).toBeLessThanOrEqual(0);
});

it('draws what has a longer step at each time that it covers', () => {
  const now = seriesOf(START, ['telecom'], [40, 41, 42, 43]);
  const earlier = { ...seriesOf(START - DAY, ['telecom'], [30]), stepSeconds: 180 };
  const { lines } = carrierLines(ui, now, { regions: [], overlay: 'day', earlier });
  expect(lines.at(-1)?.points).toEqual([30, 30, 30, null].map((value, n) => [START + n * 60_000, value]));
});

it('leaves out what of the day before there is no room for', () => {
  const carriers = Array.from({ length: MAX_LINES - 1 }, (_, n) => `carrier ${n}`);
  const earlier = seriesOf(START - DAY, carriers, [30]);
  const { lines } = carrierLines(ui, seriesOf(START, carriers, [40]), { regions: [], overlay: 'day', earlier });
  expect(lines).toHaveLength(MAX_LINES);
  expect(lines.at(-1)?.name).toBe('carrier 0, day before');
});

/** Percentiles and extremes of ten minutes each, one value after the other. */
const percentilesOf = (values: Record<'min' | 'p50' | 'p95' | 'p99' | 'max', number[]>, stepSeconds = 600) =>
  (['p50', 'p95', 'p99', 'min', 'max'] as const).map((stat) => ({
    ...seriesOf(START, ['telecom'], values[stat]),
    stat,
    stepSeconds,
  }));
const USUAL = { min: [10, 10], p50: [20, 20], p95: [40, 40], p99: [50, 50] };

it('draws the least and the greatest values below the percentiles where points are long and these stay readable', () => {
  const drawn = (max: number, stepSeconds: number, chosen = {}) =>
    percentileLines(ui, percentilesOf({ ...USUAL, max: [60, max] }, stepSeconds), {
      axis: 'linear',
      extremes: 'auto',
      ...chosen,
    });
  const names = (data: ReturnType<typeof drawn>) => data.lines.map(({ name }) => name);
  expect(names(drawn(150, 600))).toEqual(['P50', 'P95', 'P99', 'min', 'max']);
  expect(drawn(150, 600).lines.at(-1)).toMatchObject({ band: true });
  // Five minutes are short enough; a value that leaves the others no room is shown when it is asked for, or by its logarithm.
  for (const data of [drawn(150, 300), drawn(170, 600), drawn(150, 600, { extremes: 'hidden' })]) {
    expect(names(data)).toEqual(['P50', 'P95', 'P99']);
    expect(data.extremes).toBe(false);
  }
  for (const chosen of [{ extremes: 'shown' }, { axis: 'log' }])
    expect(names(drawn(170, 600, chosen))).toEqual(['P50', 'P95', 'P99', 'min', 'max']);
});

it('names the values of connections, and sums up those that there is no room for', () => {
  const line = (value: string, share: number) => ({
    value,
    points: [[new Date(START).toISOString(), share]] as [string, number][],
  });
  const shares = { X25519: 0.5, secp256r1: 0.2, secp384r1: 0.1, X448: 0.1, none: 0.06, ffdhe2048: 0.04 };
  const lines = Object.entries(shares).map(([value, share]) => line(value, share));
  const drawn = makeupLines(ui, 'group', { lines });
  expect(drawn.map(({ name }) => name)).toEqual(['X25519', 'secp256r1', 'secp384r1', 'X448', 'Other']);
  expect(drawn.at(-1)?.points[0]?.[1]).toBeCloseTo(0.1);
  expect(makeupLines(ui, 'group', { lines: lines.slice(1) })).toHaveLength(5);
  expect(makeupLines(ui, 'http', { lines: [line('2', 1)] })[0]?.name).toBe('HTTP/2');
  expect(makeupLines(ui, 'staple', { lines: [line('missing', 1)] })[0]?.name).toBe('Missing');
});

it('says of connections what was looked at, since when results are kept, and of generated values where there are any', () => {
  const whole = { stepSeconds: 300, sampleSeconds: 300, since: null, generatedUntil: null };
  expect(makeupNote(ui, whole)).toBe('');
  const start = new Date(START).toISOString();
  expect(makeupNote(ui, { ...whole, sampleSeconds: 60, since: start })).toBe(
    'Each point counts the probes of the last 1 minute of its step. Results are kept since 2026-11-20 12:00 UTC.',
  );
  expect(makeupNote(ui, { ...whole, generatedUntil: start })).toBe('Generated data does not have this.');
});
