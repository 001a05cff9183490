import type { RuleReplayView } from '#components/rule/rule-replay.tsx';
import type { RulePreview, RuleWouldFire } from '#contract/alert-rule.ts';
import { inSentences } from '#i18n/names.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { namedTargets } from '../targets/named.ts';

/** Around an incident the page of its target shows so much before and after it. */
const AROUND_MS = 3_600_000;

/** What a rule would have done, in words; null of a kind that cannot be replayed. */
export async function replayView(ui: Ui, preview: RulePreview | null): Promise<RuleReplayView> {
  const { t } = ui;
  if (!preview) return { sentence: t('rules.replay.none'), note: null, firings: [] };
  const { count, stepSeconds, targets, incidents, from, to } = preview;
  const names = new Map((await namedTargets()).map(({ id, name }) => [id, name]));
  const hours = Math.round((Date.parse(to) - Date.parse(from)) / 3_600_000);
  const notes = [
    stepSeconds === null ? null : t('rules.replay.step', { minutes: stepSeconds / 60 }),
    targets.replayed < targets.of ? t('rules.replay.part', { n: targets.replayed, of: targets.of }) : null,
    count > incidents.length ? t('rules.replay.newest', { n: incidents.length }) : null,
  ];
  return {
    sentence: t('rules.replay.count', { n: count, days: hours / 24 }),
    note: inSentences(ui, notes) || null,
    firings: incidents.map((each) => firingOf(ui, each, names)),
  };
}

function firingOf({ t, timeZone }: Ui, firing: RuleWouldFire, names: ReadonlyMap<string, string>) {
  const { targetId, openedAt, endedAt, series } = firing;
  const time = formatTime(openedAt, timeZone, 'minute');
  const name = targetId === null ? t('rules.replay.several') : (names.get(targetId) ?? targetId);
  const minutes = endedAt === null ? null : Math.round((Date.parse(endedAt) - Date.parse(openedAt)) / 60_000);
  const text =
    minutes === null
      ? t('rules.replay.open', { time, name, n: series })
      : t('rules.replay.closed', { time, name, n: series, minutes });
  const start = Date.parse(openedAt) - AROUND_MS;
  const end = (endedAt === null ? Date.parse(openedAt) : Date.parse(endedAt)) + AROUND_MS;
  const range = new URLSearchParams({
    from: new Date(start).toISOString(),
    to: new Date(Math.min(end, Date.now())).toISOString(),
  });
  return { text, href: targetId === null ? null : `/targets/${targetId}?${range}` };
}
