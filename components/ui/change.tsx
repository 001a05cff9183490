import type { Unit } from '#contract/vocabulary.ts';
import { formatChange, type Verdict, verdict } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Against } from '../filters/filter.ts';

const SIGNS: Record<Verdict, string> = { worse: '▲', better: '▼', same: '', none: '' };
const TONES: Record<Verdict, string> = { worse: 'badge-bad', better: 'badge-good', same: '', none: '' };

type Props = { ui: Ui; change: number | null | undefined; unit: Unit; against: Against };

/**
 * The change against yesterday, or against what is usual, as a badge. Under ±2% it is neutral, of what is usual under ±10%: noise is never
 * painted red. Nothing where figures are set against nothing.
 */
export function ChangeBadge({ ui, change, unit, against }: Props) {
  if (against === 'value') return null;
  if (against === 'usual') return <UsualBadge ui={ui} change={change} />;
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
    <span className={`badge ${TONES[kind]}`} title={said}>
      <span aria-hidden="true">
        {sign(kind, change)} {text}
      </span>
      <span className="sr-only">{said}</span>
    </span>
  );
}

/** The triangle points where the number went; availability that falls is worse though it points down. */
const sign = (kind: Verdict, change: number) => (SIGNS[kind] ? (change > 0 ? '▲' : '▼') : '');

const ALIKE = 0.1;

/** Nothing where the usual level is not known. */
function UsualBadge({ ui, change }: Pick<Props, 'ui' | 'change'>) {
  if (change === null || change === undefined) return null;
  const tone = Math.abs(change) < ALIKE ? '' : change > 0 ? 'badge-bad' : 'badge-good';
  return (
    <span className={`badge ${tone}`}>
      <ChangeText ui={ui} change={change} against="usual" />
    </span>
  );
}

const SAID = { usual: 'fromUsual', day: 'fromDay', week: 'fromWeek', value: 'fromDay' } as const;

/** A change without a ground of its own, for cells that have one. */
export function ChangeText({ ui, change, against }: { ui: Ui; change: number; against: Against | 'week' }) {
  const text = formatChange(ui.locale, change);
  const said = ui.t(`change.${SAID[against]}`, { change: text });
  return (
    <span title={said}>
      <span aria-hidden="true">{text}</span>
      <span className="sr-only">{said}</span>
    </span>
  );
}
