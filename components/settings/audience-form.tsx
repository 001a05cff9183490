import type { Audience } from '#contract/audience.ts';
import type { Ui } from '#i18n/ui.ts';
import { AreaField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';

type Props = { ui: Ui; audience: Audience; change: FormAction };

/** How much each region and carrier counts, a line each. */
export function AudienceForm({ ui: { t }, audience, change }: Props) {
  return (
    <ActionForm
      action={change}
      submit={t('common.save')}
      others={[{ name: 'reset', label: t('advice.audienceDefaults') }]}
    >
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        <AreaField
          name="regions"
          label={t('advice.audienceRegions')}
          help={t('advice.audienceRegionsHelp')}
          defaultValue={linesOf(audience.regions)}
          rows={6}
        />
        <AreaField
          name="carriers"
          label={t('advice.audienceCarriers')}
          help={t('advice.audienceCarriersHelp')}
          defaultValue={linesOf(audience.carriers)}
          rows={6}
        />
      </div>
    </ActionForm>
  );
}

const linesOf = (weights: Record<string, number>): string =>
  Object.entries(weights)
    .map(([name, weight]) => `${name} ${weight}`)
    .join('\n');
