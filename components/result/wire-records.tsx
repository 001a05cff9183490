import type { WireRecord } from '#contract/tls.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ScrollBox } from '../ui/scroll-box.tsx';

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
        <ScrollBox label={t('result.records')} className="mt-2 max-h-96">
          <table className="table [&_td]:py-1 [&_th]:py-1">
            <caption className="sr-only">{t('result.recordsCaption')}</caption>
            <thead>
              <tr>
                <th scope="col" className="num">
                  {t('result.at')}
                </th>
                <th scope="col">{t('result.direction')}</th>
                <th scope="col">{t('result.type')}</th>
                <th scope="col" className="num">
                  {t('result.size')}
                </th>
                <th scope="col" className="w-1/3">
                  <span className="sr-only">{t('result.at')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {records.map((record, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: records have no identity but their order, which is fixed
                <tr key={index}>
                  <td className="num">{formatQuantity(ui, record.atMs, 'ms')}</td>
                  <td className="whitespace-nowrap">
                    <span aria-hidden="true">{record.direction === 'in' ? '← ' : '→ '}</span>
                    {t(`result.${record.direction}`)}
                  </td>
                  <td className="font-mono text-[0.92em]">{record.type}</td>
                  <td className="num">
                    {formatNumber(ui.locale, record.bytes)} {t('unit.bytes')}
                  </td>
                  <td aria-hidden="true">
                    <div className="relative h-3 rounded bg-raised">
                      <div
                        className="absolute inset-y-0 w-[3px] rounded"
                        style={{
                          left: `${((record.atMs - first) / span) * 98.5}%`,
                          background: record.direction === 'in' ? 'var(--phase-tls)' : 'var(--phase-tcp)',
                        }}
                      />
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </div>
  );
}
