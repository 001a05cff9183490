import Link from 'next/link';
import type { Comparison } from '#contract/comparison.ts';
import { sentenceDirection, verdictText } from '#i18n/comparison.ts';
import { markerWords } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { DemoBadge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { DirectionBadge } from './figures.tsx';

/** Comparisons, the newest first, each with its sentence. */
export function ComparisonTable({ ui, comparisons }: { ui: Ui; comparisons: Comparison[] }) {
  const { t } = ui;
  return (
    <Table
      label={t('comparison.title')}
      rows={comparisons}
      rowKey={({ id }) => id}
      className="panel"
      columns={[
        {
          key: 'title',
          head: t('comparison.one'),
          cell: ({ id, title, demo }) => (
            <span className="flex flex-wrap items-center gap-2">
              <Link href={`/comparisons/${id}`} prefetch={false} className="link font-medium">
                {markerWords(ui, { demo, title }).title}
              </Link>
              {demo ? <DemoBadge ui={ui} /> : null}
            </span>
          ),
          rowHead: true,
          className: 'whitespace-normal',
        },
        { key: 'target', head: t('comparison.target'), cell: ({ targetName }) => targetName, wideOnly: true },
        {
          key: 'verdict',
          head: t('comparison.status'),
          cell: ({ headline }) => {
            const direction = headline && sentenceDirection(headline);
            return (
              <span className="flex flex-wrap items-baseline gap-2">
                {direction ? <DirectionBadge ui={ui} direction={direction} /> : null}
                {headline ? verdictText(ui, headline) : t('comparison.waitingShort')}
              </span>
            );
          },
          className: 'whitespace-normal',
        },
        {
          key: 'at',
          head: t('comparison.after'),
          cell: ({ after }) => <Time ui={ui} at={after.from} detail="minute" />,
          wideOnly: true,
        },
      ]}
    />
  );
}
