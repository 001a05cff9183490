import Link from 'next/link';
import { kindToken } from '#components/charts/marks.ts';
import { ComparisonTable } from '#components/comparison/comparison-table.tsx';
import { AutoSubmit } from '#components/filters/auto-submit.tsx';
import { ChoiceLinks } from '#components/filters/choice-links.tsx';
import type { SearchParams } from '#components/filters/filter.ts';
import { SearchField } from '#components/filters/search-field.tsx';
import {
  type Board,
  boardEntries,
  boardHref,
  readBoard,
  searchTargets,
  sortTargets,
  tagsOf,
} from '#components/target/board.ts';
import { NoTargets } from '#components/target/no-targets.tsx';
import { ProblemList } from '#components/target/problem-list.tsx';
import { ProblemMap } from '#components/target/problem-map.tsx';
import { LIST_ROWS, listPage } from '#components/target/rank.ts';
import { TargetList } from '#components/target/target-list.tsx';
import { isAwaited } from '#components/target/target-state.tsx';
import { TargetsHeat } from '#components/target/targets-heat.tsx';
import { GeneratedBadge } from '#components/ui/badge.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { ListPage } from '#components/ui/page.tsx';
import type { Ui } from '#i18n/ui.ts';
import { readSnapshots } from '#server/advice/snapshots.ts';
import { listComparisons } from '#server/comparisons/comparisons.ts';
import { generatedUntil } from '#server/figures/range.ts';
import { readerPage } from './access.ts';
import { currentBoard } from './board.ts';
import { DemoNotice } from './demo-notice.tsx';
import { firstSteps } from './first-steps.tsx';
import { acknowledgeAction } from './incidents/actions.ts';
import { requestUi } from './request-ui.ts';

/** As far back as the page shows what happened: its charts of a day. */
const SHOWN_MS = 24 * 3_600_000;
/** So many of the latest changes say whether they helped. */
const CHANGES = 3;

/** All that is wrong, then all targets, a hundred a page, then what was changed. */
export default readerPage(async function OverviewPage(
  { searchParams }: { searchParams: Promise<SearchParams> },
  reader,
) {
  const now = Date.now();
  const since = now - SHOWN_MS;
  const [ui, { ranked, incidents, marks }, comparisons, snapshots] = await Promise.all([
    requestUi(),
    currentBoard(since),
    listComparisons({ limit: CHANGES }),
    readSnapshots(),
  ]);
  const { t } = ui;
  const summaries = ranked.map(({ target }) => target);
  const wastes = new Map([...snapshots].flatMap(([id, { waste }]) => (waste ? [[id, waste]] : [])));
  const params = await searchParams;
  const board = readBoard(params);
  const found = sortTargets(searchTargets(ranked, board), board, wastes);
  const { shown, previous, next } = listPage(found, board.page);
  const troubled = ranked.filter(({ urgent }) => urgent).length;
  const hasStanding = ({ incidents }: (typeof ranked)[number]) => incidents.some(({ standing }) => standing);
  const standing = ranked.filter(hasStanding).length;
  const acknowledged = ranked.filter(
    (entry) => !entry.urgent && entry.incidents.length > 0 && !hasStanding(entry),
  ).length;
  const sparks = new Map(
    [...marks].map(([id, own]) => [id, own.marks.map(({ at, kind }) => ({ at, token: kindToken(kind) }))]),
  );
  const changes = comparisons.data.filter(({ after }) => Date.parse(after.from) >= since);
  const isDemo = summaries.some((target) => target.demo);
  // Figures are compared with the day before.
  const generated = await generatedUntil({ demo: isDemo }, { from: since / 1_000 });
  const steps =
    reader === 'admin' && !isDemo
      ? await firstSteps({ ui, targets: summaries, probe: typeof params.probe === 'string' ? params.probe : '' })
      : null;
  return (
    <>
      {isDemo ? <DemoNotice /> : null}
      <ListPage
        ui={ui}
        title={
          <>
            {t('nav.overview')}
            {isDemo ? <GeneratedBadge ui={ui} until={generated} /> : null}
          </>
        }
        summary={
          summaries.length > 0
            ? [
                t('targets.summary', { n: summaries.length }),
                t('targets.troubled', { n: troubled }),
                standing > 0 ? t('targets.standing', { n: standing }) : null,
                acknowledged > 0 ? t('targets.acknowledged', { n: acknowledged }) : null,
              ]
                .filter(Boolean)
                .join(' · ')
            : null
        }
        tabs={
          summaries.length > 0 ? (
            <search>
              <AutoSubmit key={boardHref(board, { page: 1 })} path="/" label={t('board.search')}>
                <SearchField name="q" label={t('board.search')} value={board.search} />
                {boardEntries({ ...board, search: '', page: undefined }).map(([name, value]) => (
                  <input key={name} type="hidden" name={name} value={value} />
                ))}
              </AutoSubmit>
            </search>
          ) : null
        }
        add={reader === 'admin' && summaries.length > 0 ? { href: '/targets/new', label: t('targets.add') } : null}
        filter={
          <>
            {steps}
            <ProblemList
              ui={ui}
              incidents={incidents}
              targets={ranked}
              acknowledge={reader === 'admin' ? acknowledgeAction : null}
              now={now}
            />
            <TagLinks ui={ui} board={board} tags={tagsOf(ranked)} />
          </>
        }
        empty={
          summaries.length === 0 ? (
            steps ? (
              ''
            ) : (
              <NoTargets ui={ui} editable={reader === 'admin'} />
            )
          ) : found.length === 0 ? (
            {
              title: t('board.noneFound', { search: [board.tag, board.search].filter(Boolean).join(' ') }),
              text: t('board.noneFoundText'),
            }
          ) : null
        }
        previous={
          previous === null
            ? null
            : { href: boardHref(board, { page: previous }), label: t('targets.previous', { n: LIST_ROWS }) }
        }
        next={next && { href: boardHref(board, { page: next.page }), label: t('targets.next', { n: next.rows }) }}
        footnote={
          summaries.length > 0 ? (
            <>
              {t('targets.sinceHour')}{' '}
              <Link href="/wall" prefetch={false} className="link underline">
                {t('wall.link')}
              </Link>
            </>
          ) : null
        }
      >
        <div data-board className="grid items-start gap-4 min-[1800px]:grid-cols-[minmax(0,1fr)_26rem]">
          <div id="targets" className="min-w-0">
            <TargetList ui={ui} board={board} targets={shown} marks={sparks} wastes={wastes} now={now} />
          </div>
          <ProblemMap ui={ui} board={board} incidents={incidents} targets={ranked} describedBy="targets" />
        </div>
        <TargetsHeat ui={ui} targets={shown.map(({ target }) => target)} describedBy="targets" />
        {changes.length > 0 ? (
          <section className="mt-4" aria-labelledby="changes-title">
            <h2 id="changes-title" className="mb-2">
              {t('comparison.lately')}
            </h2>
            <ComparisonTable ui={ui} comparisons={changes} />
          </section>
        ) : null}
      </ListPage>
      <LiveRefresh {...(summaries.some(isAwaited) ? { seconds: 5 } : { follow: {} })} />
    </>
  );
});

/** So many tags are offered; a search finds the others. */
const OFFERED = 12;

/** All targets, or those with one tag; nothing where there are no tags. */
function TagLinks({ ui: { t }, board, tags }: { ui: Ui; board: Board; tags: readonly string[] }) {
  if (tags.length === 0 && board.tag === null) return null;
  const offered = tags.slice(0, OFFERED);
  if (board.tag !== null && !offered.includes(board.tag)) offered.push(board.tag);
  const choices = [null, ...offered].map((tag) => ({
    key: tag ?? '',
    href: boardHref(board, { tag }),
    text: tag ?? t('board.allTags'),
    current: tag === board.tag,
  }));
  return (
    <div className="mb-3">
      <ChoiceLinks label={t('targetForm.tags')} shown choices={choices} />
    </div>
  );
}
