import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Measurement, MeasurementVantage } from '#contract/measurement.ts';
import { locationName } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import type { MapView } from '../filters/filter.ts';
import { heatScale } from '../target/heat.ts';
import { Badge } from '../ui/badge.tsx';
import { LiveRefresh } from '../ui/live-refresh.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { answeredOf, byKnownOrder, failuresText, failureText, stateText, timeOf } from './answer.ts';
import { AnswerAddresses } from './answer-addresses.tsx';
import { AnswerMap } from './answer-map.tsx';
import { AnswerMatrix } from './answer-matrix.tsx';

/** `named`: whether the reader may know the names of vantages, and go to their answers. */
type Props = { ui: Ui; measurement: Measurement; named: boolean };
type ViewProps = Props & { map: MapView; children: ReactNode };

const MATRIX_ID = 'answers';

/** The answers of a measurement: how far it is, what is to be said of them all, where, by address, and a row for each vantage. */
export function MeasurementView({ ui, measurement: answered, named, map, children }: ViewProps) {
  const measurement = { ...answered, vantages: answered.vantages.toSorted(byKnownOrder) };
  const { vantages } = measurement;
  const scale = heatScale(
    vantages.flatMap((each) => timeOf(each) ?? []),
    'ms',
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Progress ui={ui} measurement={measurement} named={named} />
      {children}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid gap-4">
          <AnswerMap ui={ui} map={map} vantages={vantages} scale={scale} describedBy={MATRIX_ID} />
          <AnswerAddresses ui={ui} vantages={vantages} />
        </div>
        <AnswerMatrix ui={ui} id={MATRIX_ID} vantages={vantages} scale={scale} />
      </div>
      <AnswerTable ui={ui} measurement={measurement} named={named} />
    </div>
  );
}

/** The events of a measurement are for those who may read: for others the page is reloaded. */
const REFRESH_SECONDS = 5;

function Progress({ ui, measurement: { id, finished, counts, cancelledAt, vantages }, named }: Props) {
  const { t } = ui;
  const answered = answeredOf(vantages);
  const failures = failuresText(ui, vantages);
  const state = cancelledAt ? 'cancelled' : finished ? 'finished' : 'running';
  return (
    <div className="panel grid gap-2 p-4">
      <p className="flex flex-wrap gap-x-2 font-semibold text-[1.2rem] tabular-nums" role="status">
        <span>{t('measurement.progress', { answered, total: counts.total })}</span>
        {failures === null ? null : <span className="text-bad">{failures}</span>}
        <span className="text-muted">{t(`measurement.${state}`)}</span>
      </p>
      {finished ? null : <LiveRefresh {...(named ? { follow: { measurement: id } } : { seconds: REFRESH_SECONDS })} />}
      <progress className={BAR} max={counts.total} value={answered} aria-label={t('measurement.title')} />
    </div>
  );
}

/** The browser's own bar in the colours of the theme. */
const BAR =
  'h-2 w-full appearance-none overflow-hidden rounded-full bg-raised forced-color-adjust-none [&::-moz-progress-bar]:bg-accent ' +
  '[&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent';

const PHASES = ['dns', 'tcp', 'tls', 'firstByte', 'total'] as const;

function AnswerTable({ ui, measurement: { id, vantages }, named }: Props) {
  const { t } = ui;
  const phases = PHASES.map(
    (phase): Column<MeasurementVantage> => ({
      key: phase,
      head: t(`metric.${phase}`),
      cell: ({ result }) => formatQuantity(ui, result?.phases[phase] ?? null, 'ms'),
      numeric: true,
      className: phase === 'tls' ? 'font-semibold' : '',
    }),
  );
  return (
    <Table
      label={t('measurement.answers')}
      className="panel"
      density="dense"
      rows={vantages}
      rowKey={({ vantage }) => vantage.id}
      columns={[
        {
          key: 'vantage',
          head: t('results.vantage'),
          cell: (each) =>
            each.result && named ? (
              <Link href={`/probe/${id}/${each.vantage.id}`} prefetch={false} className="link">
                {vantageName(ui, each)}
              </Link>
            ) : (
              vantageName(ui, each)
            ),
          title: ({ vantage }) => vantage.name || undefined,
          className: 'whitespace-nowrap',
          rowHead: true,
        },
        ...phases,
        { key: 'alpn', head: t('results.alpn'), cell: ({ result }) => result?.tls?.alpn ?? t('common.noValue') },
        {
          key: 'tlsVersion',
          head: t('results.tlsVersion'),
          cell: ({ result }) => result?.tls?.version ?? t('common.noValue'),
          className: 'whitespace-nowrap',
        },
        { key: 'outcome', head: t('results.outcome'), cell: (each) => <Outcome ui={ui} each={each} /> },
      ]}
    />
  );
}

function Outcome({ ui, each }: { ui: Ui; each: MeasurementVantage }) {
  const { t } = ui;
  if (each.state === 'done')
    return (
      <Badge tone="good">
        <span aria-hidden="true">✓</span> {t('common.ok')}
      </Badge>
    );
  const failure = failureText(ui, each);
  if (failure === null || each.reason === 'cancelled') return <span className="text-muted">{stateText(ui, each)}</span>;
  return (
    <Badge tone={each.result?.failure?.source === 'target' ? 'bad' : 'warn'} title={each.result?.failure?.message}>
      <span aria-hidden="true">✕</span> {failure}
    </Badge>
  );
}

const vantageName = (ui: Ui, { vantage: { region, carrier } }: MeasurementVantage) => locationName(ui, region, carrier);
