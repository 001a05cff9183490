import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache, type ReactNode } from 'react';
import { ComparisonView } from '#components/comparison/comparison-view.tsx';
import { type MapView, readMapView, type SearchParams } from '#components/filters/filter.ts';
import { StatusList } from '#components/status/status-list.tsx';
import { DemoBadge } from '#components/ui/badge.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { PageHead } from '#components/ui/page.tsx';
import { PrintButton } from '#components/ui/print-button.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { markerWords } from '#i18n/names.ts';
import { linkedId } from '#server/access/share-links.ts';
import { openShared } from '#server/comparisons/share.ts';
import { targetOfOrigin } from '#server/targets/target-ref.ts';
import { openPage } from '../../access.ts';
import { findMeasurement } from '../../find.ts';
import { valueOrTrouble } from '../../page-trouble.tsx';
import { MeasurementAnswers } from '../../probe/measurement-answers.tsx';
import { requestUi } from '../../request-ui.ts';
import { openStatus } from '../open-status.ts';

type Props = { params: Promise<{ token: string }>; searchParams: Promise<SearchParams> };
type Shown = { title: string; demo?: boolean; about: string; view: ReactNode };

/** What a link leads to, and nothing beside it: no link leads on, and other targets are not named; null where it is none. */
const shownOf = cache(async (token: string, map: MapView): Promise<Shown | null> => {
  const [ui, comparison, measured, status] = await Promise.all([
    requestUi(),
    openShared(token),
    linkedId('measurement', token),
    openStatus(token),
  ]);
  const { t } = ui;
  if (comparison)
    return {
      title: t('comparison.of', { title: markerWords(ui, comparison).title }),
      demo: comparison.demo,
      about: comparison.targetName,
      view: <ComparisonView ui={ui} comparison={comparison} named={false} />,
    };
  if (status)
    return {
      title: status.page.title,
      about: t('targets.summary', { n: status.targets.length }),
      view: (
        <>
          <StatusList ui={ui} targets={status.targets} now={Date.now()} />
          <LiveRefresh seconds={30} />
        </>
      ),
    };
  const measurement = measured && (await findMeasurement(measured));
  if (!measurement) return null;
  const target = await targetOfOrigin(measurement.url);
  return {
    title: t('measurement.of', { host: new URL(measurement.url).host }),
    demo: measurement.demo,
    about: measurement.url,
    view: <MeasurementAnswers ui={ui} measurement={measurement} target={target} named={false} map={map} />,
  };
});

const askedFor = async ({ params, searchParams }: Props) =>
  await shownOf((await params).token, readMapView(await searchParams));

/** No robot is to list it, and no other server is told its address. */
export async function generateMetadata(props: Props): Promise<Metadata> {
  const [{ t }, shown] = await Promise.all([requestUi(), valueOrTrouble(askedFor(props), null)]);
  return {
    title: shown ? shown.title : t('notFound.title'),
    robots: { index: false, follow: false },
    referrer: 'same-origin',
  };
}

/** A page for anyone with its link. */
export default openPage(async function SharedPage(props: Props) {
  const [ui, shown] = await Promise.all([requestUi(), askedFor(props)]);
  if (!shown) notFound();
  const { t } = ui;
  return (
    <>
      <PageHead
        ui={ui}
        title={
          <>
            {shown.title}
            {shown.demo ? <DemoBadge ui={ui} /> : null}
          </>
        }
        note={
          <p className="break-words text-muted">
            {shown.about} · {t('share.readOnly')}
          </p>
        }
        actions={<PrintButton label={t('comparison.print')} />}
      />
      {shown.view}
      <ZoneNote ui={ui} />
    </>
  );
});
