import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { PastMeasurements } from '#components/measurement/past-measurements.tsx';
import type { ListedMeasurement } from '#contract/measurement.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'system' };
const at = new Date(0).toISOString();

/** The cell of the failures in the list of a measurement that failed and was cancelled at so many vantages. */
function failureCell(failed: number, cancelled: number): string | undefined {
  const past: ListedMeasurement = {
    id: '01900000-0000-7000-8000-000000000000',
    url: 'https://shop.example.org/',
    demo: false,
    createdBy: 'dashboard',
    createdAt: at,
    endsAt: at,
    expiresAt: at,
    cancelledAt: cancelled > 0 ? at : null,
    shared: false,
    finished: true,
    counts: { total: 5, pending: 0, done: 5 - failed, failed, cancelled },
  };
  const html = renderToStaticMarkup(<PastMeasurements ui={ui} past={[past]} />);
  return /<td[^>]*><span class="([^"]*)">(\d)<\/span>/.exec(html)?.slice(1).join(': ');
}

it('what was cancelled is no failure in the list of measurements', () => {
  expect(failureCell(2, 2)).toBe(': 0');
  expect(failureCell(3, 2)).toBe('text-bad: 1');
  expect(failureCell(2, 0)).toBe('text-bad: 2');
});
