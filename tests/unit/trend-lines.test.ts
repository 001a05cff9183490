import { expect, it } from 'vitest';
import type { Series } from '#contract/query.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { carrierLines, MAX_LINES } from '../../app/targets/[id]/trend/lines.ts';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'light' };
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20, 12);

/** Minutes of these carriers, from `from` (ms) on. */
function seriesOf(from: number, carriers: string[], values: number[]): Series {
  const instant = (minute: number) => new Date(from + minute * 60_000).toISOString();
  return {
    ...{ metric: 'tls', stat: 'p50', unit: 'ms', stepSeconds: 60, demo: false, generatedUntil: null },
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
