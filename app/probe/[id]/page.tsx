import Link from 'next/link';
import { notFound } from 'next/navigation';
import { readMapView, type SearchParams } from '#components/filters/filter.ts';
import { DemoBadge } from '#components/ui/badge.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import { PageHead } from '#components/ui/page.tsx';
import { SharePanel } from '#components/ui/share-panel.tsx';
import { Time } from '#components/ui/time.tsx';
import type { Measurement } from '#contract/measurement.ts';
import type { Ui } from '#i18n/ui.ts';
import { targetOfOrigin } from '#server/targets/target-ref.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { DemoNotice } from '../../demo-notice.tsx';
import { findMeasurement } from '../../find.ts';
import { requestUi } from '../../request-ui.ts';
import { shareAction, unshareAction } from '../../shared/actions.ts';
import { cancelMeasurementAction } from '../actions.ts';
import { MeasurementAnswers } from '../measurement-answers.tsx';

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> };

export const generateMetadata = readerTitle(async ({ t }, { params }: Props) => {
  const measurement = await findMeasurement((await params).id);
  return measurement ? t('measurement.of', { host: new URL(measurement.url).host }) : t('notFound.title');
});

/** A measurement with its answers, as they come. */
export default readerPage(async function MeasurementPage({ params, searchParams }: Props, reader) {
  const { id } = await params;
  const [ui, measurement] = await Promise.all([requestUi(), findMeasurement(id)]);
  if (!measurement) notFound();
  const target = await targetOfOrigin(measurement.url);
  const { t } = ui;
  const { url, createdAt, demo } = measurement;
  const editable = reader === 'admin';
  return (
    <>
      {demo ? <DemoNotice /> : null}
      <PageHead
        ui={ui}
        up={editable ? { href: '/probe', label: t('measurement.title') } : null}
        title={
          <>
            {t('measurement.of', { host: new URL(url).host })}
            {demo ? <DemoBadge ui={ui} /> : null}
          </>
        }
        note={
          <p className="flex flex-wrap gap-x-3 text-muted">
            <span className="break-all">{url}</span>
            <Time ui={ui} at={createdAt} />
          </p>
        }
        actions={editable ? <Actions ui={ui} measurement={measurement} isWatched={target !== undefined} /> : null}
      />
      <MeasurementAnswers
        ui={ui}
        measurement={measurement}
        target={target}
        named
        map={readMapView(await searchParams)}
      />
      {editable ? (
        <SharePanel
          ui={ui}
          shared={measurement.shared}
          share={shareAction.bind(null, 'probe', id)}
          unshare={unshareAction.bind(null, 'probe', id)}
        />
      ) : null}
    </>
  );
});

/** The form with the same URL and, where it was not from everywhere, the same places. */
async function askedAgain({ url, vantages }: Measurement): Promise<URLSearchParams> {
  const all = [...(await vantageLabels()).values()].filter(({ deleted }) => !deleted);
  const query = new URLSearchParams({ url });
  for (const name of ['region', 'carrier'] as const) {
    const chosen = new Set(vantages.map(({ vantage }) => vantage[name]));
    if (all.some((each) => !chosen.has(each[name]))) query.set(`${name}s`, [...chosen].join(','));
  }
  return query;
}

type ActionsProps = { ui: Ui; measurement: Measurement; isWatched: boolean };

async function Actions({ ui: { t }, ui, measurement, isWatched }: ActionsProps) {
  const { id, url, finished } = measurement;
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      {finished ? null : (
        <Confirm
          ui={ui}
          id="cancel"
          label={t('measurement.cancel')}
          text={t('measurement.cancelConfirm')}
          action={cancelMeasurementAction}
          fields={{ id }}
        />
      )}
      <Link href={`/probe?${await askedAgain(measurement)}`} prefetch={false} className="btn">
        {t('measurement.again')}
      </Link>
      {isWatched ? null : (
        <Link href={`/targets/new?${new URLSearchParams({ url })}`} prefetch={false} className="btn">
          {t('measurement.watch')}
        </Link>
      )}
    </div>
  );
}
