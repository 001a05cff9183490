import type { Metadata } from 'next';
import { TILE_PLACES } from '#components/charts/map-layout.ts';
import { CarrierCards } from '#components/target/carrier-cards.tsx';
import { heatScale } from '#components/target/heat.ts';
import { MapPanel } from '#components/target/map-panel.tsx';
import { MatrixTable } from '#components/target/matrix-table.tsx';
import { regressedCells, worstCells } from '#components/target/rows.ts';
import { TopList } from '#components/target/top-list.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { Figure } from '#components/ui/figure.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { findTarget } from '../../find.ts';
import { type TargetFigures, targetFigures } from './figures.ts';
import { openTargetPage, TargetFrame, type TargetPage, type TargetPageProps } from './target-frame.tsx';

export async function generateMetadata({ params }: TargetPageProps): Promise<Metadata> {
  return { title: (await findTarget((await params).id))?.name };
}

const TOP = 5;
/** Seconds between refreshes: sooner while the first results are awaited. */
const EAGER_SECONDS = 3;
const CALM_SECONDS = 15;
/** Afterwards an empty cell is a place without a vantage, not one that is awaited. */
const YOUNG_MS = 10 * 60_000;

/** A target by region and carrier: figures, carriers, map, the worst, and the matrix. */
export default async function TargetOverviewPage(props: TargetPageProps) {
  const page = await openTargetPage(props);
  const figures = await targetFigures(page.ui, page.target.id, page.filter);
  const empty = figures.matrix.margins.all.n === 0 && figures.carriers.every((carrier) => carrier.n === 0);
  const filling = figures.matrix.cells.some((cell) => cell.n === 0);
  const young = Date.now() - Date.parse(page.target.createdAt) < YOUNG_MS;
  return (
    <TargetFrame page={page} view="overview">
      {empty ? (
        <Empty title={page.ui.t('target.emptyTitle')} text={page.ui.t('target.emptyText')} />
      ) : (
        <Overview page={page} figures={figures} />
      )}
      <LiveRefresh seconds={young && (empty || filling) ? EAGER_SECONDS : CALM_SECONDS} />
    </TargetFrame>
  );
}

function Overview({ page, figures: { matrix, figures, carriers } }: { page: TargetPage; figures: TargetFigures }) {
  const { ui, path, filter } = page;
  const { t } = ui;
  const scale = heatScale(
    matrix.cells.flatMap((cell) => (cell.value === null ? [] : [cell.value])),
    matrix.unit,
  );
  const shared = { ui, path, filter, matrix };
  return (
    <>
      <section aria-label={t('target.figures')}>
        <dl className="panel mb-4 grid grid-cols-2 divide-line sm:grid-cols-3 lg:grid-cols-5 lg:divide-x">
          {figures.map((figure) => (
            <Figure key={figure.label} ui={ui} figure={figure} />
          ))}
        </dl>
      </section>
      <CarrierCards ui={ui} path={path} filter={filter} carriers={carriers} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        {matrix.regions.some((region) => TILE_PLACES.has(region)) ? (
          <div className="lg:row-span-2">
            <MapPanel {...shared} scale={scale} />
          </div>
        ) : null}
        <TopList {...shared} title={t('target.worst')} empty={t('common.noData')} cells={worstCells(matrix, TOP)} />
        <TopList
          {...shared}
          title={t('target.regressed')}
          empty={t('target.noRegressed')}
          cells={regressedCells(matrix, TOP)}
        />
      </div>
      <MatrixTable {...shared} scale={scale} />
      {matrix.unclean > 0 ? <p className="mt-2 text-muted">{t('common.unclean', { n: matrix.unclean })}</p> : null}
    </>
  );
}
