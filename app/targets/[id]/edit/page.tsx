import { notFound } from 'next/navigation';
import { TargetForm } from '#components/target/target-form.tsx';
import { DemoBadge } from '#components/ui/badge.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { adminPage, readerTitle } from '../../../access.ts';
import { DemoNotice } from '../../../demo-notice.tsx';
import { findTargetToEdit } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { deleteTargetAction, probeFirstAction, updateTargetAction } from '../../actions.ts';

type Props = { params: Promise<{ id: string }> };

export const generateMetadata = readerTitle(({ t }) => t('targetForm.edit'));

export default adminPage(async function EditTargetPage({ params }: Props) {
  const { id } = await params;
  const path = `/targets/${encodeURIComponent(id)}`;
  const [ui, target] = await Promise.all([requestUi(), findTargetToEdit(id)]);
  if (!target) notFound();
  const { t } = ui;
  return (
    <>
      {target.demo ? <DemoNotice /> : null}
      <FormPage
        ui={ui}
        up={{ href: path, label: target.name }}
        title={
          <>
            {t('targetForm.edit')} {target.demo ? <DemoBadge ui={ui} /> : null}
          </>
        }
        managed={target.managed}
        remove={{
          id: target.id,
          label: t('common.delete'),
          text: t('targetForm.deleteConfirm', { name: target.name }),
          action: deleteTargetAction,
        }}
      >
        <TargetForm
          ui={ui}
          draft={target}
          action={updateTargetAction.bind(null, target.id)}
          submit={t('common.save')}
          probe={probeFirstAction}
        />
      </FormPage>
    </>
  );
});
