import type { MeasurementVantage } from '#contract/measurement.ts';
import { carrierFull, carrierName, regionName } from '#i18n/names.ts';
import { quantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { type HeatScale, heatOf } from '../target/heat.ts';
import { Define } from '../ui/define.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { byCarrier, failureText, hasFailed, isOpen, stateText, timeOf } from './answer.ts';

type Props = { ui: Ui; id: string; vantages: MeasurementVantage[]; scale: HeatScale };

/** TLS times by region and carrier; of several vantages in a cell the slowest, or one that failed. */
export function AnswerMatrix({ ui, id, vantages, scale }: Props) {
  const { t } = ui;
  const regions = [...new Set(vantages.map(({ vantage }) => vantage.region))];
  const carriers = [...new Set(vantages.map(({ vantage }) => vantage.carrier))].toSorted(byCarrier);
  return (
    <section className="panel">
      <h2 className="px-4 pt-3">
        <Define term={t('measurement.matrix', { metric: t('metric.tls') })} definition={t('metricDef.tls')} />
      </h2>
      <ScrollBox label={t('measurement.matrix', { metric: t('metric.tls') })} className="px-4 pb-3">
        <table id={id} className="mt-2 w-full border-separate border-spacing-[3px]">
          <thead>
            <tr className="text-left text-muted">
              <th scope="col" className="px-2 py-1 font-medium">
                {t('filter.region')}
              </th>
              {carriers.map((carrier) => (
                <th key={carrier} scope="col" className="px-2 py-1 font-medium" title={carrierFull(ui, carrier)}>
                  {carrierName(ui, carrier)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {regions.map((region) => (
              <tr key={region}>
                <th scope="row" className="whitespace-nowrap px-2 text-left font-medium" title={region}>
                  {regionName(ui, region)}
                </th>
                {carriers.map((carrier) => (
                  <MatrixCell key={carrier} ui={ui} scale={scale} each={worstOf(vantages, region, carrier)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

function worstOf(vantages: MeasurementVantage[], region: string, carrier: string): MeasurementVantage | null {
  const rank = (each: MeasurementVantage) =>
    each.state === 'failed' ? Number.POSITIVE_INFINITY : (timeOf(each) ?? -1);
  const here = vantages.filter(({ vantage }) => vantage.region === region && vantage.carrier === carrier);
  return here.toSorted((a, b) => rank(b) - rank(a))[0] ?? null;
}

type CellProps = { ui: Ui; scale: HeatScale; each: MeasurementVantage | null };

function MatrixCell({ ui, scale, each }: CellProps) {
  const shared = 'rounded-md px-2 py-1 tabular-nums';
  if (each === null) return <td className={shared} />;
  if (hasFailed(each))
    return (
      <td className={`${shared} bg-bad-soft text-bad`} title={failureText(ui, each) ?? undefined}>
        <span aria-hidden="true">✕</span> {ui.t('common.failed')}
      </td>
    );
  const time = timeOf(each);
  const heat = heatOf(scale, time);
  if (time === null)
    return (
      <td className={`${shared} bg-raised text-muted`} title={stateText(ui, each)}>
        <span aria-hidden="true">{isOpen(each) ? '…' : ui.t('common.noValue')}</span>
        <span className="sr-only">{stateText(ui, each)}</span>
      </td>
    );
  return (
    <td className={`${shared} ${heat === null ? 'bg-raised' : `heat-${heat}`} font-semibold`}>
      {quantity(ui, time, 'ms').text}
    </td>
  );
}
