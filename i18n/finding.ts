import type { Finding } from '#contract/result.ts';
import { HTTP_ODDITIES, type HttpOddity, STAPLE_STATUSES } from '#contract/vocabulary.ts';
import { formatQuantity } from './numbers.ts';
import type { Voice } from './ui.ts';

/** What a sentence asks for and a finding leaves out. */
const LEFT_OUT = {
  syn: 'none',
  segment: 'none',
  elsewhere: 'no',
  intermediate: 'none',
  falseStart: 'no',
  segments: 0,
  chainBytes: 0,
  waits: 0,
  windowSegments: 0,
};

/**
 * The evidence of a finding in the reader's language, made of its values: names that end in `Ms` are durations, in `At`
 * instants, which `time` writes. Null where the finding has none (results before engine 3), or others than the sentence takes
 * (a newer prober): then there is its English evidence.
 */
export function findingEvidence(ui: Voice, { code, values }: Finding, time: (at: string) => string): string | null {
  if (!values) return null;
  const shown = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'number') return [name, name.endsWith('Ms') ? formatQuantity(ui, value, 'ms') : value];
    if (name === 'status') return [name, stapleStatus(ui, value)];
    if (name === 'oddities') return [name, httpOddities(ui, value)];
    return [name, name.endsWith('At') && value !== '' ? time(value) : value];
  });
  try {
    // Which values a sentence takes is known of its code alone.
    const t = ui.t as (key: string, given: Record<string, string | number>) => string;
    return t(`findingEvidence.${code}`, { ...LEFT_OUT, ...Object.fromEntries(shown) });
  } catch {
    return null;
  }
}

/** The state of a staple as a word within a sentence; one that a newer prober says stays as it is. */
function stapleStatus({ t, locale }: Voice, value: string): string {
  const status = STAPLE_STATUSES.find((each) => each === value);
  return status ? t(`staple.${status}`).toLocaleLowerCase(locale) : value;
}

/** What is odd about an answer, one after the other; what a newer prober says stays as it is. */
function httpOddities({ t }: Voice, value: string): string {
  const known = (word: string) => HTTP_ODDITIES.find((each) => each === word);
  const words = value.split(' ').map((word) => (known(word) ? t(`httpOddity.${known(word) as HttpOddity}`) : word));
  return words.join(t('punctuation.list'));
}
