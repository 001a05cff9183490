import type { ResultTls } from '#contract/tls.ts';
import { formatNumber } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Fact, FactList, Facts, More } from './facts.tsx';
import { handshakeFacts } from './handshake-facts.ts';

/** How the handshake went; what was offered, and what may be resumed, behind a click. */
export function HandshakePanel({ ui, tls }: { ui: Ui; tls: ResultTls | null }) {
  const { t } = ui;
  return (
    <Facts title={t('result.handshake')} facts={tls ? handshakeFacts(ui, tls) : []} empty={t('common.noData')}>
      {tls?.hellos ? (
        <More summary={t('result.hellos')}>
          <FactList facts={helloFacts(ui, tls.hellos)} />
        </More>
      ) : null}
      {tls?.session === undefined ? null : (
        <More summary={t('result.session')}>
          {tls.session ? (
            <FactList facts={sessionFacts(ui, tls.session)} />
          ) : (
            <p className="mt-2 text-muted">{t('result.sessionNone')}</p>
          )}
        </More>
      )}
    </Facts>
  );
}

function helloFacts({ t, locale }: Ui, hellos: NonNullable<ResultTls['hellos']>): Fact[] {
  const list = (names: string[]) => (names.length === 0 ? t('common.none') : names.join(', '));
  return [
    {
      term: t('result.helloBytes'),
      value: `${formatNumber(locale, hellos.clientBytes)} ${t('unit.bytes')}`,
    },
    { term: t('result.offeredVersions'), value: list(hellos.offeredVersions) },
    { term: t('result.offeredGroups'), value: list(hellos.offeredGroups) },
    { term: t('result.keyShares'), value: list(hellos.keyShares) },
    { term: t('result.offeredAlpn'), value: list(hellos.offeredAlpn) },
    {
      term: t('result.offeredCompression'),
      value: hellos.offeredCompression ? list(hellos.offeredCompression) : null,
    },
    { term: t('result.legacyVersion'), value: hellos.serverLegacyVersion },
  ];
}

function sessionFacts({ t, locale }: Ui, session: NonNullable<ResultTls['session']>): Fact[] {
  const { tickets, lifetimeSeconds, earlyDataBytes } = session;
  return [
    { term: t('result.tickets'), value: formatNumber(locale, tickets) },
    {
      term: t('result.lifetime'),
      value: lifetimeSeconds === null ? null : `${formatNumber(locale, lifetimeSeconds)} ${t('unit.seconds')}`,
    },
    {
      term: t('result.earlyData'),
      definition: t('result.earlyDataDef'),
      value:
        earlyDataBytes === 0 ? t('result.earlyDataNone') : `${formatNumber(locale, earlyDataBytes)} ${t('unit.bytes')}`,
    },
  ];
}
