import type { Marker } from '#contract/marker.ts';
import { markerWords } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { Time } from '../ui/time.tsx';
import { CompareButton } from './compare-button.tsx';

type Props = {
  ui: Ui;
  markers: readonly Marker[];
  /** The names of targets by their ids. */
  targets: ReadonlyMap<string, string>;
  /** Asks for a comparison around a marker; null where the reader may not. */
  compare: ((form: FormData) => Promise<void>) | null;
};

/** Markers without a comparison, the latest first, each with the way to one: of all targets there is none, each has its own. */
export function UncomparedList({ ui, markers, targets, compare }: Props) {
  const { t } = ui;
  if (markers.length === 0) return null;
  return (
    <section className="panel mt-4 p-4" aria-labelledby="uncompared-title">
      <h2 id="uncompared-title">{t('comparison.uncompared')}</h2>
      <p className="text-[0.86rem] text-muted">{t('comparison.uncomparedDef')}</p>
      <ul className="mt-2">
        {markers.map(({ id, at, title, demo, targetId }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-line border-t py-1.5">
            <Time ui={ui} at={at} detail="minute" />
            <span className="min-w-0 break-words font-medium">{markerWords(ui, { demo, title }).title}</span>
            <span className="text-muted">
              {targetId === null ? t('comparison.allTargets') : (targets.get(targetId) ?? t('common.noValue'))}
            </span>
            {targetId === null ? null : (
              <CompareButton ui={ui} comparisonId={null} action={compare} fields={{ markerId: id, targetId }} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
