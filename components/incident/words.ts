import type { Incident, IncidentCell } from '#contract/incident.ts';
import { METRICS, type Unit } from '#contract/vocabulary.ts';
import { carrierName, locationName, regionName } from '#i18n/names.ts';
import { formatChange, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { kindText } from './gravity.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1_440;
/** From so many minutes on hours are told too, and from so many on days. */
const MINUTES_UP_TO = 120;
const HOURS_UP_TO = 2 * DAY_MINUTES;

/** A length of time (ms) as people say it: `37 min`, `5 h 12 min`, `3 d 4 h`. */
export function durationText({ t }: Ui, ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return t('duration.moment');
  if (minutes < MINUTES_UP_TO) return t('duration.minutes', { n: minutes });
  if (minutes < HOURS_UP_TO)
    return t('duration.hours', { h: Math.floor(minutes / HOUR_MINUTES), m: minutes % HOUR_MINUTES });
  return t('duration.days', {
    d: Math.floor(minutes / DAY_MINUTES),
    h: Math.floor((minutes % DAY_MINUTES) / HOUR_MINUTES),
  });
}

/** How long before or after the onset something was. */
export function offsetText(ui: Ui, offsetSeconds: number): string {
  const time = durationText(ui, Math.abs(offsetSeconds) * 1_000);
  if (Math.abs(offsetSeconds) < 60) return ui.t('incident.offsetAt');
  return ui.t(offsetSeconds < 0 ? 'incident.offsetBefore' : 'incident.offsetAfter', { time });
}

/** The name of an incident's metric; `failures` is one that charts do not have. Null where there is none. */
export function metricName({ t }: Ui, metric: string | null): string | null {
  if (metric === null) return null;
  if (metric === 'failures') return t('incident.metricFailures');
  const known = METRICS.find((name) => name === metric);
  return known ? t(`metric.${known}`) : metric;
}

/** What decides the unit of an incident's values: its metric, or the statistic of its threshold where that is no time. */
export function measuredAs({
  kind,
  metric,
  evidence: { stat },
}: Pick<Incident, 'kind' | 'metric' | 'evidence'>): string | null {
  return kind === 'threshold' && (stat === 'availability' || stat === 'count') ? stat : metric;
}

const UNITS: Record<string, Unit> = {
  failures: 'ratio',
  availability: 'ratio',
  count: 'count',
  roundTrips: 'roundTrips',
};

/** A value of what `measuredAs` says, with its unit: shares are in per cent. */
export function valueText(ui: Ui, measured: string | null, value: number | null): string {
  return formatQuantity(ui, value, UNITS[measured ?? ''] ?? 'ms');
}

/** A change with its sign, `+45.0 ms`. */
export function differenceText(ui: Ui, metric: string | null, difference: number): string {
  return `${difference < 0 ? '−' : '+'}${valueText(ui, metric, Math.abs(difference))}`;
}

/** How bad it is, in ms and in proportion; null for a part that it has not. */
export function effectTexts(ui: Ui, incident: Incident) {
  const { effectMs, effectRatio } = incident;
  const measured = measuredAs(incident);
  return {
    ms: effectMs === null ? null : differenceText(ui, measured === 'failures' ? 'tls' : measured, effectMs),
    ratio: effectRatio === null ? null : formatChange(ui.locale, effectRatio),
  };
}

const distinct = <T>(values: (T | null)[]) => [...new Set(values.filter((value) => value !== null))];

/** What it is about: a target, several, or a vantage. */
export function subjectText(ui: Ui, { targetName, cells }: Pick<Incident, 'targetName' | 'cells'>): string {
  if (targetName !== null) return targetName;
  const targets = distinct(cells.map((cell) => cell.targetName));
  if (targets.length === 1 && targets[0]) return targets[0];
  const carriers = distinct(cells.map((cell) => cell.carrier));
  if (targets.length > 1) {
    const several = ui.t('incidents.targets', { n: targets.length });
    return carriers.length === 1 && carriers[0] ? `${carrierName(ui, carriers[0])} · ${several}` : several;
  }
  const vantages = distinct(cells.map((cell) => cell.vantageName));
  return vantages.length === 1 && vantages[0] ? vantages[0] : ui.t('incidents.cells', { n: cells.length });
}

/** From where it is seen: a line, a carrier, a region, or how many lines; null where no place is known. */
export function placeText(ui: Ui, cells: IncidentCell[]): string | null {
  const carriers = distinct(cells.map((cell) => cell.carrier));
  const regions = distinct(cells.map((cell) => cell.region));
  const [carrier] = carriers;
  const [region] = regions;
  if (carrier === undefined || region === undefined) return null;
  if (carriers.length === 1 && regions.length === 1) return locationName(ui, region, carrier);
  if (carriers.length === 1) return `${carrierName(ui, carrier)} · ${ui.t('incidents.regions', { n: regions.length })}`;
  const names = carriers.map((each) => carrierName(ui, each)).join(ui.locale === 'zh-CN' ? '、' : ', ');
  return `${names} · ${regions.length === 1 ? regionName(ui, region) : ui.t('incidents.regions', { n: regions.length })}`;
}

/** `Spike: shop.example.org`. */
export const headline = (ui: Ui, incident: Incident) =>
  ui.t('incident.headline', { kind: kindText(ui, incident), subject: subjectText(ui, incident) });

/** One cell a line (target and vantage), where several metrics of it moved: that of the incident's own metric first. */
export function lineCells({ cells, metric }: Incident): IncidentCell[] {
  const lines = Map.groupBy(cells, ({ targetId, vantageId }) => `${targetId} ${vantageId}`);
  return [...lines.values()].flatMap((same) => same.find((cell) => cell.metric === metric) ?? same[0] ?? []);
}

/** When it was over; null where it goes on, as an accepted level does. */
export const overAt = ({ resolvedAt, resolution }: Incident) => (resolution === 'accepted' ? null : resolvedAt);

/** How long it has lasted, or lasted, in ms. */
export const lastedMs = (incident: Incident, now: number) =>
  Math.max(0, Date.parse(overAt(incident) ?? new Date(now).toISOString()) - Date.parse(incident.onsetAt));

/** The name of one cell's line: `北京移动`, or the vantage where it has no place. */
export function cellPlace(ui: Ui, { region, carrier, vantageName }: IncidentCell): string {
  if (region !== null && carrier !== null) return locationName(ui, region, carrier);
  return vantageName ?? ui.t('alerting.everything');
}
