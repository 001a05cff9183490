import { CHINA_REGIONS } from '#contract/location.ts';
import type { Measurement, MeasurementCounts, MeasurementVantage } from '#contract/measurement.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';

// Texts about one vantage of a measurement, by its row and its cell alike.

/** Time of the TLS handshake, ms; null where the probe did not succeed. */
export const timeOf = ({ state, result }: MeasurementVantage): number | null =>
  state === 'done' ? (result?.phases.tls ?? null) : null;

export const isOpen = ({ state }: MeasurementVantage): boolean => state === 'pending' || state === 'taken';

/** How many failed; a cancelled probe did not. */
export const failuresOf = ({ failed, cancelled }: MeasurementCounts): number => failed - cancelled;

/** Whether it failed, as `failuresOf` counts. */
export const hasFailed = ({ state, reason }: MeasurementVantage): boolean =>
  state === 'failed' && reason !== 'cancelled';

/** The failure, or the state. */
export const stateText = (ui: Ui, each: MeasurementVantage): string =>
  failureText(ui, each) ?? ui.t(`measurement.state.${each.state}`);

/** Why there is no time; null while it may still come. */
export function failureText(ui: Ui, { reason, result }: MeasurementVantage): string | null {
  if (result?.failure) return ui.t(`failure.${result.failure.reason}`);
  return reason === null ? null : ui.t(`measurement.reason.${reason}`);
}

/** Reasons of failures that are named. */
const MOST_REASONS = 3;

/** How many failed, and the first reasons; null where none did. */
export function failuresText(ui: Ui, vantages: readonly MeasurementVantage[]): string | null {
  const failed = vantages.filter(hasFailed);
  if (failed.length === 0) return null;
  const reasons = [...new Set(failed.map((each) => stateText(ui, each)))].slice(0, MOST_REASONS);
  return [ui.t('measurement.failed', { n: failed.length }), reasons.join(ui.t('punctuation.list'))].join(
    ui.t('punctuation.colon'),
  );
}

export const answeredOf = (vantages: readonly MeasurementVantage[]): number =>
  vantages.filter(({ result }) => result !== null).length;

/** A measurement in a line: how many answered, from when to when, and what failed. */
export function summaryText(ui: Ui, { vantages, counts }: Measurement): string {
  const times = vantages.flatMap((each) => timeOf(each) ?? []);
  const [from, to] = [Math.min(...times), Math.max(...times)].map((time) => formatQuantity(ui, time, 'ms'));
  const range =
    times.length > 0 ? ui.t('measurement.times', { n: times.length, from: from ?? '', to: to ?? '' }) : null;
  const answered = ui.t('measurement.progress', { answered: answeredOf(vantages), total: counts.total });
  const parts = [answered, range, failuresText(ui, vantages)];
  return parts.filter((part) => part !== null).join(ui.t('punctuation.semicolon'));
}

const REGIONS: readonly string[] = CHINA_REGIONS;
const CARRIERS: readonly string[] = KNOWN_CARRIERS;
const rankIn = (order: readonly string[], value: string) =>
  order.includes(value) ? order.indexOf(value) : order.length;

export const byCarrier = (a: string, b: string): number => rankIn(CARRIERS, a) - rankIn(CARRIERS, b);

/** Regions and carriers in the order of the other matrices; unknown ones after them, as the server lists them. */
export function byKnownOrder({ vantage: a }: MeasurementVantage, { vantage: b }: MeasurementVantage): number {
  return (
    rankIn(REGIONS, a.region) - rankIn(REGIONS, b.region) ||
    a.region.localeCompare(b.region) ||
    byCarrier(a.carrier, b.carrier)
  );
}
