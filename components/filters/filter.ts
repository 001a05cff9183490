import { ADVICE_CLIENTS, type AdviceClient } from '#contract/advice.ts';
import { Carrier, Region } from '#contract/location.ts';
import { MAX_RANGE_DAYS, type NamedRange, presetRange, RANGES } from '#contract/query.ts';
import {
  ACCESS_TYPES,
  CONNECTION_PROPERTIES,
  type ConnectionProperty,
  MEASURED_VARIANTS,
  METRICS,
  type MeasuredVariant,
  type Metric,
  STATS,
  type Stat,
  VARIANTS,
} from '#contract/vocabulary.ts';
import { isTimeZone, parseLocal } from '#i18n/time.ts';

export const SORTS = ['name', 'value', 'change'] as const;
export type Sort = (typeof SORTS)[number];
/** What figures are set against: the usual level of the same hours, the day before, or nothing. */
export const AGAINST = ['usual', 'day', 'value'] as const;
export type Against = (typeof AGAINST)[number];
/** What is drawn behind the lines of a trend: nothing, or the same hours so many days before. */
export const OVERLAYS = ['none', 'day', 'week'] as const;
export type Overlay = (typeof OVERLAYS)[number];
/** How a distribution is drawn: the share of each bin, or of all up to it. */
export const SPREADS = ['bars', 'cumulative'] as const;
export type Spread = (typeof SPREADS)[number];
/** How values of a trend stand: by what they are, or by their logarithms. */
export const AXES = ['linear', 'log'] as const;
export type Axis = (typeof AXES)[number];
/** Whether the least and greatest values are drawn beside percentiles: `auto` where these stay readable. */
export const EXTREMES = ['auto', 'shown', 'hidden'] as const;
export type Extremes = (typeof EXTREMES)[number];
/** How places are drawn: the regions of China in two ways, and countries. */
export const MAP_VIEWS = ['provinces', 'tiles', 'world'] as const;
export type MapView = (typeof MAP_VIEWS)[number];
export const OUTCOMES = ['any', 'ok', 'failed'] as const;
/** `all`, or one of the handshakes that a run may have. */
export const VARIANT_CHOICES = ['all', ...VARIANTS] as const;
export type VariantChoice = (typeof VARIANT_CHOICES)[number];
/** `any`, or one of the kinds of network that vantages have. */
export const ACCESS_CHOICES = ['any', ...ACCESS_TYPES] as const;
export type AccessChoice = (typeof ACCESS_CHOICES)[number];
export type Outcome = (typeof OUTCOMES)[number];

/** What a reader chose on a target's pages. All of it stands in the URL, so that a link shows the same. */
export type Filter = {
  /** `auto`: as no range is asked for, the last day, or what a page makes of it. */
  range: NamedRange | 'custom' | 'auto';
  /** RFC 3339, UTC; `to` is a whole minute. */
  from: string;
  to: string;
  metric: Metric;
  stat: Stat;
  regions: string[];
  carriers: string[];
  access: AccessChoice;
  sort: Sort;
  against: Against;
  map: MapView;
  overlay: Overlay;
  axis: Axis;
  extremes: Extremes;
  makeup: ConnectionProperty;
  spread: Spread;
  outcome: Outcome;
  variant: VariantChoice;
  /** Whose milliseconds advice saves. */
  client: AdviceClient;
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
  const variant = oneOf(VARIANT_CHOICES, first(params.variant), 'all');
  return {
    ...readRange(params, now),
    ...readMeasure(params, variant),
    regions: many(params.region).filter((region) => Region.safeParse(region).success),
    carriers: many(params.carrier).filter((carrier) => Carrier.safeParse(carrier).success),
    access: oneOf(ACCESS_CHOICES, first(params.access), 'any'),
    sort: oneOf(SORTS, first(params.sort), 'name'),
    against: oneOf(AGAINST, first(params.against), 'usual'),
    map: readMapView(params),
    overlay: oneOf(OVERLAYS, first(params.overlay), 'none'),
    axis: oneOf(AXES, first(params.axis), 'linear'),
    extremes: oneOf(EXTREMES, first(params.extremes), 'auto'),
    makeup: oneOf(CONNECTION_PROPERTIES, first(params.makeup), 'tls'),
    spread: oneOf(SPREADS, first(params.spread), 'bars'),
    outcome: oneOf(OUTCOMES, first(params.outcome), 'any'),
    variant,
    client: oneOf(ADVICE_CLIENTS, first(params.client), 'browser'),
  };
}

export const readMapView = ({ map }: SearchParams): MapView => oneOf(MAP_VIEWS, first(map), 'provinces');

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
  if (filter.access !== 'any') entries.push(['access', filter.access]);
  if (filter.sort !== 'name') entries.push(['sort', filter.sort]);
  if (filter.against !== 'usual') entries.push(['against', filter.against]);
  if (filter.map !== 'provinces') entries.push(['map', filter.map]);
  if (filter.overlay !== 'none') entries.push(['overlay', filter.overlay]);
  if (filter.axis !== 'linear') entries.push(['axis', filter.axis]);
  if (filter.extremes !== 'auto') entries.push(['extremes', filter.extremes]);
  if (filter.makeup !== 'tls') entries.push(['makeup', filter.makeup]);
  if (filter.spread !== 'bars') entries.push(['spread', filter.spread]);
  if (filter.outcome !== 'any') entries.push(['outcome', filter.outcome]);
  if (filter.variant !== 'all') entries.push(['variant', filter.variant]);
  if (filter.client !== 'browser') entries.push(['client', filter.client]);
  return entries;
}

/** A link to `path` under this filter with some of it changed. */
export function filterHref(path: string, filter: Filter, change: Partial<Filter> = {}): string {
  const query = new URLSearchParams(filterEntries({ ...filter, ...change })).toString();
  return query ? `${path}?${query}` : path;
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
/** Repeated parameters and comma lists mean the same; a thing named twice counts once. */
const many = (value: string | string[] | undefined) => [
  ...new Set([value ?? []].flat().flatMap((part) => part.split(',').filter(Boolean))),
];
function oneOf<T extends string>(known: readonly T[], value: string | undefined, otherwise: T): T {
  return known.find((entry) => entry === value) ?? otherwise;
}
