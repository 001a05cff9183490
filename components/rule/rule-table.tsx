import Link from 'next/link';
import type { AlertRule } from '#contract/alert-rule.ts';
import type { Ui } from '#i18n/ui.ts';
import { SEVERITY_TONES } from '../incident/incident-badges.tsx';
import { Badge, DemoBadge, ManagedBadge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { ruleName } from './rule-name.ts';
import { conditionText, scopeText } from './rule-text.ts';

type Action = (form: FormData) => Promise<void>;
type Props = { ui: Ui; rules: AlertRule[]; names: Map<string, string>; toggle: Action | null };

/** All rules: what raises an incident, where, how grave. `toggle` is null where the reader may not. */
export function RuleTable({ ui, rules, names, toggle }: Props) {
  const { t } = ui;
  return (
    <Table
      label={t('rules.title')}
      className="panel"
      rows={rules}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'name',
          head: t('common.name'),
          cell: (rule) => (
            <>
              {ruleName(ui, rule)} {rule.demo ? <DemoBadge ui={ui} /> : null}
              {rule.managed ? <ManagedBadge ui={ui} /> : null}
              <span className="block font-normal text-[0.86rem] text-muted" title={t(`rules.kindDef.${rule.kind}`)}>
                {t(`rules.kind.${rule.kind}`)}
              </span>
            </>
          ),
          rowHead: true,
          className: 'min-w-40 whitespace-normal',
        },
        {
          key: 'condition',
          head: t('rules.condition'),
          cell: (rule) => <Condition ui={ui} rule={rule} />,
          className: 'min-w-52',
        },
        { key: 'scope', head: t('alerting.scope'), cell: (rule) => scopeText(ui, rule, names) },
        {
          key: 'severity',
          head: t('rules.severity'),
          cell: ({ severity }) => <Badge tone={SEVERITY_TONES[severity]}>{t(`severity.${severity}`)}</Badge>,
        },
        {
          key: 'state',
          head: t('common.state'),
          cell: ({ enabled }) => (
            <Badge tone={enabled ? 'good' : 'plain'}>{t(enabled ? 'alerting.on' : 'alerting.off')}</Badge>
          ),
        },
        toggle && {
          key: 'actions',
          head: t('common.actions'),
          hiddenHead: true,
          cell: (rule) => <Actions ui={ui} rule={rule} toggle={toggle} />,
        },
      ]}
    />
  );
}

function Condition({ ui, rule }: { ui: Ui; rule: AlertRule }) {
  const { t } = ui;
  const { minCells, reminderMinutes } = rule;
  const extras = [
    minCells > 1 ? t('rules.said.cells', { n: minCells }) : null,
    reminderMinutes === null ? null : t('rules.reminderShort', { minutes: reminderMinutes }),
  ].filter(Boolean);
  return (
    <>
      {conditionText(ui, rule)}
      {extras.length > 0 ? <span className="block text-[0.86rem] text-muted">{extras.join(' · ')}</span> : null}
    </>
  );
}

function Actions({ ui, rule, toggle }: { ui: Ui; rule: AlertRule; toggle: Action }) {
  const { t } = ui;
  const name = ruleName(ui, rule);
  return (
    <span className="flex justify-end gap-3">
      <Toggle ui={ui} id={rule.id} name={name} enabled={rule.enabled} action={toggle} />
      <Link
        href={`/rules/${rule.id}/edit`}
        prefetch={false}
        className="link"
        aria-label={`${t('common.edit')} ${name}`}
      >
        {t('common.edit')}
      </Link>
    </span>
  );
}

/** Turns a rule on or off at once. */
function Toggle({ ui: { t }, id, name, enabled, action }: ToggleProps) {
  const label = enabled ? t('alerting.disable') : t('alerting.enable');
  return (
    <form action={action}>
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="enabled" value={String(!enabled)} />
      <button type="submit" className="link" aria-label={`${label} ${name}`}>
        {label}
      </button>
    </form>
  );
}

type ToggleProps = { ui: Ui; id: string; name: string; enabled: boolean; action: Action };
