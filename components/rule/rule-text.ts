import type { AlertRule } from '#contract/alert-rule.ts';
import { type Metric, type Stat, unitOf } from '#contract/vocabulary.ts';
import { metricName } from '#i18n/incident.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';

import type { Scope } from './scope-fields.tsx';

export const separator = ({ t }: Ui) => t('punctuation.list');

/** When a rule raises an incident, in words. */
export function conditionText(ui: Ui, rule: AlertRule): string {
  const { t } = ui;
  const share = (value: number) => formatQuantity(ui, value, 'ratio');
  switch (rule.kind) {
    case 'detector': {
      const kinds = rule.params.kinds.map((kind) => t(`incident.kind.${kind}`)).join(separator(ui));
      const said = t('rules.said.detector', { kinds });
      return rule.metric === null ? said : `${said} · ${metricName(ui, rule.metric)}`;
    }
    case 'threshold':
      return thresholdText(ui, rule.metric, rule.params);
    case 'down':
      return t('rules.said.down', { share: share(rule.params.share), minutes: rule.params.windowMinutes });
    case 'certificate':
      return t('rules.said.certificate', { days: rule.params.days });
    case 'staple':
      return t('rules.said.staple', { share: share(rule.params.hitRatio), minutes: rule.params.windowMinutes });
    case 'silent':
      return t('rules.said.silent', { periods: rule.params.periods });
  }
}

type Threshold = { stat: Stat; above: number | null; below: number | null; windowMinutes: number };

function thresholdText(ui: Ui, metric: Metric, { stat, above, below, windowMinutes }: Threshold): string {
  return ui.t(above === null ? 'rules.said.below' : 'rules.said.above', {
    metric: ui.t(`metric.${metric}`),
    stat: ui.t(`stat.${stat}`),
    value: formatQuantity(ui, above ?? below, unitOf(metric, stat)),
    minutes: windowMinutes,
  });
}

/** Where a rule or a silence applies: few things are named, many are counted. */
export function scopeText(ui: Ui, { targetIds, regions, carriers }: Scope, names: Map<string, string>): string {
  const { t } = ui;
  const only = targetIds.length === 1 && targetIds[0] ? names.get(targetIds[0]) : undefined;
  const parts = [
    targetIds.length === 0 ? null : (only ?? t('incidents.targets', { n: targetIds.length })),
    carriers.length === 0 ? null : carriers.map((carrier) => carrierName(ui, carrier)).join(separator(ui)),
    regions.length === 0
      ? null
      : regions.length > 3
        ? t('incidents.regions', { n: regions.length })
        : regions.map((region) => regionName(ui, region)).join(separator(ui)),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' · ') : t('alerting.everything');
}
