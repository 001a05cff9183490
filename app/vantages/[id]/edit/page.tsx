import Link from 'next/link';
import { notFound } from 'next/navigation';
import { DemoBadge } from '#components/ui/badge.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import { ActivityPanel } from '#components/vantage/activity-panel.tsx';
import { VantageFields } from '#components/vantage/vantage-fields.tsx';
import { adminPage, readerTitle } from '../../../access.ts';
import { DemoNotice } from '../../../demo-notice.tsx';
import { findVantage } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { deleteVantageAction, updateVantageAction } from '../../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('vantages.edit'));

export default adminPage(async function EditVantagePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const [ui, vantage] = await Promise.all([requestUi(), findVantage(id)]);
  if (!vantage) notFound();
  const { t } = ui;
  return (
    <div className="mx-auto max-w-3xl">
      {vantage.demo ? <DemoNotice /> : null}
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <Link href="/vantages" prefetch={false} className="link text-[0.86rem]">
            {t('vantages.title')}
          </Link>
          <h1 className="flex items-center gap-2">
            {t('vantages.edit')} {vantage.demo ? <DemoBadge ui={ui} /> : null}
          </h1>
        </div>
        <Confirm
          ui={ui}
          id="remove-vantage"
          label={t('common.remove')}
          text={t('vantages.deleteConfirm', { name: vantage.name })}
          action={deleteVantageAction}
          fields={{ id: vantage.id }}
        />
      </div>
      {vantage.prober ? <ActivityPanel ui={ui} prober={vantage.prober} /> : null}
      <ActionForm action={updateVantageAction.bind(null, vantage.id)} submit={t('common.save')}>
        <VantageFields ui={ui} draft={vantage} />
      </ActionForm>
    </div>
  );
});
