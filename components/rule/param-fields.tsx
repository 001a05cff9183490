import type { AlertRuleCreate } from '#contract/alert-rule.ts';
import { RULE_METRICS, STATS, WATCHED_METRICS } from '#contract/vocabulary.ts';
import { metricName } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { CheckGroup, NumberField, SelectField } from '../ui/field.tsx';
import { optionsOf } from '../ui/options.ts';

type Draft<Kind extends AlertRuleCreate['kind']> = Extract<AlertRuleCreate, { kind: Kind }>;

/** What a rule of its kind looks for. */
export function ParamFields({ ui, draft, achieved }: { ui: Ui; draft: AlertRuleCreate; achieved: string | null }) {
  switch (draft.kind) {
    case 'detector':
      return <DetectorFields ui={ui} draft={draft} achieved={achieved} />;
    case 'threshold':
      return <ThresholdFields ui={ui} draft={draft} />;
    case 'down':
      return (
        <div className="grid gap-3 sm:grid-cols-2">
          <NumberField
            name="params.share"
            label={ui.t('rules.share')}
            help={ui.t('rules.shareHelp')}
            value={draft.params.share}
          />
          <NumberField name="params.windowMinutes" label={ui.t('rules.window')} value={draft.params.windowMinutes} />
        </div>
      );
    case 'certificate':
      return <NumberField name="params.days" label={ui.t('rules.days')} value={draft.params.days} />;
    case 'staple':
      return (
        <div className="grid gap-3 sm:grid-cols-3">
          <NumberField name="params.hitRatio" label={ui.t('rules.hitRatio')} value={draft.params.hitRatio} />
          <NumberField name="params.windowMinutes" label={ui.t('rules.window')} value={draft.params.windowMinutes} />
          <NumberField
            name="params.minHandshakes"
            label={ui.t('rules.minHandshakes')}
            value={draft.params.minHandshakes}
          />
        </div>
      );
    case 'silent':
      return (
        <NumberField
          name="params.periods"
          label={ui.t('rules.periods')}
          help={ui.t('rules.periodsHelp')}
          value={draft.params.periods}
        />
      );
  }
}

type DetectorProps = { ui: Ui; draft: Draft<'detector'>; achieved: string | null };

function DetectorFields({ ui, draft: { metric, params }, achieved }: DetectorProps) {
  const { t } = ui;
  return (
    <>
      <CheckGroup
        name="params.kinds"
        label={t('rules.kinds')}
        options={optionsOf(['spike', 'regression', 'improvement'] as const, (value) => t(`incident.kind.${value}`))}
        chosen={params.kinds}
      />
      <NumberField
        name="params.falsePagesPerWeek"
        label={t('rules.budget')}
        help={t('rules.budgetHelp')}
        value={params.falsePagesPerWeek ?? null}
      />
      {achieved === null ? null : (
        <p className="-mt-1">
          {achieved} <span className="text-[0.86rem] text-muted">{t('rules.achievedHelp')}</span>
        </p>
      )}
      <SelectField
        name="metric"
        label={t('rules.metric')}
        value={metric ?? ''}
        options={optionsOf(WATCHED_METRICS, (value) => metricName(ui, value) ?? value, t('rules.anyMetric'))}
      />
    </>
  );
}

function ThresholdFields({ ui: { t }, draft: { metric, params } }: { ui: Ui; draft: Draft<'threshold'> }) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          name="metric"
          label={t('rules.metric')}
          value={metric}
          options={optionsOf(RULE_METRICS, (value) => t(`metric.${value}`))}
        />
        <SelectField
          name="params.stat"
          label={t('rules.stat')}
          value={params.stat}
          options={optionsOf(STATS, (value) => t(`statOption.${value}`))}
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <NumberField name="params.above" label={t('rules.above')} help={t('rules.aboveHelp')} value={params.above} />
        <NumberField name="params.below" label={t('rules.below')} value={params.below} />
        <NumberField name="params.windowMinutes" label={t('rules.window')} value={params.windowMinutes} />
        <NumberField
          name="params.minResults"
          label={t('rules.minResults')}
          help={t('rules.minResultsHelp')}
          value={params.minResults}
        />
      </div>
    </>
  );
}
