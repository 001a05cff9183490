import type { ComparisonHeadline, ComparisonInterval, ComparisonRefusal, Setting } from '#contract/comparison.ts';
import { formatNumber, formatSigned } from './numbers.ts';
import type { Voice } from './ui.ts';

// What a comparison comes to, in the reader's language: pages, messages and `summary` all say it with `verdictText`.

/** Round trips that are this near to a whole number are said as that. */
const NEARLY = 0.15;

/** The verdict as one sentence, or why there is none. `named`: whether the reader may know other markers by their titles. */
export function verdictText(voice: Voice, headline: ComparisonHeadline, named = true): string {
  const { t } = voice;
  const { refusal, milestone, shift, network } = headline;
  if (refusal) return refusalText(voice, refusal, named);
  if (!shift) return '';
  const parts = [
    t('comparison.said', { milestone: t(`comparison.milestone.${milestone}`), verdict: shiftText(voice, headline) }),
    causeText(voice, headline),
    network && t('comparison.network', { ms: signed(voice, network.value) }),
  ];
  return `${parts.filter(Boolean).join(t('punctuation.semicolon'))}${t('punctuation.stop')}`;
}

/** Why nothing was compared. */
function refusalText({ t }: Voice, { reason, values }: ComparisonRefusal, named: boolean): string {
  const number = (name: string) => Number(values[name] ?? 0);
  const window = String(values.window ?? values.between ?? 'before');
  if (reason === 'too_few') {
    const [pairs, vantages] = [number('pairs'), number('vantages')];
    return t('comparison.refused.too_few', {
      pairs,
      vantages,
      leastPairs: number('leastPairs'),
      leastVantages: number('leastVantages'),
    });
  }
  if (reason === 'overlap') return t('comparison.refused.overlap');
  if (reason === 'gap') {
    return window === 'windows'
      ? t('comparison.refused.windows', { hours: Math.round(number('ms') / 3_600_000) })
      : t('comparison.refused.hole', { minutes: Math.round(number('ms') / 60_000), window });
  }
  if (values.marker !== undefined)
    return t('comparison.refused.two_changes', {
      what: named ? String(values.marker) : t('comparison.otherMarker'),
      window,
    });
  const what = t(`comparison.setting.${String(values.setting) as Setting}`);
  return t('comparison.refused.two_flips', { what, window });
}

/** `faster by 31 ± 2 ms in 28 of 31 provinces, unclear in 3`. */
function shiftText(voice: Voice, { direction, shift, regions }: ComparisonHeadline): string {
  const { t } = voice;
  if (!shift || !direction) return '';
  const places = regions && regions.faster + regions.slower + regions.unclear > 1 ? regions : null;
  const total = places ? places.faster + places.slower + places.unclear : 0;
  const others = (['faster', 'slower', 'unclear'] as const).flatMap((each) =>
    places && each !== direction && places[each] > 0 ? t(`comparison.${each}In`, { n: places[each] }) : [],
  );
  if (direction === 'unclear') {
    const said = t('comparison.unclear', { low: signed(voice, shift.low), high: signed(voice, shift.high) });
    return [said, ...others].join(t('punctuation.comma'));
  }
  const { value, half } = spread(voice, shift);
  const by = t(`comparison.${direction}`, { ms: value, half });
  const where =
    places && t(`comparison.where.${places.provinces ? 'provinces' : 'regions'}`, { n: places[direction], total });
  return [[by, where].filter(Boolean).join(' '), ...others].join(t('punctuation.comma'));
}

/** `one round trip less, as TLS 1.3 predicts`. */
function causeText(voice: Voice, headline: ComparisonHeadline): string | null {
  const { t } = voice;
  const { verdict, cause, causeAfter, predicted, roundTrips, direction } = headline;
  if (!roundTrips || verdict === null) return null;
  const what = tripsText(voice, roundTrips.value);
  const named = cause && settingText(voice, cause, causeAfter);
  if (verdict === 'explained') {
    return named ? t('comparison.explained', { what, cause: named }) : t('comparison.explainedPlain', { what });
  }
  if (verdict === 'nothing_flipped') return t('comparison.nothing', { what });
  if (verdict === 'cant_tell') {
    if (named) return t('comparison.cantTellOne', { cause: named });
    return direction === 'unclear' ? t('comparison.cantTellFlat') : t('comparison.cantTell', { what });
  }
  if (!named || predicted === null) return t('comparison.notExplainedPlain', { what });
  return t('comparison.notExplained', {
    what,
    cause: named,
    predicted: signed(voice, predicted, Number.isInteger(predicted) ? 0 : 1),
  });
}

function tripsText(voice: Voice, trips: number): string {
  const { t } = voice;
  const whole = Math.round(trips);
  const direction = trips < 0 ? 'fewer' : 'more';
  if (Math.abs(trips - whole) > NEARLY)
    return t('comparison.trips.part', { n: formatNumber(voice.locale, Math.abs(trips), 1), direction });
  return whole === 0 ? t('comparison.trips.none') : t(`comparison.trips.${direction}`, { n: Math.abs(whole) });
}

/** `TLS 1.3`, `Key exchange group X25519`. */
function settingText({ t }: Voice, setting: Setting, value: string | null): string {
  const version = /^TLSv(1\.\d)$/.exec(value ?? '')?.[1];
  if (setting === 'version' && version) return `TLS ${version}`;
  const name = withinSentence(t(`comparison.setting.${setting}`));
  // Of what is long, or says but yes or no, the name is enough.
  return value === null || value.length > 24 || value === 'yes' || value === 'no' || value === 'none'
    ? name
    : t('comparison.causeIs', { setting: name, value });
}

/** A name as it stands within a sentence: what is an abbreviation or a person's name keeps its capital. */
const withinSentence = (name: string) =>
  /^[A-Z][a-z]/.test(name) && !/^(Nagle|Alt|Hello)/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;

/** A value and half its interval, to as many digits as the interval is worth. */
function spread({ locale }: Voice, { value, low, high }: ComparisonInterval): { value: string; half: string } {
  // Clocks are no finer.
  const half = Math.max(0.1, (high - low) / 2);
  const digits = half < 2 ? 1 : 0;
  return { value: formatNumber(locale, Math.abs(value), digits), half: formatNumber(locale, half, digits) };
}

/** A shift with its sign: `−0.4`, `+3.2`, `0`. */
export const signed = ({ locale }: Voice, value: number, digits = 1): string => formatSigned(locale, value, digits);
