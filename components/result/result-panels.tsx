import type { ReactNode } from 'react';
import type { Result } from '#contract/result.ts';
import { withAside } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { Time } from '../ui/time.tsx';
import { CertificatePanel } from './certificate-panel.tsx';
import { Facts } from './facts.tsx';
import { Findings } from './findings.tsx';
import { httpFacts, networkFacts, proberFacts } from './handshake-facts.ts';
import { HandshakePanel } from './handshake-panel.tsx';
import { RoundTripsPanel } from './round-trips-panel.tsx';
import { RunPanel } from './run-panel.tsx';
import { StapleBadge } from './staple-badge.tsx';
import { Waterfall } from './waterfall.tsx';
import { WireRecords } from './wire-records.tsx';

/** Panels one below the other, each as high as what it holds. */
const COLUMN = 'grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4';

type Props = {
  ui: Ui;
  result: Result;
  /** The handshakes of its check. */
  run: Result[];
  /** Another handshake that is laid over its time line, and the choice of one. */
  overlay?: { other: Result | null; choice: ReactNode };
};

/** One handshake with all its evidence. */
export function ResultPanels({ ui, result, run, overlay }: Props) {
  const { t } = ui;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Waterfall ui={ui} result={result} other={overlay?.other ?? null} choice={overlay?.choice ?? null} />
      {result.ok || result.findings.length > 0 ? <Findings ui={ui} findings={result.findings} /> : null}
      <RunPanel ui={ui} run={run} shown={result} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
        <div className={COLUMN}>
          <HandshakePanel ui={ui} tls={result.tls} />
          <CertificatePanel ui={ui} tls={result.tls} at={result.startedAt} />
        </div>
        <div className={COLUMN}>
          {result.roundTrips ? <RoundTripsPanel ui={ui} roundTrips={result.roundTrips} /> : null}
          <StaplePanel ui={ui} result={result} />
          <Facts title={t('result.http')} facts={httpFacts(ui, result)} empty={t('result.noHttp')} />
          <Facts title={t('result.network')} facts={networkFacts(ui, result)} empty={t('common.noData')} />
          <Facts title={t('result.prober')} facts={proberFacts(ui, result)} />
        </div>
      </div>
      <WireRecords ui={ui} records={result.tls?.wire ?? []} />
    </div>
  );
}

function StaplePanel({ ui, result }: { ui: Ui; result: Result }) {
  const { t } = ui;
  const staple = result.tls?.staple;
  const time = (at: string | null) => (at ? <Time ui={ui} at={at} /> : null);
  return (
    <Facts
      title={t('result.staple')}
      empty={t('common.noData')}
      facts={
        staple
          ? [
              {
                term: t('result.stapleStatus'),
                value: (
                  <>
                    <StapleBadge ui={ui} status={staple.status} />{' '}
                    {withAside(ui, t(`stapleDef.${staple.status}`), staple.why)}
                  </>
                ),
              },
              { term: t('result.thisUpdate'), value: time(staple.thisUpdate) },
              { term: t('result.nextUpdate'), value: time(staple.nextUpdate) },
              { term: t('result.size'), value: staple.bytes > 0 ? `${staple.bytes} ${t('unit.bytes')}` : null },
            ]
          : []
      }
    />
  );
}
