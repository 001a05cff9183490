import type { Advice, AdviceFacts, DeadAddress, Waste } from '#contract/advice.ts';
import { regionName } from './names.ts';
import { formatNumber } from './numbers.ts';
import { formatTime } from './time.ts';
import type { Voice } from './ui.ts';

/** What advice says: what is found, by which evidence, what to change, and why that might not help. */
export type AdviceTexts = Pick<Advice, 'title' | 'evidence' | 'fix' | 'caveat'>;

/** Counts that messages put into the plural themselves. */
const COUNTS = new Set(['days', 'lifetimeDays', 'certificates', 'waits', 'status']);

/** The sentences of advice in the reader's language. */
export function adviceTexts(voice: Voice, { code, values: given }: Pick<AdviceFacts, 'code' | 'values'>): AdviceTexts {
  const { t } = voice;
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(voice, name, value)]));
  return {
    title: t(`advice.title.${code}`, values),
    evidence: t(`advice.evidence.${code}`, values),
    fix: t(`advice.fix.${code}`, values),
    caveat: t(`advice.caveat.${code}`, values),
  };
}

function textOf({ locale, timeZone }: Voice, name: string, value: string | number): string | number {
  if (name === 'notAfter') return formatTime(String(value), timeZone, 'minute');
  if (typeof value === 'string' || COUNTS.has(name)) return value;
  return formatNumber(locale, value, 1);
}

/** `2 of 5 round trips of a visit are waste: 112 ms at the median, 380 ms in Xinjiang`. */
export function wasteText(voice: Voice, { wasted, roundTrips, medianMs, worst }: Waste): string {
  return voice.t('advice.waste', {
    wasted,
    roundTrips,
    median: wholeMs(voice, medianMs),
    worst: worst ? regionName(voice, worst.region) : 'none',
    worstMs: worst ? wholeMs(voice, worst.ms) : '',
  });
}

/** `No connection to 192.0.2.1: 1,671 of 1,678 ms lost, in 2 of 5 results.` */
export function deadAddressText(voice: Voice, { addresses, results, ofResults, ms, ofMs }: DeadAddress): string {
  const { locale, t } = voice;
  return t('advice.deadAddress', {
    addresses: addresses.join(', '),
    lost: formatNumber(locale, ms),
    of: wholeMs(voice, ofMs),
    results: formatNumber(locale, results),
    ofResults: formatNumber(locale, ofResults),
  });
}

/** `112 ms`: a sentence has no room for decimals. */
export const wholeMs = ({ locale, t }: Voice, ms: number): string => `${formatNumber(locale, ms)} ${t('unit.ms')}`;
