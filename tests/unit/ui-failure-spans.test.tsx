import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { FailureSpans } from '#components/target/failure-spans.tsx';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'Asia/Shanghai', theme: 'system' };
const span = { lasting: false, share: 0.25, failure: null, places: [] };

it('a stretch of failures ends at a clock time, and with its date where that is another day of the reader', () => {
  const html = renderToStaticMarkup(
    <FailureSpans
      ui={ui}
      total={2}
      places={[]}
      spans={[
        { ...span, from: '2026-11-28T01:00:00.000Z', to: '2026-11-28T01:10:00.000Z' },
        { ...span, from: '2026-11-28T15:50:00.000Z', to: '2026-11-28T16:10:00.000Z' },
      ]}
    />,
  );
  const ends = [...html.matchAll(/<td[^>]*>([^<]*\d\d:\d\d)<\/td>/g)].map(([, text]) => text);
  expect(ends).toEqual(['09:10', '2026-11-29 00:10']);
});
