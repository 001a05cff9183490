import type { ComparisonDetail, ComparisonFigures } from '#contract/comparison.ts';
import { verdictText } from '#i18n/comparison.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { DistributionChart } from '../charts/distribution-chart.tsx';
import { Table } from '../ui/table.tsx';
import { Attribution, Controls, PhasesCompared, Shares } from './causes.tsx';
import { CellEffects, MilestoneEffects, VantageEffects, VariantEffects } from './effects.tsx';
import { Part } from './figures.tsx';

/** `named`: whether the reader may know the names of vantages and other targets, and other markers. */
type Props = { ui: Ui; comparison: ComparisonDetail; named: boolean };

/** A comparison: its verdict in one sentence, and below what it rests on. */
export function ComparisonView({ ui, comparison, named }: Props) {
  const { figures } = comparison;
  return (
    <>
      <Verdict ui={ui} comparison={comparison} named={named} />
      {figures ? (
        <>
          <MilestoneEffects ui={ui} figures={figures} />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-x-4 lg:grid-cols-2 print:block">
            <Attribution ui={ui} figures={figures} />
            <Controls ui={ui} figures={figures} named={named} />
          </div>
          <CellEffects ui={ui} figures={figures} />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-x-4 lg:grid-cols-2 print:block">
            <PhasesCompared ui={ui} figures={figures} />
            <Shares ui={ui} figures={figures} />
          </div>
          <VariantEffects ui={ui} figures={figures} />
          <Distribution ui={ui} figures={figures} />
          <VantageEffects ui={ui} figures={figures} named={named} />
        </>
      ) : null}
    </>
  );
}

function Verdict({ ui, comparison, named }: Props) {
  const { t, timeZone } = ui;
  const { headline, before, after } = comparison;
  const span = ({ from, to }: { from: string; to: string }) =>
    t('comparison.window', {
      from: formatTime(from, timeZone, 'minute'),
      to: formatTime(to, timeZone, 'minute'),
      minutes: Math.round((Date.parse(to) - Date.parse(from)) / 60_000),
    });
  return (
    <section className="panel mb-4 p-4" aria-label={t('comparison.sentenceLabel')}>
      <p className="font-semibold text-[1.1rem]">
        {headline
          ? verdictText(ui, headline, named)
          : t('comparison.waiting', { time: formatTime(comparison.dueAt, timeZone, 'minute') })}
      </p>
      <dl className="mt-2 grid grid-cols-[max-content_1fr] gap-x-3 text-muted">
        <dt>{t('comparison.before')}</dt>
        <dd>{span(before)}</dd>
        <dt>{t('comparison.after')}</dt>
        <dd>{span(after)}</dd>
      </dl>
    </section>
  );
}

const TABLE = 'distribution-table';

function Distribution({ ui, figures }: { ui: Ui; figures: ComparisonFigures }) {
  const { t, locale } = ui;
  const { distribution } = figures;
  const milestone = t(`comparison.milestone.${figures.milestone}`);
  const line = (side: 'before' | 'after', token: string, dash: number[]) => ({
    name: t(`comparison.${side}`),
    token,
    dash,
    points: distribution.map((each): [number, number] => [each[side], each.quantile]),
  });
  return (
    <Part id="distribution" title={t('comparison.distribution')} note={t('comparison.distributionNote', { milestone })}>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <DistributionChart
          input={{
            lines: [line('before', '--muted', [6, 4]), line('after', '--accent', [])],
            locale,
            value: `${milestone} (ms)`,
            share: `${t('comparison.quantile')} (%)`,
          }}
          label={t('comparison.distribution')}
          describedBy={TABLE}
        />
        <Table
          id={TABLE}
          label={t('comparison.distribution')}
          density="dense"
          rows={distribution}
          rowKey={({ quantile }) => String(quantile)}
          columns={[
            {
              key: 'quantile',
              head: t('comparison.quantile'),
              cell: ({ quantile }) => `${formatNumber(locale, 100 * quantile)}%`,
              rowHead: true,
            },
            {
              key: 'before',
              head: `${t('comparison.before')} - -`,
              cell: ({ before }) => formatQuantity(ui, before, 'ms'),
              numeric: true,
            },
            {
              key: 'after',
              head: `${t('comparison.after')} —`,
              cell: ({ after }) => formatQuantity(ui, after, 'ms'),
              numeric: true,
            },
          ]}
        />
      </div>
    </Part>
  );
}
