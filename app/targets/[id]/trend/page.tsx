import type { Metadata } from 'next';
import { TrendPanel } from '#components/charts/trend-panel.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { type Stat, unitOf } from '#contract/vocabulary.ts';
import { findTarget } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { openTargetPage, TargetFrame, type TargetPage, type TargetPageProps } from '../target-frame.tsx';
import { carrierLines, MAX_LINES, percentileLines, phaseLines } from './lines.ts';

export async function generateMetadata({ params }: TargetPageProps): Promise<Metadata> {
  const [{ t }, target] = await Promise.all([requestUi(), findTarget((await params).id)]);
  return { title: target ? `${t('trend.title')} · ${target.name}` : undefined };
}

/** A target over time: the chosen metric by line, its percentiles, and what the time is made of. */
export default async function TrendPage(props: TargetPageProps) {
  const page = await openTargetPage(props);
  return (
    <TargetFrame page={page} view="trend">
      <Charts page={page} />
      <LiveRefresh seconds={60} />
    </TargetFrame>
  );
}

async function Charts({ page: { ui, target, filter } }: { page: TargetPage }) {
  const { t } = ui;
  const { metric, stat } = filter;
  // Counts and availability belong to a probe, not to a phase: the stack then shows medians.
  const phaseStat: Stat = stat === 'count' || stat === 'availability' ? 'p50' : stat;
  const [byLine, percentiles, phases] = await Promise.all([
    carrierLines(ui, target.id, filter),
    percentileLines(ui, target.id, filter, metric),
    phaseLines(ui, target.id, filter, phaseStat),
  ]);
  const json = (parameters: Record<string, string>) =>
    `/api/v1/series?${new URLSearchParams({ target: target.id, from: filter.from, to: filter.to, ...parameters })}`;
  const bridgeMs = 1_000 * Math.max(2.5 * target.periodSeconds, 1.5 * byLine.stepSeconds);
  const shared = { ui, from: filter.from, to: filter.to, bridgeMs };
  const names = { metric: t(`metric.${metric}`), stat: t(`stat.${stat}`) };
  const step = t('trend.step', { minutes: byLine.stepSeconds / 60 });
  const tooMany = byLine.hidden > 0 ? t('trend.tooMany', { n: MAX_LINES }) : '';
  return (
    <>
      <TrendPanel
        {...shared}
        id="lines-table"
        title={t('trend.lines', names)}
        definition={`${t(`metricDef.${metric}`)} ${t(`statDef.${stat}`)}`}
        note={[`${t('trend.gaps')} (${step})`, tooMany].filter(Boolean).join(' ')}
        unit={unitOf(metric, stat)}
        lines={byLine.lines}
        json={json({ metric, stat, groupBy: 'carrier' })}
      />
      <TrendPanel
        {...shared}
        id="phases-table"
        title={t('trend.phases')}
        definition={t('metricDef.total')}
        note={
          phaseStat === 'mean' ? t('trend.phasesNoteMean') : t('trend.phasesNote', { stat: t(`stat.${phaseStat}`) })
        }
        unit="ms"
        lines={phases.lines}
        stacked
        json={json({ metric: 'total', stat: phaseStat })}
      />
      <TrendPanel
        {...shared}
        id="percentiles-table"
        title={t('trend.percentiles', names)}
        definition={`${t(`metricDef.${metric}`)} ${t('statDef.p95')}`}
        note={t('statDef.p50')}
        unit={unitOf(metric, 'p50')}
        lines={percentiles.lines}
        json={json({ metric, stat: 'p95' })}
      />
    </>
  );
}
