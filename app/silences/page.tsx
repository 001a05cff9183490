import Link from 'next/link';
import { SilenceTable } from '#components/rule/silence-table.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
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
    <>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <h1>{t('silences.title')}</h1>
          <p className="text-muted">{t('silences.intro')}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <AlertingTabs ui={ui} here="/silences" />
          {editable ? (
            <Link href="/silences/new" prefetch={false} className="btn btn-primary">
              {t('silences.add')}
            </Link>
          ) : null}
        </div>
      </div>
      {silences.length === 0 ? (
        <Empty title={t('silences.emptyTitle')} text={t('silences.emptyText')} />
      ) : (
        <SilenceTable
          ui={ui}
          silences={silences.toReversed()}
          names={new Map(targets.map(({ id, name }) => [id, name]))}
          remove={editable ? deleteSilenceAction : null}
        />
      )}
      <div className="mt-3">
        <ZoneNote ui={ui} />
      </div>
    </>
  );
});
