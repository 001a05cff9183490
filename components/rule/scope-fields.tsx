import { CHINA_REGIONS } from '#contract/place.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { FieldGroup } from '../target/field-group.tsx';
import { CheckGroup } from '../ui/field.tsx';

export type Scope = { targetIds: string[]; regions: string[]; carriers: string[] };
type Props = { ui: Ui; scope: Scope; targets: { id: string; name: string }[] };

/** Where a rule or a silence applies; nothing chosen is everywhere. */
export function ScopeFields({ ui, scope, targets }: Props) {
  const { t } = ui;
  const regions = [...new Set<string>([...CHINA_REGIONS, ...scope.regions])];
  const carriers = [...new Set<string>([...KNOWN_CARRIERS, ...scope.carriers])];
  return (
    <FieldGroup
      ui={ui}
      title={t('alerting.scope')}
      help={t('alerting.scopeHelp')}
      changed={[scope.targetIds, scope.regions, scope.carriers].filter((chosen) => chosen.length > 0).length}
    >
      {targets.length > 0 ? (
        <CheckGroup
          name="targetIds"
          label={t('alerting.targets')}
          options={targets.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={scope.targetIds}
        />
      ) : null}
      <CheckGroup
        name="carriers"
        label={t('alerting.carriers')}
        options={carriers.map((value) => ({ value, label: carrierName(ui, value) }))}
        chosen={scope.carriers}
      />
      <CheckGroup
        name="regions"
        label={t('alerting.regions')}
        options={regions.map((value) => ({ value, label: regionName(ui, value) }))}
        chosen={scope.regions}
      />
    </FieldGroup>
  );
}
