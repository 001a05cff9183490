import { orderCarriers } from '#contract/location.ts';
import type { MeasurementVantage } from '#contract/measurement.ts';
import { medianOf } from '#contract/median.ts';
import { connectMsOf, type Result } from '#contract/result.ts';
import { carrierName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { StapleBadge } from '../result/staple-badge.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Address = { address: string; vantages: MeasurementVantage[]; results: Result[] };

/** Which of the server's addresses answered where, how far each is, and what it shows: the nearest first. */
export function AnswerAddresses({ ui, vantages }: { ui: Ui; vantages: readonly MeasurementVantage[] }) {
  const { t } = ui;
  const rows = addressesOf(vantages);
  if (rows.length === 0) return null;
  return (
    <section className="panel">
      <h2 className="px-4 pt-3">{t('measurement.addresses', { n: rows.length })}</h2>
      <Table
        label={t('measurement.addresses', { n: rows.length })}
        density="dense"
        rows={rows}
        rowKey={({ address }) => address}
        columns={[
          { key: 'address', head: t('measurement.address'), cell: ({ address }) => address, rowHead: true },
          {
            key: 'places',
            head: t('results.vantage'),
            cell: (row) => formatNumber(ui.locale, row.vantages.length),
            numeric: true,
          },
          {
            key: 'carriers',
            head: t('filter.carrier'),
            cell: (row) =>
              orderCarriers(row.vantages.map(({ vantage }) => vantage.carrier))
                .map((carrier) => carrierName(ui, carrier))
                .join(t('punctuation.list')),
          },
          {
            key: 'connect',
            head: t('metric.tcp'),
            cell: ({ results }) => formatQuantity(ui, connectOf(results), 'ms'),
            numeric: true,
            className: 'font-semibold',
          },
          {
            key: 'certificate',
            head: t('measurement.certificate'),
            cell: ({ results: [first] }) => {
              const certificate = first?.tls?.certificate;
              return certificate?.notAfter ? <Time ui={ui} at={certificate.notAfter} detail="minute" /> : null;
            },
            title: ({ results: [first] }) => first?.tls?.certificate?.issuer,
          },
          {
            key: 'staple',
            head: t('results.staple'),
            cell: ({ results: [first] }) =>
              first?.tls ? <StapleBadge ui={ui} status={first.tls.staple.status} why={first.tls.staple.why} /> : null,
          },
        ]}
      />
    </section>
  );
}

/** Median of the connects, ms. */
const connectOf = (results: readonly Result[]) => medianOf(results.flatMap((result) => connectMsOf(result) ?? []));

function addressesOf(vantages: readonly MeasurementVantage[]): Address[] {
  const answered = vantages.filter(({ result }) => result?.network.peerAddress);
  const groups = Map.groupBy(answered, ({ result }) => result?.network.peerAddress ?? '');
  const all = [...groups].map(([address, own]) => ({
    address,
    vantages: own,
    results: own.flatMap(({ result }) => result ?? []),
  }));
  return all.toSorted((a, b) => (connectOf(a.results) ?? Infinity) - (connectOf(b.results) ?? Infinity));
}
