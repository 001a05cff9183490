import Link from 'next/link';
import { kindText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { SEVERITY_TONES } from '../incident/incident-badges.tsx';
import { described } from '../incident/incident-text.ts';
import { Badge } from '../ui/badge.tsx';
import type { RankedTarget } from './rank.ts';

type Props = { ui: Ui; entry: RankedTarget; now: number; linked?: boolean };

/** In a word: its most urgent incident, else what makes it stand out, else that all is well; `linked` to the incident. */
export function TargetState({ ui, entry: { target, incidents, trouble }, now, linked = true }: Props) {
  const { t } = ui;
  const [worst, ...others] = incidents;
  if (worst) {
    const { brief } = described(ui, worst, now);
    const tone = worst.acknowledged || worst.standing ? 'plain' : SEVERITY_TONES[worst.severity];
    const badge = <Badge tone={tone}>{kindText(ui, worst)}</Badge>;
    if (!linked) return badge;
    return (
      <Link href={`/incidents/${worst.id}`} prefetch={false} title={brief}>
        {badge}
        <span className="sr-only">{`: ${brief}`}</span>
        {others.length > 0 ? (
          <span className="ml-1 text-[0.8rem] text-muted">
            <span aria-hidden="true">+{others.length}</span>
            <span className="sr-only"> {t('brief.more', { n: others.length })}</span>
          </span>
        ) : null}
      </Link>
    );
  }
  if (!target.enabled) return <Badge>{t('targets.reasons.paused')}</Badge>;
  if (isAwaited(target)) return <Badge title={t('targets.waiting')}>{t('targets.reasons.waiting')}</Badge>;
  const [first] = trouble;
  if (first)
    return (
      <Badge tone={first === 'failing' || first === 'stale' ? 'bad' : 'warn'}>{t(`targets.reasons.${first}`)}</Badge>
    );
  return <span className="text-[0.86rem] text-muted">{t('board.well')}</span>;
}

/** Says whether a target's first result is still to come and not overdue. */
export const isAwaited = ({ enabled, lastResultAt, staleSince }: RankedTarget['target']) =>
  enabled && lastResultAt === null && staleSince === null;
