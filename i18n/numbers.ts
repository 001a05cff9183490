import type { Unit } from '#contract/vocabulary.ts';
import type { Locale } from './locale.ts';
import type { Voice } from './ui.ts';

/** Below this relative change two values count as equal: a percentile is known to one bin of its histogram, about 2%. */
export const NEUTRAL_CHANGE = 0.025;

const formats = new Map<string, Intl.NumberFormat>();
function numberFormat(locale: Locale, least: number, most: number): Intl.NumberFormat {
  const key = `${locale} ${least} ${most}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(key, made);
  return made;
}

/** A number with its sign and as many digits after the point: `−0.4`, `+3.0`; `0` where nothing is left of it. */
export function formatSigned(locale: Locale, value: number, digits: number): string {
  const text = numberFormat(locale, digits, digits).format(Math.abs(value));
  if (Number(text.replace(/\D/g, '')) === 0) return '0';
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** The same for availability, where half a per cent of all probes is much. */
const NEUTRAL_AVAILABILITY = 0.005;

/** A number with at most `most` digits after the point. */
export const formatNumber = (locale: Locale, value: number, most = 0) => numberFormat(locale, 0, most).format(value);

/** A value and its unit apart, for figures that set the unit smaller. Milliseconds from ten thousand on become seconds. */
export type Quantity = { text: string; unit: string };

function milliseconds(ui: Voice, value: number): Quantity {
  if (value >= 10_000) return { text: formatNumber(ui.locale, value / 1_000, 1), unit: ui.t('unit.s') };
  if (value > 0 && value < 0.005) return { text: `<${formatNumber(ui.locale, 0.01, 2)}`, unit: ui.t('unit.ms') };
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return { text: numberFormat(ui.locale, digits, digits).format(value), unit: ui.t('unit.ms') };
}

/** Ratios are shown in per cent; 100% stands only where nothing failed (99.996% is not rounded up to it). */
function percent(ui: Voice, ratio: number): Quantity {
  const shown = ratio < 1 ? Math.min(Math.round(ratio * 10_000), 9_999) / 100 : 100;
  return { text: formatNumber(ui.locale, shown, 2), unit: ui.t('unit.ratio') };
}

/** `value` in the words of its unit; null is a dash without a unit. */
export function quantity(ui: Voice, value: number | null, unit: Unit): Quantity {
  if (value === null) return { text: ui.t('common.noValue'), unit: '' };
  if (unit === 'ms') return milliseconds(ui, value);
  if (unit === 'ratio' || unit === 'share') return percent(ui, value);
  if (unit === 'roundTrips')
    return { text: numberFormat(ui.locale, 0, 1).format(value), unit: ui.t('unit.roundTrips') };
  return { text: formatNumber(ui.locale, value), unit: ui.t('unit.count') };
}

/** Value and unit in one text, such as `31.2 ms`. */
export function formatQuantity(ui: Voice, value: number | null, unit: Unit): string {
  const { text, unit: name } = quantity(ui, value, unit);
  if (!name) return text;
  return name === '%' ? `${text}%` : `${text} ${name}`;
}

/** A relative change with its sign: 0.047 is `+4.7%`. */
export function formatChange(locale: Locale, change: number): string {
  const percentage = Math.abs(change * 100);
  const digits = percentage < 10 ? 1 : 0;
  const text = formatNumber(locale, percentage, digits);
  if (text === '0') return '0%';
  return `${change < 0 ? '−' : '+'}${text}%`;
}

export type Verdict = 'worse' | 'better' | 'same' | 'none';

/** Whether a change is for the worse: more milliseconds are, more availability is not, more probes are neither. */
export function verdict(change: number | null | undefined, unit: Unit): Verdict {
  if (change === null || change === undefined) return 'none';
  const limit = unit === 'ratio' ? NEUTRAL_AVAILABILITY : NEUTRAL_CHANGE;
  if (Math.abs(change) < limit || unit === 'count') return 'same';
  return change > 0 === (unit === 'ratio') ? 'better' : 'worse';
}
