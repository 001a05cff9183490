import type { SentChain } from '#contract/certificate.ts';
import { formatNumber } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
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
      <ScrollBox label={summary} className="mt-2">
        <table className="table">
          <thead>
            <tr>
              <th scope="col" className="num">
                {t('result.chainOrder')}
              </th>
              <th scope="col">{t('result.subject')}</th>
              <th scope="col">{t('result.key')}</th>
              <th scope="col">{t('result.validTo')}</th>
              <th scope="col" className="num">
                {t('result.size')}
              </th>
            </tr>
          </thead>
          <tbody>
            {certificates.map((certificate, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a chain may hold one certificate twice; its order is fixed
              <tr key={index}>
                <td className="num">{index + 1}</td>
                <td className="min-w-40" title={`${t('result.issuer')}: ${certificate.issuer}\n${certificate.sha256}`}>
                  {certificate.subject}
                </td>
                <td className="whitespace-nowrap">
                  {certificate.keyType.toUpperCase()} {certificate.keyBits}
                </td>
                <td className="whitespace-nowrap tabular-nums">
                  {certificate.notAfter === null
                    ? t('common.noValue')
                    : formatTime(certificate.notAfter, ui.timeZone, 'minute')}
                </td>
                <td className="num">
                  {formatNumber(locale, certificate.bytes)} {t('unit.bytes')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </More>
  );
}
