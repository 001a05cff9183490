import type { AlertRule } from '#contract/alert-rule.ts';
import type { IncidentKind, Severity } from '#contract/incident.ts';

/** How grave what a rule finds is: as the rule says, but that something became faster is for information alone. */
export function severityOf(rule: Pick<AlertRule, 'severity'>, kind: IncidentKind): Severity {
  return kind === 'improvement' ? 'info' : rule.severity;
}
