import Link from 'next/link';
import type { Result } from '#contract/result.ts';
import type { Ui } from '#i18n/ui.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { Time } from '../ui/time.tsx';
import { locationOf, OutcomeBadge } from './result-table.tsx';

/** Handshakes that may be laid over a result. */
export const OVERLAID = ['previous', 'next', 'fastest', 'elsewhere'] as const;
export type Overlaid = (typeof OVERLAID)[number];

/**
 * `there`: those that it has, or that are searched for once chosen; `other`: the chosen one, null where there is none, undefined where the
 * search was given up.
 */
type Props = {
  ui: Ui;
  result: Result;
  there: readonly Overlaid[];
  chosen: Overlaid | null;
  other: Result | null | undefined;
};

/** Which other handshake lies over the time line, and the way to that. */
export function OverlayChoice({ ui, result, there, chosen, other }: Props) {
  const { t } = ui;
  const path = `/results/${result.id}`;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {other ? (
        <span className="text-[0.9rem] text-muted">
          {t('result.thinBars')}{' '}
          <Link href={`/results/${other.id}`} prefetch={false} className="link">
            {locationOf(ui, other)} <Time ui={ui} at={other.startedAt} detail="second" />
          </Link>{' '}
          {other.ok ? null : <OutcomeBadge ui={ui} result={other} />}
        </span>
      ) : chosen ? (
        <span className="text-[0.9rem] text-muted">{t(other === null ? 'result.noOverlay' : 'unavailable.slow')}</span>
      ) : null}
      <ChoiceLinks
        label={t('result.overlay')}
        shown
        choices={[
          { key: 'none', href: path, text: t('result.overlays.none'), current: chosen === null },
          ...there.map((each) => ({
            key: each,
            href: `${path}?with=${each}`,
            text: t(`result.overlays.${each}`),
            title: t(`result.overlayDefs.${each}`),
            current: each === chosen,
          })),
        ]}
      />
    </div>
  );
}
