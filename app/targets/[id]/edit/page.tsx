import Link from 'next/link';
import { notFound } from 'next/navigation';
import { TargetForm } from '#components/target/target-form.tsx';
import { DemoBadge } from '#components/ui/badge.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import { adminPage, readerTitle } from '../../../access.ts';
import { DemoNotice } from '../../../demo-notice.tsx';
import { findTargetToEdit } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { deleteTargetAction, updateTargetAction } from '../../actions.ts';

type Props = { params: Promise<{ id: string }> };

export const generateMetadata = readerTitle(({ t }) => t('targetForm.edit'));

export default adminPage(async function EditTargetPage({ params }: Props) {
  const { id } = await params;
  const path = `/targets/${encodeURIComponent(id)}`;
  const [ui, target] = await Promise.all([requestUi(), findTargetToEdit(id)]);
  if (!target) notFound();
  const { t } = ui;
  return (
    <div className="mx-auto max-w-3xl">
      {target.demo ? <DemoNotice /> : null}
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <Link href={path} prefetch={false} className="link text-[0.86rem]">
            {target.name}
          </Link>
          <h1 className="flex items-center gap-2">
            {t('targetForm.edit')} {target.demo ? <DemoBadge ui={ui} /> : null}
          </h1>
        </div>
        <Confirm
          ui={ui}
          id="delete-target"
          label={t('common.delete')}
          text={t('targetForm.deleteConfirm', { name: target.name })}
          action={deleteTargetAction}
          fields={{ id: target.id }}
        />
      </div>
      <TargetForm ui={ui} draft={target} action={updateTargetAction.bind(null, target.id)} submit={t('common.save')} />
    </div>
  );
});
