import Link from 'next/link';
import { notFound } from 'next/navigation';
import { ComparisonView } from '#components/comparison/comparison-view.tsx';
import { DemoBadge } from '#components/ui/badge.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { PageHead } from '#components/ui/page.tsx';
import { PrintButton } from '#components/ui/print-button.tsx';
import { SharePanel } from '#components/ui/share-panel.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import type { ComparisonDetail } from '#contract/comparison.ts';
import { markerWords } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { DemoNotice } from '../../demo-notice.tsx';
import { findComparison } from '../../find.ts';
import { requestUi } from '../../request-ui.ts';
import { shareAction, unshareAction } from '../../shared/actions.ts';
import { deleteComparisonAction } from '../actions.ts';

type Props = { params: Promise<{ id: string }> };

export const generateMetadata = readerTitle(async (ui, { params }: Props) => {
  const comparison = await findComparison((await params).id);
  return comparison ? ui.t('comparison.of', { title: markerWords(ui, comparison).title }) : ui.t('notFound.title');
});

/** One comparison of the time before with the time after. */
export default readerPage(async function ComparisonPage({ params }: Props, reader) {
  const { id } = await params;
  const [ui, comparison] = await Promise.all([requestUi(), findComparison(id)]);
  if (!comparison) notFound();
  const { t } = ui;
  return (
    <>
      {comparison.demo ? <DemoNotice /> : null}
      <PageHead
        ui={ui}
        up={{ href: '/comparisons', label: t('comparison.title') }}
        title={
          <>
            {t('comparison.of', { title: markerWords(ui, comparison).title })}
            {comparison.demo ? <DemoBadge ui={ui} /> : null}
          </>
        }
        note={<About ui={ui} comparison={comparison} />}
        actions={<Actions ui={ui} comparison={comparison} editable={reader === 'admin'} />}
      />
      <ComparisonView ui={ui} comparison={comparison} named />
      {reader === 'admin' ? (
        <SharePanel
          ui={ui}
          shared={comparison.shared}
          share={shareAction.bind(null, 'comparisons', id)}
          unshare={unshareAction.bind(null, 'comparisons', id)}
        />
      ) : null}
      <ZoneNote ui={ui} />
      {comparison.status === 'waiting' ? <LiveRefresh seconds={5} /> : null}
    </>
  );
});

type PartProps = { ui: Ui; comparison: ComparisonDetail };

function About({ ui, comparison }: PartProps) {
  const { targetId, targetName, incidentId } = comparison;
  return (
    <p className="flex flex-wrap gap-x-3 text-muted">
      <Link href={`/targets/${targetId}`} prefetch={false} className="link">
        {targetName}
      </Link>
      {incidentId ? (
        <Link href={`/incidents/${incidentId}`} prefetch={false} className="link">
          {ui.t('incidents.incident')}
        </Link>
      ) : null}
    </p>
  );
}

function Actions({ ui, comparison: { id }, editable }: PartProps & { editable: boolean }) {
  const { t } = ui;
  const json = `/api/v1/comparisons/${id}`;
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      <PrintButton label={t('comparison.print')} />
      <a href={`/api/v1/exports/comparisons/${id}?bom=true`} className="btn">
        {t('comparison.csv')}
      </a>
      <a href={json} className="btn">
        {t('comparison.json')}
      </a>
      {editable ? (
        <Confirm
          ui={ui}
          id="remove"
          label={t('comparison.remove')}
          text={t('comparison.removeConfirm')}
          action={deleteComparisonAction}
          fields={{ id }}
        />
      ) : null}
    </div>
  );
}
