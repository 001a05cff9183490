import { CHINA_REGIONS } from '#contract/location.ts';
import type { MeasurementVantage } from '#contract/measurement.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';

// Texts about one vantage of a measurement, by its row and its cell alike.

/** Time of the TLS handshake, ms; null where the probe did not succeed. */
export const timeOf = ({ state, result }: MeasurementVantage): number | null =>
  state === 'done' ? (result?.phases.tls ?? null) : null;

export const isOpen = ({ state }: MeasurementVantage): boolean => state === 'pending' || state === 'taken';

/** Whether it failed; a cancelled probe did not. */
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
