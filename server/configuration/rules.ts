import { type AlertRule, AlertRuleCreate } from '#contract/alert-rule.ts';
import { RuleConfiguration } from '#contract/configuration.ts';
import { invalidField } from '#server/environment/errors.ts';
import { createAlertRule, deleteAlertRule, listAlertRules, updateAlertRule } from '#server/rules/rules.ts';
import { allPages, type Known, type Things, withoutDefaults } from './things.ts';

export const ruleThings: Things<RuleConfiguration, AlertRule> = {
  section: 'alertRules',
  list: () => allPages(listAlertRules),
  written({ targetIds, ...rule }, known) {
    const { kind, name, enabled, regions, carriers, minCells, severity, reminderMinutes, metric, params } = rule;
    const measured = kind === 'detector' || kind === 'threshold' ? { metric } : {};
    const whole = {
      ...{ kind, name, enabled, ...measured, params, regions, carriers, minCells, severity, reminderMinutes },
      targets: known.targets.namesOf(targetIds),
    };
    const needed = kind === 'threshold' ? ['metric', 'params'] : [];
    const defaults = RuleConfiguration.parse(kind === 'threshold' ? { kind, name, metric, params } : { kind, name });
    return withoutDefaults(whole, defaults, ['kind', 'name', ...needed]) as Partial<RuleConfiguration>;
  },
  parse: (part) => RuleConfiguration.parse(part),
  create: (config, known, field) => createAlertRule(AlertRuleCreate.parse(withIds(config, known, field))),
  change(stored, config, known, field) {
    if (config.kind !== stored.kind)
      throw invalidField(
        `${field}.kind`,
        `cannot change from ${stored.kind}: delete the rule, or give the new one another name`,
      );
    const { kind: _kind, ...patch } = withIds(config, known, field);
    return updateAlertRule(stored.id, patch);
  },
  remove: deleteAlertRule,
};

function withIds({ targets, ...rest }: RuleConfiguration, known: Known, field: string) {
  return { ...rest, targetIds: known.targets.idsOf(targets, `${field}.targets`) };
}
