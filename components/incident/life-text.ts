import type { Incident } from '#contract/incident.ts';
import { shareText } from '#i18n/incident.ts';
import { inSentences, withAside } from '#i18n/names.ts';
import { formatClock, formatDay, formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { actorName } from './actor.ts';
import { differenceText, durationText, effectTexts, lastedMs } from './incident-text.ts';

const HOUR_MS = 3_600_000;

/** In a sentence or two: what state it is in, since when, what happens next, who has it, what it has cost. `now` in ms. */
export function lifeText(ui: Ui, incident: Incident, now: number): string {
  const { t } = ui;
  const { status, acknowledgedBy } = incident;
  const taken =
    status === 'acknowledged' && acknowledgedBy !== null
      ? t('incident.life.acknowledged', { name: actorName(ui, acknowledgedBy) })
      : null;
  return inSentences(ui, [...sentences(ui, incident, now), taken]);
}

function sentences(ui: Ui, incident: Incident, now: number): (string | null)[] {
  const { t, timeZone } = ui;
  const time = (at: string) => formatTime(at, timeZone, 'minute');
  const { state, kind, onsetAt, quietSince, closesAt, standingSince } = incident;
  switch (state) {
    case 'open':
      return [t('incident.life.open', { since: time(onsetAt) }), nextText(ui, incident)];
    case 'quiet':
      return [
        t('incident.life.quiet', {
          since: formatClock(quietSince ?? onsetAt, timeZone),
          closes: formatClock(closesAt ?? onsetAt, timeZone),
        }),
      ];
    case 'standing':
      return [t('incident.life.standing', { since: time(standingSince ?? onsetAt) }), costText(ui, incident)];
    default:
      return kind === 'improvement' ? [] : [endText(ui, incident, now), costText(ui, incident)];
  }
}

function nextText({ t, timeZone }: Ui, { kind, next }: Incident): string | null {
  if (kind === 'spike') return t('incident.life.nextSpike');
  if (next === null) return kind === 'regression' ? null : t('incident.life.nextRule');
  const at = formatTime(next.at, timeZone, 'minute');
  return t(next.state === 'standing' ? 'incident.life.nextStanding' : 'incident.life.nextAccepted', { at });
}

/** What a lasting change has cost so far, or did; null where that is not known. */
export function costText(ui: Ui, incident: Incident): string | null {
  const { cost, status } = incident;
  if (cost === null) return null;
  const ms = differenceText(ui, 'tls', cost.meanExcessMs);
  const time = durationText(ui, cost.hours * HOUR_MS);
  if (status === 'resolved') return ui.t('incident.life.costWas', { ms, time });
  if (cost.users === null) return ui.t('incident.life.cost', { ms, time });
  return ui.t('incident.life.costUsers', { ms, time, share: shareText(ui, cost.users) });
}

function endText(ui: Ui, incident: Incident, now: number): string {
  const { t, timeZone, locale } = ui;
  const { resolution, overAt, resolvedAt, resolvedBy, onsetAt } = incident;
  const at = formatTime(overAt ?? resolvedAt ?? onsetAt, timeZone, 'minute');
  const time = durationText(ui, lastedMs(incident, now));
  const name = resolvedBy === null ? null : actorName(ui, resolvedBy);
  switch (resolution) {
    case 'recovered':
      return t('incident.life.recovered', { at, time });
    case 'rolled_back':
      return t('incident.life.rolledBack', { at, time });
    case 'by_hand':
      return name === null ? t('incident.life.byHandUnknown', { at }) : t('incident.life.byHand', { name, at });
    case 'accepted': {
      const { ms, ratio } = effectTexts(ui, incident);
      const effect = ms !== null && ratio !== null ? withAside(ui, ratio, ms) : (ratio ?? ms ?? t('common.noValue'));
      const said = { at, effect, day: formatDay(onsetAt, timeZone, locale) };
      return name === null ? t('incident.life.acceptedItself', said) : t('incident.life.acceptedBy', { ...said, name });
    }
    default:
      return t('incident.life.ended', { at });
  }
}
