import Link from 'next/link';
import type { AlertRule } from '#contract/alert-rule.ts';
import type { Ui } from '#i18n/ui.ts';
import { SEVERITY_TONES } from '../incident/incident-badges.tsx';
import { Badge, DemoBadge } from '../ui/badge.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { ruleName } from './rule-name.ts';
import { Toggle } from './toggle.tsx';
import { conditionText, scopeText } from './words.ts';

type Action = (form: FormData) => Promise<void>;
type Props = { ui: Ui; rules: AlertRule[]; names: Map<string, string>; toggle: Action | null };

/** All rules: what raises an incident, where, how grave. `toggle` is null where the reader may not. */
export function RuleTable({ ui, rules, names, toggle }: Props) {
  const { t } = ui;
  return (
    <ScrollBox label={t('rules.title')} className="panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('common.name')}</th>
            <th scope="col">{t('rules.condition')}</th>
            <th scope="col">{t('alerting.scope')}</th>
            <th scope="col">{t('rules.severity')}</th>
            <th scope="col">{t('common.state')}</th>
            {toggle ? (
              <th scope="col">
                <span className="sr-only">{t('common.actions')}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <Row key={rule.id} ui={ui} rule={rule} names={names} toggle={toggle} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Row({ ui, rule, names, toggle }: Omit<Props, 'rules'> & { rule: AlertRule }) {
  const { t } = ui;
  const { kind, enabled, minCells, reminderMinutes, severity } = rule;
  const name = ruleName(ui, rule);
  const extras = [
    minCells > 1 ? t('rules.said.cells', { n: minCells }) : null,
    reminderMinutes === null ? null : t('rules.reminderShort', { minutes: reminderMinutes }),
  ].filter(Boolean);
  return (
    <tr>
      <th scope="row" className="min-w-40 whitespace-normal">
        {name} {rule.demo ? <DemoBadge ui={ui} /> : null}
        <span className="block font-normal text-[0.86rem] text-muted" title={t(`rules.kindDef.${kind}`)}>
          {t(`rules.kind.${kind}`)}
        </span>
      </th>
      <td className="min-w-52">
        {conditionText(ui, rule)}
        {extras.length > 0 ? <span className="block text-[0.86rem] text-muted">{extras.join(' · ')}</span> : null}
      </td>
      <td>{scopeText(ui, rule, names)}</td>
      <td>
        <Badge tone={SEVERITY_TONES[severity]}>{t(`severity.${severity}`)}</Badge>
      </td>
      <td>
        <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? t('alerting.on') : t('alerting.off')}</Badge>
      </td>
      {toggle ? (
        <td>
          <span className="flex justify-end gap-3">
            <Toggle ui={ui} id={rule.id} name={name} enabled={enabled} action={toggle} />
            <Link
              href={`/rules/${rule.id}/edit`}
              prefetch={false}
              className="link"
              aria-label={`${t('common.edit')} ${name}`}
            >
              {t('common.edit')}
            </Link>
          </span>
        </td>
      ) : null}
    </tr>
  );
}
