import { describe, expect, it } from 'vitest';
import { summaryText } from '#components/measurement/answer.ts';
import type { Measurement, MeasurementVantage } from '#contract/measurement.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'system' };
const vantage = makeVantage('CN-GD', 'telecom');
const took = (tls: number): MeasurementVantage => ({
  vantage,
  state: 'done',
  reason: null,
  result: makeResult({ targetId: '', vantage, startedAt: 0, tls }),
});
const without = (reason: MeasurementVantage['reason']): MeasurementVantage => ({
  vantage,
  state: reason === null ? 'pending' : 'failed',
  reason,
  result: null,
});
const said = (...vantages: MeasurementVantage[]) =>
  summaryText(ui, { vantages, counts: { total: vantages.length } } as Measurement);

describe('a measurement in a line', () => {
  it('says how many answered, within which times, and why others did not', () => {
    expect(said(took(40), took(23.4), took(31))).toBe('3 of 3 answered; TLS 23.4 ms to 40.0 ms');
    expect(said(took(23.4), without(null))).toBe('1 of 2 answered; TLS 23.4 ms');
    expect(said(without('no_answer'), without('no_answer'), without('prober_away'))).toBe(
      '0 of 3 answered; 3 failed: No answer in time, Prober is away',
    );
  });
});
