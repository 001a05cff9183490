import { notFound } from 'next/navigation';
import { DemoBadge, ImportedBadge } from '#components/ui/badge.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { ActivityPanel } from '#components/vantage/activity-panel.tsx';
import { VantageFields } from '#components/vantage/vantage-fields.tsx';
import { adminPage, readerTitle } from '../../../access.ts';
import { DemoNotice } from '../../../demo-notice.tsx';
import { findVantage } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { deleteVantageAction, renewEnrolmentAction, updateVantageAction } from '../../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('vantages.edit'));

export default adminPage(async function EditVantagePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const [ui, vantage] = await Promise.all([requestUi(), findVantage(id)]);
  if (!vantage) notFound();
  const { t } = ui;
  return (
    <>
      {vantage.demo ? <DemoNotice /> : null}
      <FormPage
        ui={ui}
        up={{ href: '/vantages', label: t('vantages.title') }}
        title={
          <>
            {t('vantages.edit')} {vantage.demo ? <DemoBadge ui={ui} /> : null}
            {vantage.imported ? <ImportedBadge ui={ui} /> : null}
          </>
        }
        remove={{
          id: vantage.id,
          label: t('common.remove'),
          text: t('vantages.deleteConfirm', { name: vantage.name }),
          action: deleteVantageAction,
        }}
      >
        {vantage.prober ? <ActivityPanel ui={ui} prober={vantage.prober} /> : null}
        <ActionForm action={updateVantageAction.bind(null, vantage.id)} submit={t('common.save')}>
          <VantageFields ui={ui} draft={vantage} />
        </ActionForm>
        {vantage.demo || vantage.imported ? null : (
          <section className="panel mt-6 p-4">
            <h2>{t('vantages.renew')}</h2>
            <p className="mt-1 mb-3 text-soft">{t('vantages.renewText')}</p>
            <ActionForm action={renewEnrolmentAction.bind(null, vantage.id)} submit={t('vantages.renewSubmit')} />
          </section>
        )}
      </FormPage>
    </>
  );
});
