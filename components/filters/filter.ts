import { ADVICE_CLIENTS } from '#contract/advice.ts';
import { Carrier, Region } from '#contract/location.ts';
import { MAX_RANGE_DAYS, type NamedRange, presetRange, RANGES } from '#contract/query.ts';
import {
  ACCESS_TYPES,
  CONNECTION_PROPERTIES,
  MEASURED_VARIANTS,
  METRICS,
  type MeasuredVariant,
  type Metric,
  STATS,
  type Stat,
  VARIANTS,
} from '#contract/vocabulary.ts';
import { isTimeZone, parseLocal } from '#i18n/time.ts';

/** What a reader may choose, by its name in the URL. The first of each is chosen where the URL says nothing. */
export const CHOICES = {
  /** The kinds of network that vantages have. */
  access: ['any', ...ACCESS_TYPES],
  sort: ['name', 'value', 'change'],
  /** What figures are set against: the usual level of the same hours, the day before, or nothing. */
  against: ['usual', 'day', 'value'],
  /** How places are drawn: the regions of China in two ways, and countries. */
  map: ['provinces', 'tiles', 'world'],
  /** What is drawn behind the lines of a trend: nothing, or the same hours so many days before. */
  overlay: ['none', 'day', 'week'],
  /** How values of a trend stand: by what they are, or by their logarithms. */
  axis: ['linear', 'log'],
  /** Whether the least and greatest values are drawn beside percentiles: `auto` where these stay readable. */
  extremes: ['auto', 'shown', 'hidden'],
  makeup: CONNECTION_PROPERTIES,
  /** How a distribution is drawn: the share of each bin, or of all up to it. */
  spread: ['bars', 'cumulative'],
  outcome: ['any', 'ok', 'failed'],
  /** The handshakes that a run may have. */
  variant: ['all', ...VARIANTS],
  /** Whose milliseconds advice saves. */
  client: ADVICE_CLIENTS,
} as const;
type Choices = { [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };
export type MapView = Choices['map'];
export type Against = Choices['against'];

/** What a reader chose on a target's pages. All of it stands in the URL, so that a link shows the same. */
export type Filter = Choices & {
  /** `auto`: as no range is asked for, the last day, or what a page makes of it. */
  range: NamedRange | 'custom' | 'auto';
  /** RFC 3339, UTC; `to` is a whole minute. */
  from: string;
  to: string;
  metric: Metric;
  stat: Stat;
  regions: string[];
  carriers: string[];
  /** True where the URL asked for a range that is none. */
  invalid: boolean;
};

/** The handshakes whose figures are shown: the main ones, unless the filter names others that have figures. */
export function measuredVariant({ variant }: Filter): MeasuredVariant {
  return oneOf(MEASURED_VARIANTS, variant, 'main');
}

export type SearchParams = Record<string, string | string[] | undefined>;

/** Reads a filter from a page's search parameters; what is missing or makes no sense falls back to the default. */
export function readFilter(params: SearchParams, now: number): Filter {
  const choices = Object.fromEntries(
    Object.entries(CHOICES).map(([name, choice]) => [name, oneOf<string>(choice, first(params[name]), choice[0])]),
  ) as Choices;
  return {
    ...choices,
    ...readRange(params, now),
    ...readMeasure(params, choices.variant),
    regions: many(params.region).filter((region) => Region.safeParse(region).success),
    carriers: many(params.carrier).filter((carrier) => Carrier.safeParse(carrier).success),
  };
}

export const readMapView = ({ map }: SearchParams): MapView => oneOf(CHOICES.map, first(map), 'provinces');

/** The metrics that handshakes of a variant have: a session is refused where one was offered. */
export const metricsOf = (variant: Filter['variant']): readonly Metric[] =>
  variant === 'resumed' ? METRICS : METRICS.filter((metric) => metric !== 'refused');

/** A session is refused or not: of that a mean says how many are, and a percentile or extreme nothing. */
export const statsOf = (metric: Metric): readonly Stat[] =>
  metric === 'refused' ? ['mean', 'count', 'availability'] : STATS;

function readMeasure(params: SearchParams, variant: Filter['variant']): Pick<Filter, 'metric' | 'stat'> {
  const metric = oneOf(metricsOf(variant), first(params.metric), 'tls');
  return { metric, stat: oneOf(statsOf(metric), first(params.stat), metric === 'refused' ? 'mean' : 'p50') };
}

type Times = Pick<Filter, 'range' | 'from' | 'to' | 'invalid'>;

function readRange(params: SearchParams, now: number): Times {
  const from = first(params.from);
  const to = first(params.to);
  const preset = first(params.range);
  if (from && to && (preset === undefined || preset === 'custom'))
    return readCustom(from, to, first(params.zone) ?? 'UTC', now);
  const asked = oneOf(['auto', ...RANGES], preset, 'auto');
  return { ...presetRange(asked === 'auto' ? '24h' : asked, now), range: asked, invalid: false };
}

function readCustom(from: string, to: string, zone: string, now: number): Times {
  const known = isTimeZone(zone);
  const start = known ? parseLocal(from, zone) : null;
  const end = known ? parseLocal(to, zone) : null;
  const day = { ...presetRange('24h', now), invalid: true };
  if (start === null || end === null || start >= end || end - start > MAX_RANGE_DAYS * 86_400_000) return day;
  return { range: 'custom', from: new Date(start).toISOString(), to: new Date(end).toISOString(), invalid: false };
}

/** The same hours a day earlier; ranges longer than a day are compared with the same span before them. */
export function compareRange({ from, to }: Pick<Filter, 'from' | 'to'>): { compareFrom: string; compareTo: string } {
  const shift = Math.max(Date.parse(to) - Date.parse(from), 86_400_000);
  return {
    compareFrom: new Date(Date.parse(from) - shift).toISOString(),
    compareTo: new Date(Date.parse(to) - shift).toISOString(),
  };
}

/** The search parameters that mean this filter, defaults left out: what forms carry on and links are made of. */
export function filterEntries(filter: Filter): [string, string][] {
  const entries: [string, string][] =
    filter.range === 'custom'
      ? [
          ['from', filter.from],
          ['to', filter.to],
        ]
      : filter.range === 'auto'
        ? []
        : [['range', filter.range]];
  if (filter.metric !== 'tls') entries.push(['metric', filter.metric]);
  if (filter.stat !== 'p50') entries.push(['stat', filter.stat]);
  for (const region of filter.regions) entries.push(['region', region]);
  for (const carrier of filter.carriers) entries.push(['carrier', carrier]);
  for (const name of Object.keys(CHOICES) as (keyof Choices)[])
    if (filter[name] !== CHOICES[name][0]) entries.push([name, filter[name]]);
  return entries;
}

/** A link to `path` under this filter with some of it changed. */
export function filterHref(path: string, filter: Filter, change: Partial<Filter> = {}): string {
  const query = new URLSearchParams(filterEntries({ ...filter, ...change })).toString();
  return query ? `${path}?${query}` : path;
}

/** The first of what a parameter was given. */
export const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
/** Repeated parameters and comma lists mean the same; a thing named twice counts once. */
export const many = (value: string | string[] | undefined) => [
  ...new Set([value ?? []].flat().flatMap((part) => part.split(',').filter(Boolean))),
];
function oneOf<T extends string>(known: readonly T[], value: string | undefined, otherwise: T): T {
  return known.find((entry) => entry === value) ?? otherwise;
}
