import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { longestOf, PhaseBars } from '#components/target/phase-bars.tsx';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'system' };
const near = [0.1, 10, 26, null, 2.5];
const far = [0.2, 52, 104, 60, 2.5];
const phases = {
  all: near,
  regions: new Map([
    ['CN-BJ', near],
    ['CN-XZ', far],
  ]),
};
const bars = (medians: (number | null)[] | undefined) =>
  renderToStaticMarkup(<PhaseBars ui={ui} medians={medians} longest={longestOf(phases)} />);
const widths = (svg: string) =>
  [...svg.matchAll(/<rect y="(\d+)" width="(\d+)"/g)].map(([, y, width]) => [Number(y), Number(width)]);

it('bars of all places have one scale, in which a short phase is still seen and one that did not happen is not', () => {
  expect(widths(bars(far))).toEqual([
    [0, 1],
    [5, 52],
    [10, 104],
    [15, 60],
    [20, 3],
  ]);
  expect(widths(bars(near))).toEqual([
    [0, 1],
    [5, 10],
    [10, 26],
    [20, 3],
  ]);
});

it('bars say what they show', () => {
  expect(bars(near)).toContain('<title>DNS 0.10 ms, Connect 10.0 ms, TLS 26.0 ms, Download 2.50 ms</title>');
});

it('a place without times has no bars, and places without any have no scale', () => {
  expect(bars(undefined)).toBe('');
  expect(longestOf({ all: [null, null, null, null, null], regions: new Map() })).toBe(0);
});
