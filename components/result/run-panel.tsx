import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Result } from '#contract/result.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Column, Table } from '../ui/table.tsx';
import { OutcomeBadge } from './result-table.tsx';
import { StapleBadge } from './staple-badge.tsx';

type Props = { ui: Ui; run: Result[]; shown: Result };

/** The handshakes of one run side by side: what a returning visitor is spared, what another certificate costs. */
export function RunPanel({ ui, run, shown }: Props) {
  const { t } = ui;
  if (run.length < 2) return null;
  return (
    <section className="panel min-w-0 p-4">
      <h2>{t('result.variants')}</h2>
      <Saved ui={ui} run={run} />
      <Table
        label={t('result.variants')}
        caption={t('result.variantsCaption')}
        className="mt-2"
        rows={rowsOf(ui, run)}
        rowKey={([name]) => name}
        columns={[
          { key: 'name', head: null, cell: ([name]) => name, rowHead: true, className: 'whitespace-nowrap' },
          ...run.map(
            (result): Column<Row> => ({
              key: result.id,
              head: (
                <VariantLink ui={ui} result={result} name={nameOf(ui, run, result)} current={result.id === shown.id} />
              ),
              cell: ([, cell]) => cell(result) ?? t('common.noValue'),
              numeric: true,
            }),
          ),
        ]}
      />
    </section>
  );
}

/** Of several redirects each has its number. */
function nameOf({ t }: Ui, run: Result[], result: Result): string {
  const name = t(`variant.${result.variant ?? 'main'}`);
  const redirects = run.filter(({ variant }) => variant === 'redirect');
  return redirects.length > 1 && redirects.includes(result) ? `${name} ${redirects.indexOf(result) + 1}` : name;
}

type VariantLinkProps = { ui: Ui; result: Result; name: string; current: boolean };

function VariantLink({ ui, result, name, current }: VariantLinkProps) {
  const { t } = ui;
  const variant = result.variant ?? 'main';
  if (current)
    return <span aria-current="page">{t('common.withNote', { label: name, note: t('result.thisOne') })}</span>;
  return (
    <Link href={`/results/${result.id}`} prefetch={false} className="link" title={t(`variantDef.${variant}`)}>
      {name}
    </Link>
  );
}

type Cell = (result: Result) => ReactNode;
type Row = [name: string, cell: Cell];

function rowsOf(ui: Ui, run: Result[]): Row[] {
  const { t, locale } = ui;
  const [first] = run;
  const elsewhere = run.some(({ url }) => url !== first?.url);
  const time = (value: number | null | undefined) => (value == null ? null : formatQuantity(ui, value, 'ms'));
  return [
    [t('results.outcome'), (result) => <OutcomeBadge ui={ui} result={result} />],
    ...(elsewhere ? [[t('result.url'), ({ url }) => <ShortUrl url={url} />] satisfies Row] : []),
    [t('result.status'), ({ http }) => http?.status],
    [t('metric.tcp'), ({ phases }) => time(phases.tcp)],
    [t('metric.tls'), ({ phases }) => <strong>{time(phases.tls) ?? t('common.noValue')}</strong>],
    [t('metric.roundTrips'), ({ tls }) => trips(ui, tls?.handshake.roundTrips)],
    [t('metric.firstByte'), ({ phases }) => time(phases.firstByte)],
    [t('metric.total'), ({ phases }) => time(phases.total)],
    [t('results.tlsVersion'), ({ tls }) => tls?.version],
    [t('result.resumed'), ({ tls }) => (tls ? t(tls.resumed ? 'common.yes' : 'common.no') : null)],
    [t('result.certificateKind'), ({ tls }) => certificateKind(tls?.certificate)],
    [
      t('results.staple'),
      ({ tls }) => (tls ? <StapleBadge ui={ui} status={tls.staple.status} why={tls.staple.why} /> : null),
    ],
    [t('result.bytesIn'), ({ tls }) => (tls ? formatNumber(locale, tls.handshake.bytesIn) : null)],
  ];
}

/** The end of a long address, which tells redirects apart; all of it one hover away. */
const ShortUrl = ({ url }: { url: string }) => (
  <span title={url} dir="rtl" className="inline-block max-w-52 truncate align-bottom">
    <bdi dir="ltr">{url.replace(/^https:\/\//, '')}</bdi>
  </span>
);

const trips = (ui: Ui, count: number | null | undefined) =>
  count == null ? null : formatQuantity(ui, count, 'roundTrips');

const certificateKind = (certificate: NonNullable<Result['tls']>['certificate'] | undefined) =>
  certificate ? `${certificate.keyType.toUpperCase()} ${certificate.keyBits ?? ''}` : null;

/** What resuming saves, where both the full and the resumed handshake went well, and neither waited for our own work. */
function Saved({ ui, run }: { ui: Ui; run: Result[] }) {
  const { t } = ui;
  const full = run.find(({ variant = 'main' }) => variant === 'main');
  const resumed = run.find(({ variant, tls }) => variant === 'resumed' && tls?.resumed);
  if (!full?.ok || !resumed?.ok || full.phases.tls === null || resumed.phases.tls === null) return null;
  if (!full.prober.clean || !resumed.prober.clean) return null;
  const saved = full.phases.tls - resumed.phases.tls;
  const fewer = (full.tls?.handshake.roundTrips ?? 0) - (resumed.tls?.handshake.roundTrips ?? 0);
  return (
    <p className="mt-1">
      {saved > 0
        ? t('result.resumptionSaves', { time: formatQuantity(ui, saved, 'ms'), n: Math.max(0, fewer) })
        : t('result.resumptionSavesNothing')}
    </p>
  );
}
