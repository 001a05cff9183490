import type { WireRecord } from '#contract/tls.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Bar } from '../ui/bar.tsx';
import { Table } from '../ui/table.tsx';

/** Every TLS record of the handshake in the order of its arrival; a bar shows when. */
export function WireRecords({ ui, records }: { ui: Ui; records: WireRecord[] }) {
  const { t } = ui;
  const first = records[0]?.atMs ?? 0;
  const span = Math.max((records.at(-1)?.atMs ?? 0) - first, 0.001);
  return (
    <div className="panel p-4">
      <h2>{t('result.records')}</h2>
      {records.length === 0 ? (
        <p className="mt-2 text-muted">{t('result.noRecords')}</p>
      ) : (
        <Table
          label={t('result.records')}
          caption={t('result.recordsCaption')}
          density="dense"
          className="mt-2 max-h-96"
          rows={records}
          rowKey={(_record, index) => String(index)}
          columns={[
            { key: 'at', head: t('result.at'), cell: ({ atMs }) => formatQuantity(ui, atMs, 'ms'), numeric: true },
            {
              key: 'direction',
              head: t('result.direction'),
              cell: ({ direction }) => (
                <>
                  <span aria-hidden="true">{direction === 'in' ? '← ' : '→ '}</span>
                  {t(`result.${direction}`)}
                </>
              ),
              className: 'whitespace-nowrap',
            },
            { key: 'type', head: t('result.type'), cell: ({ type }) => type, className: 'font-mono text-[0.92em]' },
            {
              key: 'size',
              head: t('result.size'),
              cell: ({ bytes }) => `${formatNumber(ui.locale, bytes)} ${t('unit.bytes')}`,
              numeric: true,
            },
            {
              key: 'bar',
              head: t('result.at'),
              hiddenHead: true,
              cell: ({ atMs, direction }) => (
                <Bar
                  className="h-3 rounded bg-raised"
                  spans={[{ from: (atMs - first) / span, token: direction === 'in' ? '--phase-tls' : '--phase-tcp' }]}
                />
              ),
              className: 'w-1/3',
            },
          ]}
        />
      )}
    </div>
  );
}
