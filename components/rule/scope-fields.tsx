import type { Ui } from '#i18n/ui.ts';
import { LocationGroups } from '../filters/filter-fields.tsx';
import { FieldGroup } from '../target/field-group.tsx';
import { CheckGroup } from '../ui/field.tsx';

export type Scope = { targetIds: string[]; regions: string[]; carriers: string[] };
type Props = { ui: Ui; scope: Scope; targets: { id: string; name: string }[] };

/** Where a rule or a silence applies; nothing chosen is everywhere. */
export function ScopeFields({ ui, scope, targets }: Props) {
  const { t } = ui;
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
      <LocationGroups
        ui={ui}
        chosen={scope}
        texts={{ regions: t('alerting.regions'), carriers: t('alerting.carriers') }}
      />
    </FieldGroup>
  );
}
