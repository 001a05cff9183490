import Link from 'next/link';
import { readFilter } from '#components/filters/filter.ts';
import { described } from '#components/incident/incident-text.ts';
import { tonesOf } from '#components/target/heat.ts';
import { MapPanel } from '#components/target/map-panel.tsx';
import { mapViews } from '#components/target/map-places.tsx';
import { NoTargets } from '#components/target/no-targets.tsx';
import { markedCells } from '#components/target/notices.tsx';
import { problemLines } from '#components/target/problem-list.tsx';
import { describedTogether, problemsOf } from '#components/target/problems.ts';
import type { RankedTarget } from '#components/target/rank.ts';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { incidentParts, needsLook, type OpenIncident } from '#contract/incident-parts.ts';
import { kindText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { readTarget } from '#server/figures/figures.ts';
import { againstUsual, matrixOf } from '#server/figures/matrix.ts';
import { readerPage, readerTitle } from '../access.ts';
import { currentBoard } from '../board.ts';
import { findTarget } from '../find.ts';
import { requestUi } from '../request-ui.ts';
import { narrowed } from '../targets/[id]/figures.ts';
import { WallBoard } from './wall-board.tsx';

/** How long the map shows one target, seconds. */
const TURN_SECONDS = 20;
const DAY_MS = 86_400_000;

export const generateMetadata = readerTitle(({ t }) => t('wall.title'));

/** For a screen that a room looks at: the state of everything, the worst problems, the map of one target after the other, the time. */
export default readerPage(async function WallPage() {
  const now = Date.now();
  const [ui, { ranked, incidents, marks }] = await Promise.all([requestUi(), currentBoard(now - DAY_MS)]);
  const { t } = ui;
  const troubled = ranked.filter(({ urgent }) => urgent);
  const problems = [
    ...problemsOf(ui, incidents, now)
      .filter(({ look }) => look)
      .map((problem) => ({
        key: problem.incidents[0].id,
        text: [kindText(ui, problem.incidents[0]), described(ui, describedTogether(problem), now).about].join(
          t('punctuation.colon'),
        ),
      })),
    ...problemLines(ui, troubled, now),
  ];
  const [first = [], second = []] = [troubled, ranked].map((targets) => targets.filter(isOnMap));
  const mapped = first.length > 0 ? first : second;
  const inTurn = mapped[Math.floor(now / 1_000 / TURN_SECONDS) % mapped.length];
  return (
    <div data-wall className="grid gap-5">
      {ranked.length === 0 ? <NoTargets ui={ui} editable={false} /> : null}
      <WallBoard
        ui={ui}
        targets={ranked}
        problems={problems}
        beside={
          inTurn ? <TurnMap ui={ui} entry={inTurn} open={marks.get(inTurn.target.id)?.open ?? []} now={now} /> : null
        }
        linked
        now={now}
      />
      <p>
        <Link href="/" prefetch={false} className="link">
          {t('nav.overview')}
        </Link>
      </p>
      <LiveRefresh seconds={TURN_SECONDS} />
    </div>
  );
});

/** Whether a target is measured at a place of a map. */
const isOnMap = ({ target }: RankedTarget) => mapViews(target.places.map(({ region }) => region)).length > 0;

type TurnProps = { ui: Ui; entry: RankedTarget; open: OpenIncident[]; now: number };

/** The last hour of a target on the map, against what is usual, with the places of what somebody should look at. */
async function TurnMap({ ui, entry, open, now }: TurnProps) {
  const { places } = entry.target;
  const target = await findTarget(entry.target.id);
  if (!target) return null;
  const filter = readFilter({ range: '1h' }, now);
  const reader = await readTarget(target, { ...narrowed(filter), variant: 'main' });
  const matrix = await againstUsual(await matrixOf(reader, filter));
  const tones = tonesOf(matrix, filter.against);
  const urgent = open.filter((incident) => needsLook(incidentParts(incident, target.id, places), now));
  return (
    <div>
      <h2 className="mb-2 truncate text-[1.6rem]">{target.name}</h2>
      <MapPanel
        ui={ui}
        path={`/targets/${target.id}`}
        filter={filter}
        matrix={matrix}
        tones={tones}
        marked={markedCells(ui, target.id, urgent, places, now)}
      />
    </div>
  );
}
