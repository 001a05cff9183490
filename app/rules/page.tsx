import Link from 'next/link';
import { RuleTable } from '#components/rule/rule-table.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { MAX_LIMIT } from '#contract/query.ts';
import { listAlertRules } from '#server/rules/rules.ts';
import { readerPage, readerTitle } from '../access.ts';
import { requestUi } from '../request-ui.ts';
import { namedTargets } from '../targets/named.ts';
import { toggleRuleAction } from './actions.ts';
import { AlertingTabs } from './views.tsx';

export const generateMetadata = readerTitle(({ t }) => t('rules.title'));

/** What raises incidents. */
export default readerPage(async function RulesPage(_props: unknown, reader) {
  const [ui, { data: rules }, targets] = await Promise.all([
    requestUi(),
    listAlertRules({ limit: MAX_LIMIT }),
    namedTargets(),
  ]);
  const { t } = ui;
  const editable = reader === 'admin';
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <h1>{t('rules.title')}</h1>
          <p className="text-muted">
            {t('rules.summary', { n: rules.length, on: rules.filter((rule) => rule.enabled).length })}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <AlertingTabs ui={ui} here="/rules" />
          {editable ? (
            <Link href="/rules/new" prefetch={false} className="btn btn-primary">
              {t('rules.add')}
            </Link>
          ) : null}
        </div>
      </div>
      {rules.length === 0 ? (
        <Empty title={t('rules.emptyTitle')} text={t('rules.emptyText')} />
      ) : (
        <RuleTable
          ui={ui}
          rules={rules}
          names={new Map(targets.map(({ id, name }) => [id, name]))}
          toggle={editable ? toggleRuleAction : null}
        />
      )}
    </>
  );
});
