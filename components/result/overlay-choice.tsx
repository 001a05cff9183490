import Link from 'next/link';
import type { Result } from '#contract/result.ts';
import type { Ui } from '#i18n/ui.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { Time } from '../ui/time.tsx';
import { locationOf, OutcomeBadge } from './result-table.tsx';

/** Handshakes that may be laid over a result; null where there is none of the kind. */
export const OVERLAID = ['previous', 'next', 'fastest', 'elsewhere'] as const;
export type Overlaid = (typeof OVERLAID)[number];

type Props = { ui: Ui; result: Result; neighbours: Record<Overlaid, Result | null>; chosen: Overlaid | null };

/** Which other handshake lies over the time line, and the way to that. */
export function OverlayChoice({ ui, result, neighbours, chosen }: Props) {
  const { t } = ui;
  const path = `/results/${result.id}`;
  const other = chosen && neighbours[chosen];
  const there = OVERLAID.filter((each) => neighbours[each] !== null);
  if (there.length === 0) return null;
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
      ) : null}
      <ChoiceLinks
        label={t('result.overlay')}
        shown
        choices={[
          { key: 'none', href: path, text: t('result.overlays.none'), current: other === null },
          ...there.map((each) => ({
            key: each,
            href: `${path}?with=${each}`,
            text: t(`result.overlays.${each}`),
            title: t(`result.overlayDefs.${each}`),
            current: other !== null && each === chosen,
          })),
        ]}
      />
    </div>
  );
}
