import Link from 'next/link';
import type { ReactNode } from 'react';
import { markerWords } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Mark, markBackground } from '../charts/marks.ts';
import { CompareButton } from '../comparison/compare-button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Time } from '../ui/time.tsx';
import { described } from './incident-text.ts';

type Remove = (form: FormData) => Promise<void>;
/** `hidden`: how many more there are. `remove` is null where the reader may not. */
type Props = {
  ui: Ui;
  /** Whose charts these are. */
  targetId: string;
  marks: Mark[];
  hidden: number;
  remove: Remove | null;
  /** Asks for a comparison around a marker; null where the reader may not. */
  compare: Remove | null;
  children: ReactNode;
};

/** What the numbers on the charts mean: markers and the changes that were found. */
export function MarkList({ ui, targetId, marks, hidden, remove, compare, children }: Props) {
  const { t } = ui;
  return (
    <section id="marks" className="panel mb-4 min-w-0 p-4" aria-labelledby="marks-title">
      <h2 id="marks-title">{t('marks.title')}</h2>
      <p className="text-[0.86rem] text-muted">
        {marks.length === 0 ? t('marks.none') : t('marks.help')}{' '}
        {hidden > 0 ? t('marks.more', { n: marks.length, hidden }) : ''}
      </p>
      <ol className="mt-2 grid gap-1.5">
        {marks.toReversed().map((mark) => (
          <li key={mark.n} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-line border-t pt-1.5">
            <span
              className={`min-w-6 px-1 text-center font-semibold text-[0.8rem] text-surface tabular-nums ${markBackground(mark)}`}
            >
              {mark.n}
            </span>
            <Time ui={ui} at={new Date(mark.at).toISOString()} detail="minute" />
            {mark.kind === 'marker' ? (
              <MarkerText ui={ui} targetId={targetId} mark={mark} remove={remove} compare={compare} />
            ) : (
              <ChangeText ui={ui} mark={mark} />
            )}
          </li>
        ))}
      </ol>
      {children}
    </section>
  );
}

type Of<Kind extends Mark['kind']> = Extract<Mark, { kind: Kind }>;

function ChangeText({ ui, mark: { incident } }: { ui: Ui; mark: Of<'change'> }) {
  const { headline, effect } = described(ui, incident, Date.now());
  return (
    <span className="min-w-0">
      <Link href={`/incidents/${incident.id}`} prefetch={false} className="link font-medium">
        {headline}
      </Link>{' '}
      <span className="tabular-nums">{effect}</span>
    </span>
  );
}

type MarkerProps = Pick<Props, 'ui' | 'targetId' | 'remove' | 'compare'> & { mark: Of<'marker'> };

function MarkerText({ ui, targetId, mark: { marker, n }, remove, compare }: MarkerProps) {
  const { t } = ui;
  const { title, text } = markerWords(ui, marker);
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
      {marker.url ? (
        <a href={marker.url} rel="noreferrer" className="link font-medium">
          {title}
        </a>
      ) : (
        <span className="font-medium">{title}</span>
      )}
      <span className="text-[0.92rem] text-muted">
        {[t('marks.marker'), marker.targetId === null ? t('marks.everyTarget') : '', text].filter(Boolean).join(' · ')}
      </span>
      <CompareButton
        ui={ui}
        comparisonId={marker.comparisonId}
        action={compare}
        fields={{ markerId: marker.id, targetId }}
      />
      {remove ? (
        <Confirm
          ui={ui}
          id={`remove-mark-${n}`}
          label={t('marks.remove')}
          name={title}
          text={t('marks.removeConfirm', { title })}
          action={remove}
          fields={{ id: marker.id }}
          className="link ml-auto text-[0.86rem]"
        />
      ) : null}
    </span>
  );
}
