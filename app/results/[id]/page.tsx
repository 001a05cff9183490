import { notFound } from 'next/navigation';
import { CertificatePanel } from '#components/result/certificate-panel.tsx';
import { Facts } from '#components/result/facts.tsx';
import { Findings } from '#components/result/findings.tsx';
import { httpFacts, networkFacts, proberFacts } from '#components/result/handshake-facts.ts';
import { HandshakePanel } from '#components/result/handshake-panel.tsx';
import { ResultHeader } from '#components/result/result-header.tsx';
import { RoundTripsPanel } from '#components/result/round-trips-panel.tsx';
import { RunPanel } from '#components/result/run-panel.tsx';
import { StapleBadge } from '#components/result/staple-badge.tsx';
import { Waterfall } from '#components/result/waterfall.tsx';
import { WireRecords } from '#components/result/wire-records.tsx';
import { Time } from '#components/ui/time.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import type { Result } from '#contract/result.ts';
import type { Ui } from '#i18n/ui.ts';
import { getRun } from '#server/results/results.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { DemoNotice } from '../../demo-notice.tsx';
import { findResult } from '../../find.ts';
import { requestUi } from '../../request-ui.ts';

type Props = { params: Promise<{ id: string }> };

export const generateMetadata = readerTitle(({ t }) => t('result.title'));

/** Panels one below the other, each as high as what it holds. */
const COLUMN = 'grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4';

/** One handshake with all its evidence. */
export default readerPage(async function ResultPage({ params }: Props) {
  const { id } = await params;
  const [ui, result] = await Promise.all([requestUi(), findResult(id)]);
  if (!result) notFound();
  const run = await getRun(result);
  const { t } = ui;
  return (
    <>
      {result.demo ? <DemoNotice /> : null}
      <ResultHeader ui={ui} result={result} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Waterfall ui={ui} result={result} />
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
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
        <ZoneNote ui={ui} />
        <a href={`/api/v1/results/${result.id}`} className="link">
          {t('result.raw')}
        </a>
      </div>
    </>
  );
});

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
                    <StapleBadge ui={ui} status={staple.status} /> {t(`stapleDef.${staple.status}`)}
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
