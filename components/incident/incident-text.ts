import type { Incident, IncidentCell } from '#contract/incident.ts';
import { cellTold, type Described } from '#contract/incident-parts.ts';
import { type Description, describeIncident, measuredAs, shareText, valueText } from '#i18n/incident.ts';
import { locationName } from '#i18n/names.ts';
import { formatChange } from '#i18n/numbers.ts';
import { sinceText } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';

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

/** A change with its sign, `+45.0 ms`. */
export function differenceText(ui: Ui, metric: string | null, difference: number): string {
  return `${difference < 0 ? '−' : '+'}${valueText(ui, metric, Math.abs(difference))}`;
}

/** How bad it is, in ms and in proportion; null for a part that it has not. */
export function effectTexts(ui: Ui, incident: Incident) {
  const { effectMs, effectRatio } = incident;
  const measured = measuredAs(incident);
  if (measured === 'refused') return { ms: null, ratio: null };
  return {
    ms: effectMs === null ? null : differenceText(ui, measured === 'failures' ? 'tls' : measured, effectMs),
    ratio: effectRatio === null ? null : formatChange(ui.locale, effectRatio),
  };
}

/** The incident in words, with times as short as `now` (ms) allows. */
export const described = (ui: Ui, incident: Described, now: number): Description =>
  describeIncident(ui, incident, (at) => sinceText(ui, at, now));

/** One cell a line (target and vantage), where several metrics of it moved: that of the incident's own metric first. */
export function lineCells({ cells, metric }: Incident): IncidentCell[] {
  const lines = Map.groupBy(cells, ({ targetId, vantageId }) => `${targetId} ${vantageId}`);
  return [...lines.values()].flatMap((same) => cellTold(same, metric) ?? []);
}

/** How many of the users it affects, and how much longer all of them wait: `19% of users, +9.1 ms over all users`; null where it is not known. */
export function impactText(ui: Ui, { impact, status }: Pick<Incident, 'impact' | 'status'>): string | null {
  if (impact === null) return null;
  const { share, weightedMs } = impact;
  const users = ui.t('incident.users', { share: shareText(ui, share) });
  // Once all is over, or where it is all of them, a mean over all says nothing more.
  if (weightedMs === null || share >= 1 || status === 'resolved') return users;
  return `${users}${ui.t('punctuation.comma')}${ui.t('incident.overAll', { ms: differenceText(ui, 'tls', weightedMs) })}`;
}

/** How long it has lasted, or lasted, in ms. */
export const lastedMs = ({ onsetAt, overAt }: Incident, now: number) =>
  Math.max(0, (overAt === null ? now : Date.parse(overAt)) - Date.parse(onsetAt));

/** The name of one cell's line: `北京移动`, or the vantage where it has no place. */
export function cellPlace(ui: Ui, { region, carrier, vantageName }: IncidentCell): string {
  if (region !== null && carrier !== null) return locationName(ui, region, carrier);
  return vantageName ?? ui.t('alerting.everything');
}
