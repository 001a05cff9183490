import type { Unit } from '#contract/vocabulary.ts';
import { formatChange, type Verdict, verdict } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';

const SIGNS: Record<Verdict, string> = { worse: '▲', better: '▼', same: '', none: '' };
const TONES: Record<Verdict, string> = { worse: 'badge-bad', better: 'badge-good', same: '', none: '' };

/** `quiet` leaves the ground of an unremarkable change away, for cells that have a colour of their own. */
type Props = { ui: Ui; change: number | null | undefined; unit: Unit; quiet?: boolean };

/** The change against yesterday as a badge. Under ±2% it is neutral: noise is never painted red. */
export function ChangeBadge({ ui, change, unit, quiet = false }: Props) {
  const kind = verdict(change, unit);
  if (change === null || change === undefined) {
    return (
      <span className="badge" title={ui.t('change.none')}>
        <span aria-hidden="true">{ui.t('common.noValue')}</span>
        <span className="sr-only">{ui.t('change.none')}</span>
      </span>
    );
  }
  const text = formatChange(ui.locale, change);
  const said = kind === 'same' ? ui.t('change.same') : ui.t(`change.${kind}`, { change: text });
  return (
    <span className={quiet && kind === 'same' ? '' : `badge ${TONES[kind]}`} title={said}>
      <span aria-hidden="true">
        {sign(kind, change)} {text}
      </span>
      <span className="sr-only">{said}</span>
    </span>
  );
}

/** The triangle points where the number went; availability that falls is worse though it points down. */
const sign = (kind: Verdict, change: number) => (SIGNS[kind] ? (change > 0 ? '▲' : '▼') : '');
