import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { RuleForm } from '#components/rule/rule-form.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import { openAdminPage } from '../../../access.ts';
import { findAlertRule } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { namedTargets } from '../../../targets/named.ts';
import { deleteRuleAction, updateRuleAction } from '../../actions.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestUi()).t('rules.edit') };
}

export default async function EditRulePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  await openAdminPage(`/rules/${encodeURIComponent(id)}/edit`);
  const [ui, rule, targets] = await Promise.all([requestUi(), findAlertRule(id), namedTargets()]);
  if (!rule) notFound();
  const { t } = ui;
  return (
    <div className="mx-auto max-w-3xl">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <Link href="/rules" prefetch={false} className="link text-[0.86rem]">
            {t('rules.title')}
          </Link>
          <h1>{t('rules.edit')}</h1>
        </div>
        <Confirm
          ui={ui}
          id="delete-rule"
          label={t('common.delete')}
          text={t('rules.deleteConfirm', { name: rule.name })}
          action={deleteRuleAction}
          fields={{ id: rule.id }}
        />
      </div>
      <RuleForm
        ui={ui}
        draft={rule}
        targets={targets}
        action={updateRuleAction.bind(null, rule.id, rule.kind)}
        submit={t('common.save')}
      />
    </div>
  );
}
