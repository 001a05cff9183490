import type { SentChain } from '#contract/certificate.ts';
import { formatNumber } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { More } from './facts.tsx';

/** The chain in the order in which the server sent it, and what is odd about it; null where the wire did not tell. */
export function SentChainDetails({ ui, sent }: { ui: Ui; sent: SentChain | null }) {
  const { t, locale } = ui;
  if (!sent) return <p className="mt-3 border-line border-t pt-2 text-muted">{t('result.sentChainUnknown')}</p>;
  const { certificates, messageBytes, problems } = sent;
  const summary = t('result.sentChain', { length: certificates.length, bytes: formatNumber(locale, messageBytes) });
  return (
    <More
      summary={
        <>
          {summary}
          {problems.map((problem) => (
            <span key={problem} className="ml-1.5">
              <Badge tone="warn">{t(`chainProblem.${problem}`)}</Badge>
            </span>
          ))}
        </>
      }
    >
      <Table
        label={summary}
        className="mt-2"
        rows={certificates}
        rowKey={(_certificate, index) => String(index)}
        columns={[
          {
            key: 'order',
            head: t('result.chainOrder'),
            cell: (_certificate, index) => index + 1,
            numeric: true,
          },
          {
            key: 'subject',
            head: t('result.subject'),
            cell: ({ subject }) => subject,
            className: 'min-w-40',
            title: ({ issuer, sha256 }) => `${t('result.issuer')}: ${issuer}\n${sha256}`,
          },
          {
            key: 'key',
            head: t('result.key'),
            cell: ({ keyType, keyBits }) => `${keyType.toUpperCase()} ${keyBits ?? ''}`,
            className: 'whitespace-nowrap',
          },
          {
            key: 'validTo',
            head: t('result.validTo'),
            cell: ({ notAfter }) =>
              notAfter === null ? t('common.noValue') : formatTime(notAfter, ui.timeZone, 'minute'),
            className: 'whitespace-nowrap tabular-nums',
          },
          {
            key: 'size',
            head: t('result.size'),
            cell: ({ bytes }) => `${formatNumber(locale, bytes)} ${t('unit.bytes')}`,
            numeric: true,
          },
        ]}
      />
    </More>
  );
}
