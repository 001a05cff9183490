import { NO_PART } from '#contract/location.ts';
import en from './en.json' with { type: 'json' };
import type { Voice } from './ui.ts';

/** The location of the prober beside the server until somebody names it. */
const UNNAMED = 'ZZ-LOC';

const has = <T extends object>(table: T, key: PropertyKey): key is keyof T => Object.hasOwn(table, key);

/** `北京` or `Beijing`; a region outside China is its country's name and its code. */
export function regionName(ui: Voice, region: string): string {
  if (has(en.region, region)) return ui.t(`region.${region}`);
  const [country = region, part] = region.split('-');
  const name = new Intl.DisplayNames([ui.locale], { type: 'region', fallback: 'code' });
  const label = /^[A-Z]{2}$/.test(country) ? (name.of(country) ?? country) : country;
  return part && part !== NO_PART ? `${label} ${part}` : label;
}

/** `电信` or `Telecom`; a carrier abroad is shown by the name that its label has. */
export function carrierName(ui: Voice, carrier: string): string {
  return has(en.carrier, carrier) ? ui.t(`carrier.${carrier}`) : carrier;
}

/** The carrier's full name where it has one, for hovering. */
export function carrierFull(ui: Voice, carrier: string): string {
  return has(en.carrierFull, carrier) ? ui.t(`carrierFull.${carrier}`) : carrier;
}

/** The name of a region on a carrier: `北京移动`, `Beijing Mobile`. */
export function locationName(ui: Voice, region: string, carrier: string): string {
  if (region === UNNAMED && carrier === 'local') return regionName(ui, region);
  return ui.t('location', { region: regionName(ui, region), carrier: carrierName(ui, carrier) });
}

/** The markers of the demo, by their titles as they are stored. */
const DEMO_MARKERS: Readonly<Record<string, keyof (typeof en)['demo']['marker']>> = Object.fromEntries(
  Object.entries(en.demo.marker).map(([key, title]) => [title, key as keyof (typeof en)['demo']['marker']]),
);

/** The title and the text of a marker, or of what is named after it: the demo's in the reader's language. */
export function markerWords(ui: Voice, { demo, title, text = '' }: { demo: boolean; title: string; text?: string }) {
  const key = demo && has(DEMO_MARKERS, title) ? DEMO_MARKERS[title] : undefined;
  if (key === undefined) return { title, text };
  return {
    title: ui.t(`demo.marker.${key}`),
    text: has(en.demo.markerText, key) ? ui.t(`demo.markerText.${key}`) : text,
  };
}

/** A text with what stands beside it in brackets, where there is something. */
export const withAside = ({ t }: Pick<Voice, 't'>, text: string, aside: string | null | undefined): string =>
  aside ? t('punctuation.aside', { text, aside }) : text;

/** Sentences one after the other, those that are there. */
export const inSentences = ({ locale }: Pick<Voice, 'locale'>, sentences: readonly (string | null)[]): string =>
  sentences.filter((each) => each !== null).join(locale === 'en' ? ' ' : '');
