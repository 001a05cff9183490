import { SilenceTable } from '#components/rule/silence-table.tsx';
import { ListPage } from '#components/ui/page.tsx';
import { MAX_LIMIT } from '#contract/query.ts';
import { listSilences } from '#server/incidents/silences.ts';
import { readerPage, readerTitle } from '../access.ts';
import { requestUi } from '../request-ui.ts';
import { AlertingTabs } from '../rules/views.tsx';
import { namedTargets } from '../targets/named.ts';
import { deleteSilenceAction } from './actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('silences.title'));

/** What holds messages back. */
export default readerPage(async function SilencesPage(_props: unknown, reader) {
  const [ui, { data: silences }, targets] = await Promise.all([
    requestUi(),
    listSilences({ limit: MAX_LIMIT }),
    namedTargets(),
  ]);
  const { t } = ui;
  const editable = reader === 'admin';
  return (
    <ListPage
      ui={ui}
      title={t('silences.title')}
      summary={t('silences.intro')}
      tabs={<AlertingTabs ui={ui} here="/silences" />}
      add={editable ? { href: '/silences/new', label: t('silences.add') } : null}
      empty={silences.length === 0 ? { title: t('silences.emptyTitle'), text: t('silences.emptyText') } : null}
    >
      <SilenceTable
        ui={ui}
        silences={silences.toReversed()}
        names={new Map(targets.map(({ id, name }) => [id, name]))}
        remove={editable ? deleteSilenceAction : null}
      />
    </ListPage>
  );
});
