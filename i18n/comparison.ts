import type {
  ComparisonHeadline,
  ComparisonInterval,
  ComparisonMixture,
  ComparisonRefusal,
  Direction,
  MilestoneEffect,
  Setting,
} from '#contract/comparison.ts';
import { shareText } from './incident.ts';
import { carrierName, regionName } from './names.ts';
import { formatNumber, formatQuantity, formatSigned } from './numbers.ts';
import type { Voice } from './ui.ts';

// What a comparison comes to, in the reader's language: pages, messages and `summary` all say it with `verdictText`.

/** Round trips that are this near to a whole number are said as that. */
const NEARLY = 0.15;
/** Moves of the network that are named; the rest is counted. */
const MOST_MOVES = 3;
/** Work that changed by less, ms, is not said. */
const LEAST_WORK_MS = 1;

/** The verdict as one sentence, or why there is none. `named`: whether the reader may know other markers by their titles. */
export function verdictText(voice: Voice, headline: ComparisonHeadline, named = true): string {
  const { t } = voice;
  const { refusal, milestone, shift, refused } = headline;
  if (refusal) return refusalText(voice, refusal, named);
  if (!shift) return '';
  const percent = (share: number) => formatQuantity(voice, share, 'ratio');
  const { mixture } = headline;
  const own = mixture ? ofEffect(headline, mixture.effect) : headline;
  const verdict = mixture ? mixtureText(voice, mixture, shiftText(voice, own)) : shiftText(voice, headline);
  const parts = [
    t('comparison.said', { milestone: t(`comparison.milestone.${milestone}`), verdict }),
    causeText(voice, own),
    workText(voice, own),
    mixture?.rest && restText(voice, headline, mixture, mixture.rest),
    refused && t('comparison.refusedSessions', { before: percent(refused.before), after: percent(refused.after) }),
    networkText(voice, headline),
  ];
  return `${parts.filter(Boolean).join(t('punctuation.semicolon'))}${t('punctuation.stop')}`;
}

/** The direction that the sentence is about: of the results with the new value where only a part of them has it. */
export const sentenceDirection = ({ mixture, direction }: ComparisonHeadline) =>
  mixture ? (mixture.effect?.direction ?? null) : direction;

/** The headline of a part of the results; nothing is known of one that is too small. */
const ofEffect = (headline: ComparisonHeadline, effect: MilestoneEffect | null): ComparisonHeadline => ({
  ...headline,
  ...(effect ?? { shift: null, server: null, roundTrips: null, workMs: null, direction: null }),
  regions: null,
});

/** `50% of the results after have TLS 1.3: there faster by 31 ± 2 ms`. */
function mixtureText(voice: Voice, { setting, after, share, effect }: ComparisonMixture, verdict: string): string {
  const { t } = voice;
  const what = settingText(voice, setting, after);
  const isName = what === withinSentence(t(`comparison.setting.${setting}`));
  const percent = (part: number) => shareText(voice, part);
  const part = t(`comparison.mixture.${isName ? 'differs' : 'has'}`, { what, share: percent(share.after) });
  if (!effect) return t('comparison.mixture.tooFew', { part });
  return share.before > 0
    ? t('comparison.mixture.against', { part, share: percent(share.before), verdict })
    : t('comparison.mixture.there', { part, verdict });
}

/** `the others are as before`. */
function restText(
  voice: Voice,
  headline: ComparisonHeadline,
  { after }: ComparisonMixture,
  { value, effect }: NonNullable<ComparisonMixture['rest']>,
): string {
  const { t } = voice;
  const who = t(`comparison.mixture.${value === after ? 'those' : 'others'}`);
  if (effect.direction === 'unclear') return t('comparison.mixture.asBefore', { who });
  return t('comparison.said', { milestone: who, verdict: shiftText(voice, ofEffect(headline, effect)) });
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

/** `Unicom's network +20 ms in 31 provinces`: whose round-trip times moved; by how much all did, where none did more than others. */
function networkText(voice: Voice, { network, networkMoves, regions }: ComparisonHeadline): string | null {
  const { t } = voice;
  if (networkMoves.length === 0) return network && t('comparison.network', { ms: signed(voice, network.value) });
  const where = regions?.provinces ? 'provinces' : 'regions';
  const moves = networkMoves.slice(0, MOST_MOVES).map(({ carrier, region, shift, regions: n }) => {
    const ms = signed(voice, shift.value, Math.abs(shift.value) < 10 ? 1 : 0);
    if (region) return t('comparison.networkMove.region', { region: regionName(voice, region), ms });
    const values = { ms, n, where };
    return carrier
      ? t('comparison.networkMove.carrier', { carrier: carrierName(voice, carrier), ...values })
      : t('comparison.networkMove.all', values);
  });
  const more = networkMoves.length - moves.length;
  return [...moves, ...(more > 0 ? [t('comparison.networkMove.more', { n: more })] : [])].join(t('punctuation.comma'));
}

/** The server's own work, where it is sure and large enough to be one of what the shift is made of. */
function workText(voice: Voice, { workMs, direction, regions, directions }: ComparisonHeadline): string | null {
  // Of all regions, it would stand beside the figure of some.
  if (regions && directions.length > 1) return null;
  if (!workMs || direction === 'unclear' || (workMs.low <= 0 && workMs.high >= 0)) return null;
  if (Math.abs(workMs.value) < LEAST_WORK_MS) return null;
  return voice.t('comparison.workMoved', { ms: signed(voice, workMs.value) });
}

type Judged = Pick<ComparisonHeadline, 'shift' | 'server' | 'direction'>;

/** What the direction is of: the shift itself, or the server's part of it where a network moved or the shift alone says another thing. */
function judgedShift({ networkMoves }: ComparisonHeadline, { shift, server, direction }: Judged) {
  if (!shift || !server) return shift;
  const itself = shift.high < 0 ? 'faster' : shift.low > 0 ? 'slower' : 'unclear';
  return networkMoves.length === 0 && itself === direction ? shift : server;
}

/** `faster by 31 ± 2 ms in 28 of 31 provinces, unclear in 3`: each figure is of the regions that it stands beside. */
function shiftText(voice: Voice, headline: ComparisonHeadline): string {
  const { t } = voice;
  const { direction, regions } = headline;
  const places = regions && regions.faster + regions.slower + regions.unclear > 1 ? regions : null;
  const groups = places && headline.directions.length > 1 ? headline.directions : [];
  const of = (each: Direction) => groups.find((group) => group.direction === each);
  const shift = judgedShift(headline, (direction !== 'unclear' && direction && of(direction)) || headline);
  if (!shift || !direction) return '';
  const total = places ? places.faster + places.slower + places.unclear : 0;
  const others = (['faster', 'slower', 'unclear'] as const).flatMap((each) => {
    if (!places || each === direction || places[each] === 0) return [];
    const where = t(`comparison.${each}In`, { n: places[each] });
    const group = of(each);
    if (!group) return where;
    // What cannot be told of the server may still have got slower, or faster, by its network.
    const theirs = each === 'unclear' ? group.shift : judgedShift(headline, group);
    if (!theirs || (theirs.low <= 0 && theirs.high >= 0)) return where;
    return t(each === 'unclear' ? 'comparison.withNetwork' : 'comparison.by', {
      where,
      ms: signed(voice, theirs.value),
    });
  });
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
  // What the main handshake shows is all that did not change where sessions were refused.
  if (verdict === 'nothing_flipped') return headline.refused ? what : t('comparison.nothing', { what });
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
  const digits = half < 2 || Math.abs(value) - half < 1 ? 1 : 0;
  return { value: formatNumber(locale, Math.abs(value), digits), half: formatNumber(locale, half, digits) };
}

/** A shift with its sign: `−0.4`, `+3.2`, `0`. */
export const signed = ({ locale }: Voice, value: number, digits = 1): string => formatSigned(locale, value, digits);
