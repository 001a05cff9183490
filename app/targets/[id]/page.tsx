import Link from 'next/link';
import { ChoiceLinks } from '#components/filters/choice-links.tsx';
import { CHOICES, type Filter, filterHref } from '#components/filters/filter.ts';
import { StapleTable } from '#components/result/staple-table.tsx';
import { CarrierCards } from '#components/target/carrier-cards.tsx';
import { tonesOf } from '#components/target/heat.ts';
import { MapPanel } from '#components/target/map-panel.tsx';
import { mapViews } from '#components/target/map-places.tsx';
import { comparable, regressedCells } from '#components/target/matrix-rows.ts';
import { MatrixTable } from '#components/target/matrix-table.tsx';
import { markedCells, type Note } from '#components/target/notices.tsx';
import { SettingList } from '#components/target/setting-list.tsx';
import { TopList } from '#components/target/top-list.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { Figure } from '#components/ui/figure.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import type { Waste } from '#contract/advice.ts';
import type { Location } from '#contract/extent.ts';
import type { FailureSum } from '#contract/failure.ts';
import type { IncidentCell } from '#contract/incident.ts';
import { byUrgency, incidentParts, needsLook } from '#contract/incident-parts.ts';
import { presetRange, RANGES } from '#contract/query.ts';
import { splitSecrets } from '#contract/target-secrets.ts';
import { MIN_CELL_SAMPLES, worstCells } from '#contract/target-summary.ts';
import type { Unit } from '#contract/vocabulary.ts';
import { wasteText } from '#i18n/advice.ts';
import { failureSentence, reasonText } from '#i18n/incident.ts';
import { formatTime, sinceText } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { slowerFrom, slowerText } from '#i18n/usual.ts';
import { readSnapshots } from '#server/advice/snapshots.ts';
import { vantagesWithoutSecrets } from '#server/targets/checks.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { findTarget } from '../../find.ts';
import { type TargetFigures, targetFigures } from './figures.ts';
import { targetStaples } from './staples.ts';
import { isYoung, openTargetPage, TargetFrame, type TargetPage, type TargetPageProps } from './target-frame.tsx';

export const generateMetadata = readerTitle(async ({ t }, { params }: TargetPageProps) => {
  const target = await findTarget((await params).id);
  return target?.name ?? t('notFound.title');
});

const TOP = 5;
/** Seconds between refreshes while the first results are awaited. */
const EAGER_SECONDS = 3;

/** A target by region and carrier: figures, carriers, map, the worst, and the matrix. */
export default readerPage(async function TargetOverviewPage(props: TargetPageProps, reader) {
  const page = sinceTrouble(await openTargetPage(props, reader));
  const { settings } = page.target;
  const secrets = settings.clientCertificate !== null || splitSecrets(settings).secrets !== null;
  const [figures, staples, snapshots, without] = await Promise.all([
    targetFigures(page.ui, page.target, page.filter),
    targetStaples(page.target, page.filter),
    readSnapshots(page.target.id),
    secrets ? vantagesWithoutSecrets(page.target.id) : [],
  ]);
  // It is of all places.
  const isNarrowed = page.filter.regions.length + page.filter.carriers.length > 0 || page.filter.access !== 'any';
  const waste = isNarrowed ? null : (snapshots.get(page.target.id)?.waste ?? null);
  const empty = figures.matrix.margins.all.n === 0 && figures.carriers.every((carrier) => carrier.n === 0);
  const filling = figures.matrix.cells.some((cell) => cell.n === 0);
  return (
    <TargetFrame
      page={page}
      view="overview"
      notes={empty ? [] : notesOf(page, figures, waste)}
      imported={figures.importedUntil}
    >
      {empty ? (
        <NoResults page={page} assigned={figures.matrix.regions.length > 0} />
      ) : (
        <>
          <Overview page={page} figures={figures} />
          <StapleTable ui={page.ui} {...staples} />
        </>
      )}
      <WithoutSecrets page={page} names={without} />
      <SettingList ui={page.ui} settings={settings} />
      <LiveRefresh
        {...(isYoung(page.target) && (empty || filling)
          ? { seconds: EAGER_SECONDS }
          : { follow: { target: page.target.id } })}
      />
    </TargetFrame>
  );
});

/**
 * Where no range is asked for: since the most urgent incident began that somebody should look at, a day at most; else the last hour, or of
 * targets that are seldom probed the shortest range with enough results of each place. Of a new target all that there is of the day.
 */
function sinceTrouble(page: TargetPage): TargetPage {
  const { ui, target, filter, open, places, now } = page;
  const needed = (MIN_CELL_SAMPLES + 1) * target.periodSeconds * 1_000;
  const day = presetRange('24h', now);
  const presets = RANGES.map((range) => presetRange(range, now));
  const isLongEnough = ({ from, to }: typeof day) =>
    Date.parse(to) - Date.parse(from) >= needed && from >= target.createdAt;
  const quiet = presets.find(isLongEnough) ?? day;
  const [urgent] = open
    .map((incident) => incidentParts(incident, target.id, places))
    .filter((incident) => needsLook(incident, now))
    .sort(byUrgency);
  const isRecent = urgent !== undefined && urgent.onsetAt > day.from;
  const { range, ...times } = isRecent ? { ...quiet, from: urgent.onsetAt } : urgent ? day : quiet;
  const auto = isRecent ? { since: sinceText(ui, times.from, now) } : { preset: range };
  return { ...page, auto, filter: filter.range === 'auto' ? { ...filter, ...times } : filter };
}

/** Beside its incidents: what of a visit is waste, and since when the target is slower than usual. */
function notesOf({ ui, path, filter, open, now }: TargetPage, { matrix, slower }: TargetFigures, waste: Waste | null) {
  const notes: Note[] = [];
  if (waste) {
    const text = (
      <>
        {wasteText(ui, waste)}{' '}
        <Link href={filterHref(`${path}/advice`, filter)} prefetch={false} className="link underline">
          {ui.t('advice.wasteLink')}
        </Link>
      </>
    );
    notes.push({ key: 'waste', warns: false, text });
  }
  // What began after the range that is shown says nothing of it.
  const isMeant = ({ region, carrier }: Pick<IncidentCell, 'region' | 'carrier'>) =>
    [filter.regions, filter.carriers].every(
      (chosen, index) => chosen.length === 0 || chosen.includes([region, carrier][index] ?? ''),
    );
  const meant = open.filter(({ cells }) => cells.some(isMeant));
  const since = slower && slowerFrom(slower.since, meant);
  if (slower && since && Date.parse(since) < Date.parse(matrix.to)) {
    const text = <span title={ui.t('usual.def')}>{slowerText(ui, { ...slower, since }, now)}</span>;
    notes.push({ key: 'usual', warns: true, text });
  }
  return notes;
}

/** Which selected vantages do not probe the target, as they may not hold its secrets; their names for the administrator. */
function WithoutSecrets({ page: { ui, reader }, names }: { page: TargetPage; names: string[] }) {
  if (names.length === 0) return null;
  const list = names.slice(0, MOST_NAMED).join(ui.t('punctuation.list'));
  return (
    <p className="mb-3 rounded-lg bg-warn-soft px-4 py-2 text-warn">
      {ui.t('target.withoutSecrets', { n: names.length })}{' '}
      {reader === 'admin'
        ? ui.t('target.withoutSecretsNames', { list, more: Math.max(0, names.length - MOST_NAMED) })
        : null}
    </p>
  );
}

const MOST_NAMED = 10;

/** Why there is nothing yet: the filter, paused, no vantage, or not yet. */
function NoResults({ page: { ui, target, reader, filter }, assigned }: { page: TargetPage; assigned: boolean }) {
  const { t } = ui;
  if (filter.regions.length + filter.carriers.length > 0 || filter.access !== 'any')
    return <Empty title={t('results.emptyTitle')} text={t('results.emptyText')} />;
  if (!target.enabled) return <Empty title={t('target.pausedTitle')} text={t('target.pausedText')} />;
  if (assigned) {
    const text = t('target.firstResults', { seconds: target.periodSeconds });
    return <Empty title={t('target.emptyTitle')} text={text} />;
  }
  return (
    <Empty title={t('target.noVantagesTitle')} text={t('target.noVantages')}>
      {reader === 'admin' ? (
        <Link href="/vantages/new" prefetch={false} className="btn">
          {t('vantages.add')}
        </Link>
      ) : null}
    </Empty>
  );
}

type OverviewProps = { page: TargetPage; figures: TargetFigures };

/** The figures whose course over time is on the trend alone. */
const COURSES: Partial<Record<Unit, Pick<Filter, 'metric' | 'stat'>>> = {
  ratio: { metric: 'tls', stat: 'availability' },
  roundTrips: { metric: 'roundTrips', stat: 'mean' },
};

function Overview({ page, figures: { matrix, figures, carriers, phases, failures } }: OverviewProps) {
  const { ui, path, filter, target, now } = page;
  const { t } = ui;
  const tones = tonesOf(matrix, filter.against);
  const marked = markedCells(ui, target.id, page.open, page.places, now);
  const shared = { ui, path, filter, matrix };
  const unclean = matrix.unclean > 0 ? t('common.unclean', { n: matrix.unclean }) : null;
  const mostUnclean = matrix.unclean > matrix.margins.all.n;
  // Where nothing succeeds there are no times: why stands in their place.
  const reason = failures.availability === 0 ? failures.failures.find(({ source }) => source !== 'prober') : undefined;
  const shown = reason ? figures.filter(({ value }) => value !== null) : figures;
  // What was imported may have succeeded meanwhile.
  const noneSucceeded = reason !== undefined && figures[0]?.n === 0;
  return (
    <>
      {unclean && mostUnclean && !reason ? (
        <p className="mb-3 rounded-lg bg-warn-soft px-4 py-2 text-warn">{unclean}</p>
      ) : null}
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <p className="text-[0.9rem] text-muted">
          {t('target.window', {
            from: formatTime(matrix.from, ui.timeZone, 'minute'),
            to: formatTime(matrix.to, ui.timeZone, 'minute'),
          })}
        </p>
        <AgainstLinks page={page} />
      </div>
      <section aria-label={t('target.figures')}>
        <dl className="panel mb-4 grid grid-cols-2 divide-line sm:grid-cols-3 lg:grid-cols-5 lg:divide-x">
          {shown.map((figure) => (
            <Figure key={figure.label} ui={ui} figure={figure} against={filter.against}>
              {figure.unit === 'ratio' && figure.value !== null && figure.value < 1 ? (
                <Link
                  href={filterHref(`${path}/results`, filter, { outcome: 'failed', variant: 'main' })}
                  prefetch={false}
                  className="link mr-3 inline-block py-1"
                >
                  {t('target.failures')}
                </Link>
              ) : null}
              {figure.value !== null && COURSES[figure.unit] ? (
                <Link
                  href={filterHref(`${path}/trend`, filter, COURSES[figure.unit])}
                  prefetch={false}
                  className="link inline-block py-1"
                >
                  {t('target.course')}
                </Link>
              ) : null}
            </Figure>
          ))}
          {reason ? (
            <div className="col-span-2 min-w-0 px-4 py-3 lg:col-span-4">
              <dt className="text-[0.9rem] text-muted">{t('failing.title')}</dt>
              <dd>
                <p className="font-semibold text-[1.25rem] text-bad">{reasonText(ui, reason)}</p>
                <ul>
                  <FailureList ui={ui} failures={failures.failures} places={failures.places} now={now} />
                </ul>
              </dd>
            </div>
          ) : null}
        </dl>
      </section>
      {!reason && failures.failures.length > 0 ? (
        <section aria-label={t('failing.title')} className="panel mb-4 px-4 py-2">
          <ul>
            <FailureList ui={ui} failures={failures.failures} places={failures.places} now={now} />
          </ul>
        </section>
      ) : null}
      <CarrierCards ui={ui} path={path} filter={filter} carriers={carriers} failures={failures.failures} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        {mapViews(matrix.regions).length > 0 ? (
          <div className="lg:row-span-2">
            <MapPanel {...shared} tones={tones} marked={marked} />
          </div>
        ) : null}
        <TopList
          {...shared}
          title={t('target.worst')}
          empty={
            noneSucceeded
              ? t('failing.none')
              : t('target.worstEmpty', {
                  n: MIN_CELL_SAMPLES,
                  minutes: Math.ceil((MIN_CELL_SAMPLES * target.periodSeconds) / 60),
                })
          }
          cells={worstCells(matrix, TOP)}
        />
        {filter.against === 'value' ? null : (
          <TopList
            {...shared}
            title={t('target.regressed', { against: filter.against })}
            empty={
              noneSucceeded
                ? t('failing.none')
                : comparable(matrix)
                  ? t('target.noRegressed', { against: filter.against })
                  : t('target.regressedEmpty', { against: filter.against, n: MIN_CELL_SAMPLES })
            }
            cells={regressedCells(matrix, TOP)}
          />
        )}
      </div>
      <MatrixTable {...shared} tones={tones} marked={marked} phases={phases} />
      {unclean && (reason || !mostUnclean) ? <p className="mt-2 text-muted">{unclean}</p> : null}
    </>
  );
}

/** What figures are set against, and so what colours say. */
function AgainstLinks({ page: { ui, path, filter } }: { page: TargetPage }) {
  const choices = CHOICES.against.map((against) => ({
    key: against,
    href: filterHref(path, filter, { against }),
    text: ui.t(`against.${against}`),
    title: ui.t(`against.def.${against}`),
    current: filter.against === against,
  }));
  return <ChoiceLinks label={ui.t('against.label')} shown choices={choices} />;
}

/** So many kinds of failure are told; the rest are among the single results. */
const KINDS = 4;

type Props = { ui: Ui; failures: FailureSum[]; places: readonly Location[]; now: number };

/** Why a target's probes fail, a sentence each, the commonest first; nothing where none failed. */
function FailureList({ ui, failures, places, now }: Props) {
  return failures.slice(0, KINDS).map((failure) => (
    <li key={`${failure.source} ${failure.phase} ${failure.reason}`} className="py-0.5">
      <span className={failure.source === 'prober' ? 'text-muted' : 'text-bad'}>
        {failureSentence(ui, failure, places, now)}
      </span>
    </li>
  ));
}
