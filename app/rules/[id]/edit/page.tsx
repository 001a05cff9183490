import { notFound } from 'next/navigation';
import type { SearchParams } from '#components/filters/filter.ts';
import { MessagePanel, ruleEvents } from '#components/rule/message-panel.tsx';
import { RuleForm } from '#components/rule/rule-form.tsx';
import { ruleName } from '#components/rule/rule-name.ts';
import { FormPage } from '#components/ui/page.tsx';
import { formatNumber } from '#i18n/numbers.ts';
import { ruleMessage } from '#server/rules/evaluate.ts';
import { adminPage, readerTitle } from '../../../access.ts';
import { findAlertRule } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { namedTargets } from '../../../targets/named.ts';
import { deleteRuleAction, probeRuleAction, replayRuleAction, updateRuleAction } from '../../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('rules.edit'));

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> };

/** A rule: what it watches, and what it sends to whom. */
export default adminPage(async function EditRulePage({ params, searchParams }: Props) {
  const { id } = await params;
  const path = `/rules/${encodeURIComponent(id)}/edit`;
  const [ui, rule, targets, search] = await Promise.all([requestUi(), findAlertRule(id), namedTargets(), searchParams]);
  if (!rule) notFound();
  const { t } = ui;
  const achieved = rule.kind === 'detector' ? rule.achieved : null;
  const events = ruleEvents(rule);
  const event = events.find((type) => type === search.event) ?? events[0];
  return (
    <FormPage
      ui={ui}
      up={{ href: '/rules', label: t('rules.title') }}
      title={t('rules.edit')}
      managed={rule.managed}
      remove={{
        id: rule.id,
        label: t('common.delete'),
        text: t('rules.deleteConfirm', { name: ruleName(ui, rule) }),
        action: deleteRuleAction,
      }}
    >
      <RuleForm
        ui={ui}
        draft={rule}
        targets={targets}
        achieved={
          achieved &&
          t('rules.achieved', {
            ...{ pages: achieved.pages, days: achieved.days, n: achieved.falsePages },
            rate: formatNumber(ui.locale, achieved.falsePerWeek, 1),
          })
        }
        action={updateRuleAction.bind(null, rule.id, rule.kind)}
        submit={t('common.save')}
        replay={replayRuleAction.bind(null, rule.kind)}
        probe={probeRuleAction}
      />
      {event ? <MessagePanel ui={ui} path={path} events={events} message={await ruleMessage(rule, event)} /> : null}
    </FormPage>
  );
});
