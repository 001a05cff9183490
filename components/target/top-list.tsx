import Link from 'next/link';
import type { Matrix } from '#contract/query.ts';
import { locationName } from '#i18n/names.ts';
import { formatNumber } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Filter, filterHref } from '../filters/filter.ts';
import { ChangeBadge } from '../ui/change.tsx';
import type { RankedCell } from './matrix-rows.ts';
import { cellText } from './matrix-table.tsx';

type Props = {
  ui: Ui;
  path: string;
  filter: Filter;
  matrix: Matrix;
  title: string;
  empty: string;
  cells: RankedCell[];
};

/** A few lines worth a look, each with the way to its trend and its single results. */
export function TopList({ ui, path, filter, matrix, title, empty, cells }: Props) {
  const { t } = ui;
  return (
    <section className="panel min-w-0 p-4">
      <h2>{title}</h2>
      {cells.length === 0 ? <p className="mt-2 text-muted">{empty}</p> : null}
      <ol className="mt-1.5">
        {cells.map((cell) => {
          const name = locationName(ui, cell.region, cell.carrier);
          const count = t('common.n', { n: formatNumber(ui.locale, cell.n) });
          const narrowed = { regions: [cell.region], carriers: [cell.carrier] };
          return (
            <li key={name} className="flex items-center gap-2 border-line border-t py-1.5 first:border-t-0">
              <Link
                href={filterHref(`${path}/trend`, filter, narrowed)}
                prefetch={false}
                className="link min-w-0 flex-1 truncate"
              >
                {name}
              </Link>
              <span className="font-semibold tabular-nums">{cellText(ui, matrix, cell)}</span>
              <ChangeBadge ui={ui} change={cell.compare?.change} unit={matrix.unit} against={filter.against} />
              <Link
                href={filterHref(`${path}/results`, filter, narrowed)}
                prefetch={false}
                className="link text-[0.86rem]"
                aria-label={`${t('target.toResults')}${t('punctuation.colon')}${name}${t('punctuation.comma')}${count}`}
                title={t('common.nDef')}
              >
                {count}
              </Link>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
