import { NotUsefulTable } from '#components/rule/not-useful-table.tsx';
import { RuleTable } from '#components/rule/rule-table.tsx';
import { ListPage } from '#components/ui/page.tsx';
import { MAX_LIMIT } from '#contract/query.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { listAlertRules } from '#server/rules/rules.ts';
import { readerPage, readerTitle } from '../access.ts';
import { undoNotUsefulAction } from '../incidents/actions.ts';
import { requestUi } from '../request-ui.ts';
import { namedTargets } from '../targets/named.ts';
import { toggleRuleAction } from './actions.ts';
import { AlertingTabs } from './views.tsx';

/** More than these are on the API. */
const MAX_NOT_USEFUL = 100;

export const generateMetadata = readerTitle(({ t }) => t('rules.title'));

/** What raises incidents. */
export default readerPage(async function RulesPage(_props: unknown, reader) {
  const [ui, { data: rules }, targets, { data: notUseful }] = await Promise.all([
    requestUi(),
    listAlertRules({ limit: MAX_LIMIT }),
    namedTargets(),
    listIncidents({ notUseful: true, limit: MAX_NOT_USEFUL }),
  ]);
  const { t } = ui;
  const editable = reader === 'admin';
  return (
    <ListPage
      ui={ui}
      title={t('rules.title')}
      summary={t('rules.summary', { n: rules.length, on: rules.filter((rule) => rule.enabled).length })}
      tabs={<AlertingTabs ui={ui} here="/rules" />}
      add={editable ? { href: '/rules/new', label: t('rules.add') } : null}
      empty={rules.length === 0 ? { title: t('rules.emptyTitle'), text: t('rules.emptyText') } : null}
    >
      <RuleTable
        ui={ui}
        rules={rules}
        names={new Map(targets.map(({ id, name }) => [id, name]))}
        toggle={editable ? toggleRuleAction : null}
      />
      <NotUsefulTable ui={ui} incidents={notUseful} undo={editable ? undoNotUsefulAction : null} now={Date.now()} />
    </ListPage>
  );
});
