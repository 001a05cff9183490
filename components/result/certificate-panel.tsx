import { type Certificate, expirySeverity } from '#contract/certificate.ts';
import type { ResultTls } from '#contract/tls.ts';
import { formatNumber } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Facts } from './facts.tsx';
import { SentChainDetails } from './sent-chain.tsx';

const DAY_MS = 86_400_000;
const NAMES_SHOWN = 6;

/** The server's certificate as this result saw it; `at` is when (RFC 3339), from which the days left are counted. */
export function CertificatePanel({ ui, tls, at }: { ui: Ui; tls: ResultTls | null; at: string }) {
  const { t, locale } = ui;
  const title = t('result.certificate');
  const certificate = tls?.certificate;
  if (!certificate)
    return <Facts title={title} facts={[]} empty={t(tls?.resumed ? 'result.noneResumed' : 'result.noCertificate')} />;
  const { chainLength, chainBytes } = certificate;
  return (
    <Facts
      title={title}
      facts={[
        { term: t('result.subject'), value: certificate.subject },
        { term: t('result.issuer'), value: certificate.issuer },
        { term: t('result.valid'), value: <Validity ui={ui} certificate={certificate} at={at} /> },
        { term: t('result.key'), value: keyOf(ui, certificate) },
        {
          term: t('result.signature'),
          definition: t('result.signatureDef'),
          value: certificate.signature ?? null,
        },
        chainLength === null
          ? null
          : {
              term: t('result.chain'),
              value: t('result.chainText', {
                length: chainLength,
                bytes: chainBytes === null ? t('common.noValue') : formatNumber(locale, chainBytes),
              }),
            },
        { term: t('result.verified'), value: <Verified ui={ui} certificate={certificate} /> },
        { term: t('result.mustStaple'), value: t(certificate.mustStaple ? 'common.yes' : 'common.no') },
        { term: t('result.ocspUrl'), value: certificate.ocspUrl ?? t('common.none') },
        { term: t('result.names'), value: <Names ui={ui} certificate={certificate} /> },
        {
          term: t('result.fingerprint'),
          value: <span className="break-all font-mono text-[0.86em]">{certificate.sha256}</span>,
        },
      ]}
    >
      {certificate.sent === undefined ? null : <SentChainDetails ui={ui} sent={certificate.sent} />}
    </Facts>
  );
}

const keyOf = ({ t }: Ui, { keyType, keyBits }: Certificate) =>
  keyBits === null ? keyType : t('result.keyBits', { type: keyType.toUpperCase(), bits: String(keyBits) });

/** The first names; the others behind a click, since a certificate may carry hundreds. */
function Names({ ui, certificate: { names, namesTotal } }: { ui: Ui; certificate: Certificate }) {
  const others = names.slice(NAMES_SHOWN);
  return (
    <>
      {names.slice(0, NAMES_SHOWN).join(', ')}
      {others.length === 0 ? null : (
        <details className="mt-1">
          <summary className="cursor-pointer text-accent">{ui.t('result.moreNames', { n: others.length })}</summary>
          {others.join(', ')}
        </details>
      )}
      {namesTotal === undefined ? null : (
        <p className="mt-1 text-muted">
          {ui.t('result.namesCut', {
            total: formatNumber(ui.locale, namesTotal),
            kept: formatNumber(ui.locale, names.length),
          })}
        </p>
      )}
    </>
  );
}

function Verified({ ui, certificate }: { ui: Ui; certificate: Certificate }) {
  if (certificate.verified) return <Badge tone="good">{ui.t('common.yes')}</Badge>;
  return (
    <>
      <Badge tone="bad">{ui.t('common.no')}</Badge> <span lang="en">{certificate.verifyError}</span>
    </>
  );
}

function Validity({ ui, certificate: { notBefore, notAfter }, at }: { ui: Ui; certificate: Certificate; at: string }) {
  const { t, timeZone } = ui;
  if (!notBefore || !notAfter) return t('common.noValue');
  const days = Math.floor((Date.parse(notAfter) - Date.parse(at)) / DAY_MS);
  const soon = expirySeverity(notBefore, notAfter, Date.parse(at));
  const tone = days < 0 || soon === 'critical' ? 'bad' : soon ? 'warn' : 'plain';
  return (
    <>
      {t('result.validRange', {
        from: formatTime(notBefore, timeZone, 'minute'),
        to: formatTime(notAfter, timeZone, 'minute'),
      })}{' '}
      <Badge tone={tone}>{days < 0 ? t('result.expired', { days: -days }) : t('result.expires', { days })}</Badge>
    </>
  );
}
