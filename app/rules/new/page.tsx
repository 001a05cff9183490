import type { SearchParams } from '#components/filters/filter.ts';
import { RuleForm } from '#components/rule/rule-form.tsx';
import { KindLinks } from '#components/ui/kind-links.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { AlertRuleCreate, RULE_KINDS, type RuleKind } from '#contract/alert-rule.ts';
import type { Ui } from '#i18n/ui.ts';
import { adminPage, readerTitle } from '../../access.ts';
import { requestUi } from '../../request-ui.ts';
import { namedTargets } from '../../targets/named.ts';
import { createRuleAction, probeRuleAction, replayRuleAction } from '../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('rules.add'));

/** A new rule: first its kind, then what belongs to it. */
export default adminPage(async function NewRulePage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [ui, search, targets] = await Promise.all([requestUi(), searchParams, namedTargets()]);
  const { t } = ui;
  const kind = RULE_KINDS.find((known) => known === search.kind) ?? 'threshold';
  return (
    <FormPage ui={ui} up={{ href: '/rules', label: t('rules.title') }} title={t('rules.add')}>
      <KindLinks
        label={t('rules.kindTitle')}
        kinds={RULE_KINDS.map((each) => ({
          href: `/rules/new?kind=${each}`,
          title: t(`rules.kind.${each}`),
          text: t(`rules.kindDef.${each}`),
          chosen: each === kind,
        }))}
      />
      <RuleForm
        key={kind}
        ui={ui}
        draft={draftOf(ui, kind)}
        targets={targets}
        action={createRuleAction.bind(null, kind)}
        submit={t('rules.add')}
        replay={replayRuleAction.bind(null, kind)}
        probe={probeRuleAction}
      />
    </FormPage>
  );
});

/** A threshold on TLS time until somebody says what else. */
const DEFAULT_ABOVE_MS = 200;

function draftOf({ t }: Ui, kind: RuleKind): AlertRuleCreate {
  const own = kind === 'threshold' ? { metric: 'tls', params: { above: DEFAULT_ABOVE_MS } } : {};
  return AlertRuleCreate.parse({ kind, name: t(`rules.kind.${kind}`), ...own });
}
