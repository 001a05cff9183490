import type { Ui } from '#i18n/ui.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';

type Field = `${'before' | 'after'}.${'from' | 'to'}`;

type Props = {
  ui: Ui;
  action: FormAction;
  targets: { id: string; name: string }[];
  target: string | null;
  /** Values of `datetime-local` fields, in the reader's zone. */
  times: Record<Field, string>;
};

/** Compares any two ranges of a target. */
export function ComparisonForm({ ui, action, targets, target, times }: Props) {
  const { t, timeZone } = ui;
  const field = (side: 'before' | 'after', end: 'from' | 'to') => (
    <TextField
      name={`${side}.${end}`}
      type="datetime-local"
      label={t('common.withNote', { label: `${t(`comparison.${side}`)} · ${t(`comparison.${end}`)}`, note: timeZone })}
      defaultValue={times[`${side}.${end}`]}
    />
  );
  return (
    <details className="panel mt-4 p-4">
      <summary className="btn">{t('comparison.new')}</summary>
      <p className="my-2 text-muted">{t('comparison.newNote')}</p>
      <ActionForm action={action} submit={t('comparison.submit')}>
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            name="targetId"
            label={t('comparison.target')}
            value={target ?? targets[0]?.id ?? ''}
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <TextField
            name="title"
            maxLength={200}
            label={t('common.withNote', { label: t('comparison.name'), note: t('common.optional') })}
            placeholder={t('comparison.sample')}
          />
          {field('before', 'from')}
          {field('before', 'to')}
          {field('after', 'from')}
          {field('after', 'to')}
        </div>
      </ActionForm>
    </details>
  );
}
