import type { Ui } from '#i18n/ui.ts';
import { CheckField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';

type Props = { ui: Ui; allowed: boolean; isFixed: boolean; change: FormAction };

/** Whether private addresses are allowed: a box, or where the environment fixes it, what it says. */
export function PrivateForm({ ui: { t }, allowed, isFixed, change }: Props) {
  if (isFixed)
    return (
      <p>
        {t(allowed ? 'settings.privateAllowed' : 'settings.privateRefused')}{' '}
        <span className="text-muted">{t('settings.fixedByEnvironment')}</span>
      </p>
    );
  return (
    <ActionForm action={change} submit={t('common.save')}>
      <CheckField name="allowed" label={t('settings.privateAllow')} checked={allowed} />
    </ActionForm>
  );
}
