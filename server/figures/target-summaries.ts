import { changeOf, emptySummary, mergeSummary, type Summary, statisticOf } from '#analysis/summary.ts';
import { type MedianAt, MIN_CELL_SAMPLES, type TargetSummary, type WorstCell } from '#contract/target-summary.ts';
import type { Metric } from '#contract/vocabulary.ts';
import { shownUrl } from '#server/access/secret-parameters.ts';
import { mayBeSealed } from '#server/blocks/blocks.ts';
import { lastSealed } from '#server/blocks/scan.ts';
import { getPool } from '#server/database/database.ts';
import { TimedCache } from '#server/database/timed-cache.ts';
import { type RollupCell, type RollupRange, takeRanges } from '#server/rollups/read.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import { measuringPlaces, readPlaces } from '#server/vantages/labels.ts';
import { type Locations, locationsOf } from './cells.ts';
import { measuredGroups, readFailures } from './failures.ts';
import { once } from './figures.ts';
import { instantOf } from './range.ts';
import { isSlowerThan, readUsualOverall, type UsualOverall } from './usual.ts';

type TargetRow = {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  demo: boolean;
  managed: boolean;
  tags: string[];
  periodSeconds: number;
  updatedAt: Date;
};
const METRIC: Metric = 'tls';
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const WEEK = 7 * DAY;
const SPARKLINE_POINTS = 24;
const DAYS_SHOWN = 14;
/** After so many periods without a result, and at least so many seconds, a target's figures are not of now. */
const STALE_PERIODS = 5;
const STALE_SECONDS = 180;

/**
 * From so many targets on, figures are kept (ms) for all who ask: they are fresh for FRESH_MS, and until STALE_MS still shown while
 * they are read again. So a reader of many targets does not wait for their figures, nor do many readers read them many times.
 */
const KEPT_FROM = 20;
const FRESH_MS = 3_000;
const STALE_MS = 20_000;
const kept = new TimedCache<Map<string, Figures>>('target figures', { freshMs: FRESH_MS, staleMs: STALE_MS });

/** Of days but the last nothing changes, so their medians are read this seldom, ms. */
const keptDays = new TimedCache<ReadonlyMap<string, MedianAt[]>>('target days', { freshMs: 60_000 });

/** What is measured of a target, `readAt` when (ms since 1970). */
type Figures = Pick<
  TargetSummary,
  | 'p50'
  | 'p95'
  | 'availability'
  | 'n'
  | 'changeVsYesterday'
  | 'changeVsLastWeek'
  | 'lastResultAt'
  | 'places'
  | 'failures'
  | 'sparkline'
  | 'days'
  | 'worst'
  | 'usual'
  | 'usualHours'
  | 'slowerSince'
> & { readAt: number };

/** Every target that is not deleted, newest first, with its state over the last hour: a few statements for all of them. */
export async function listTargetSummaries(): Promise<TargetSummary[]> {
  const targets = await listTargets();
  const ids = targets.map(({ id }) => id);
  const figures = await (ids.length < KEPT_FROM ? readFigures(ids) : kept.get('all', () => readFigures(ids)));
  // Targets that came since.
  const others = ids.filter((id) => !figures.has(id));
  const more = others.length === 0 ? figures : await readFigures(others);
  return targets.map((row) => present(row, (figures.get(row.id) ?? more.get(row.id)) as Figures));
}

function present(row: TargetRow, { readAt, ...figures }: Figures): TargetSummary {
  const { periodSeconds, updatedAt, ...target } = row;
  return {
    ...target,
    ...figures,
    staleSince: staleSince(row, figures.lastResultAt, Math.max(readAt, updatedAt.getTime())),
  };
}

async function readFigures(ids: string[]): Promise<Map<string, Figures>> {
  const readAt = Date.now();
  const now = Math.ceil(readAt / 1_000 / MINUTE) * MINUTE;
  // How a target is doing is what our own probers measure; the line of days also shows what was imported.
  const locations = locationsOf(measuringPlaces(await readPlaces({})));
  const days = await keptDays.fresh('all');
  const [readings, last, usual] = await Promise.all([
    readInTurn(ids, { locations, now, days: days ?? new Map() }),
    lastResults(ids, locations),
    readUsualOverall(now, sparklineHours(now)),
  ]);
  if (!days) keptDays.put('all', new Map(readings.map((read, index) => [ids[index] as string, read.days])));
  const failing = readings.map(({ counts }, index) => ({ id: ids[index] as string, counts }));
  const failures = await readFailures(failing, { from: now - HOUR, to: now }, locations);
  const figuresOf = (id: string, read: Read): Figures => ({
    ...summarise(read, locations),
    ...slowness(statisticOf(read.counts, METRIC, 'p50').value, usual.get(id)),
    lastResultAt: last.get(id) ?? null,
    failures: failures.get(id) ?? [],
    readAt,
  });
  return new Map(ids.map((id, index) => [id, figuresOf(id, readings[index] as Read)]));
}

/** The beginnings of the hours of a sparkline that ends at `now`, seconds since 1970. */
const sparklineHours = (now: number) =>
  Array.from({ length: SPARKLINE_POINTS }, (_, index) => (Math.ceil(now / HOUR) - SPARKLINE_POINTS + index) * HOUR);

/** Of a target: the last hour, and the hours of a day. */
type Read = {
  counts: Summary;
  /** Indices of the locations with results. */
  measured: ReadonlySet<number>;
  worst: Worst | null;
  /** The same hour yesterday, over all locations. */
  p50Before: number | null;
  /** The same hour a week ago. */
  p50LastWeek: number | null;
  changeOfWorst: number | null;
  sparkline: MedianAt[];
  days: MedianAt[];
};
type Worst = { location: number; value: number; n: number };

/** So many targets are read at once: about 30 ms of adding up, after which others get their turn. */
const READ_AT_ONCE = 50;

/** `days` are those that are known already, by target. */
type Asked = { locations: Locations; now: number; days: ReadonlyMap<string, MedianAt[]> };

/** While some are added up, the database reads the next. */
async function readInTurn(ids: string[], asked: Asked): Promise<Read[]> {
  const reads: Promise<Read[]>[] = [];
  for (let first = 0; first < ids.length; first += READ_AT_ONCE) {
    await reads.at(-2);
    const read = readTargets(ids.slice(first, first + READ_AT_ONCE), asked);
    read.catch(() => {}); // it is waited for below, or one before it has failed
    reads.push(read);
  }
  return (await Promise.all(reads)).flat();
}

async function readTargets(ids: string[], { locations: { groups, all }, now, days }: Asked): Promise<Read[]> {
  const [firstHour = now] = sparklineHours(now);
  const firstDay = Math.ceil(now / DAY) * DAY - DAYS_SHOWN * DAY;
  const apart = once((location: number | null) => setApart(groups, location));
  const together = new Map([...groups.keys()].map((id) => [id, 0]));
  const asked = ids.flatMap((targetId) => {
    const read: Partial<Read> = { days: days.get(targetId) };
    const hour = (before: number) => ({
      targetId,
      from: now - HOUR - before,
      to: now - before,
      metric: METRIC,
      step: null,
    });
    const line = (from: number, step: number) => ({ targetId, from, to: now, metric: METRIC, step, groups: null });
    const ranges: Range[] = [
      { range: { ...hour(0), groups }, take: (cells) => Object.assign(read, ofLastHour(cells)) },
      {
        range: { ...hour(DAY), groups: () => apart(read.worst?.location ?? null) },
        take: (cells) => Object.assign(read, ofYesterday(cells, read.worst ?? null)),
      },
      {
        range: { ...hour(WEEK), groups: all ? null : groups },
        take: (cells) => Object.assign(read, { p50LastWeek: comparedIn(sumOf(cells)) }),
      },
      {
        // Hours are set against what is usual of our own.
        range: { ...line(firstHour, HOUR), groups: all ? null : together },
        take: (cells) => Object.assign(read, { sparkline: mediansOf(cells, firstHour, HOUR, SPARKLINE_POINTS) }),
      },
    ];
    if (!read.days)
      ranges.push({
        range: line(firstDay, DAY),
        take: (cells) => Object.assign(read, { days: mediansOf(cells, firstDay, DAY, DAYS_SHOWN) }),
      });
    return { read: read as Read, ranges };
  });
  const ranges = asked.flatMap((each) => each.ranges);
  await takeRanges(
    ranges.map(({ range }) => range),
    (cells, index) => ranges[index]?.take(cells),
  );
  return asked.map(({ read }) => read);
}

type Range = { range: RollupRange; take: (cells: RollupCell[]) => void };

/** Groups that set the vantages of one location apart from all others, as 1 and 0. */
function setApart(groups: Locations['groups'], location: number | null): Locations['groups'] {
  return new Map([...groups].map(([id, group]) => [id, group === location ? 1 : 0]));
}

function ofLastHour(cells: readonly RollupCell[]): Pick<Read, 'counts' | 'measured' | 'worst'> {
  return { counts: sumOf(cells), measured: new Set(cells.map(({ group }) => group)), worst: worstOf(cells) };
}

/** Of all locations the worst one's yesterday alone is shown. */
function ofYesterday(cells: readonly RollupCell[], worst: Worst | null): Pick<Read, 'p50Before' | 'changeOfWorst'> {
  const earlier = cells.find(({ group }) => group === 1)?.summary ?? emptySummary();
  return {
    p50Before: comparedIn(sumOf(cells)),
    changeOfWorst: changeOf(worst?.value ?? null, comparedIn(earlier)),
  };
}

/** The median of enough results to be compared with another day's; null of fewer. */
function comparedIn(summary: Summary): number | null {
  const { value, n } = statisticOf(summary, METRIC, 'p50');
  return n < MIN_CELL_SAMPLES ? null : value;
}

function sumOf(cells: readonly RollupCell[]): Summary {
  const sum = emptySummary();
  for (const { summary } of cells) mergeSummary(sum, summary);
  return sum;
}

/** The location whose median is the largest, of those with enough results. */
function worstOf(cells: readonly RollupCell[]): Worst | null {
  let worst: Worst | null = null;
  for (const { group, summary } of cells) {
    const { value, n } = statisticOf(summary, METRIC, 'p50');
    if (value !== null && n >= MIN_CELL_SAMPLES && value > (worst?.value ?? -1)) worst = { location: group, value, n };
  }
  return worst;
}

async function listTargets(): Promise<TargetRow[]> {
  const { rows } = await getPool().query<TargetRow>(
    `select id, name, url, enabled, demo, managed_at is not null as managed, tags, period_seconds as "periodSeconds", updated_at as "updatedAt"
      from target where deleted_at is null order by created_at desc, id desc`,
  );
  return rows.map((row) => ({ ...row, url: shownUrl(row.url) }));
}

function summarise(
  read: Read,
  locations: Locations,
): Omit<Figures, 'lastResultAt' | 'failures' | 'readAt' | 'usual' | 'usualHours' | 'slowerSince'> {
  const { counts, measured, sparkline, days } = read;
  const p50 = statisticOf(counts, METRIC, 'p50');
  return {
    p50: p50.value,
    p95: statisticOf(counts, METRIC, 'p95').value,
    availability: statisticOf(counts, METRIC, 'availability').value,
    n: p50.n,
    changeVsYesterday: changeOf(comparedIn(counts), read.p50Before),
    changeVsLastWeek: changeOf(comparedIn(counts), read.p50LastWeek),
    places: measuredGroups(measured, locations),
    sparkline,
    days,
    worst: worstCell(read, locations),
  };
}

/** What is usual, and since when it is slower: not of one that is not slower by now. */
function slowness(
  p50: number | null,
  known: UsualOverall | undefined,
): Pick<Figures, 'usual' | 'usualHours' | 'slowerSince'> {
  const usual = known?.usual ?? {};
  const usualHours = known?.hours ?? [];
  return { usual, usualHours, slowerSince: isSlowerThan(p50, usual.tls ?? null) ? (known?.slowerSince ?? null) : null };
}

function worstCell({ worst, changeOfWorst: change }: Read, { cells }: Locations): WorstCell | null {
  const location = worst && cells[worst.location];
  if (!location) return null;
  const { region, carrier } = location;
  return { region, carrier, value: worst.value, n: worst.n, change };
}

/** A target that was just made or changed has its time until results are missed. */
function staleSince({ enabled, periodSeconds, updatedAt }: TargetRow, lastResultAt: string | null, now: number) {
  const allowed = Math.max(STALE_PERIODS * periodSeconds, STALE_SECONDS) * 1_000;
  const last = lastResultAt ?? updatedAt.toISOString();
  const awaitedSince = Math.max(Date.parse(last), updatedAt.getTime());
  return enabled && now - awaitedSince > allowed ? last : null;
}

/** The median of each of `count` slots of `step` seconds from `first` on. */
function mediansOf(cells: readonly RollupCell[], first: number, step: number, count: number): MedianAt[] {
  const bySlot = new Map(cells.map(({ slot, summary }) => [slot, summary]));
  return Array.from({ length: count }, (_, index) => {
    const slot = first + index * step;
    return { at: instantOf(slot), ...statisticOf(bySlot.get(slot) ?? emptySummary(), METRIC, 'p50') };
  });
}

/** When each target was last measured, by id. What was imported counts where it is sealed: nothing of now is. */
async function lastResults(ids: string[], { all, groups }: Locations): Promise<Map<string, string>> {
  const isMeasured = all ? '' : 'and vantage_id = any($2::uuid[])';
  const { rows } = await getPool().query<{ id: string; at: Date }>(
    `select t.id, last.at from unnest($1::uuid[]) as t (id) cross join lateral (
        select started_at as at from (
          select target_id, started_at from result where target_id = t.id ${isMeasured} order by started_at desc limit 1) newest
        ${ONE_BY_ONE}) last`,
    all ? [ids] : [ids, [...groups.keys()]],
  );
  const last = new Map(rows.map(({ id, at }) => [id, at.getTime()]));
  // Of a target that was measured today, no block is newer.
  const old = ids.filter((id) => mayBeSealed(last.get(id) ?? 0));
  for (const [id, at] of await lastSealed(old)) last.set(id, Math.max(at, last.get(id) ?? 0));
  return new Map([...last].map(([id, at]) => [id, new Date(at).toISOString()]));
}
