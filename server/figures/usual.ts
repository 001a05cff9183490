import { z } from 'zod';
import { statisticOf } from '#analysis/summary.ts';
import {
  classShares,
  dayParts,
  LEAST_SAMPLES,
  type PartLevel,
  SLOWER,
  slowerSince,
  USUAL_DAYS,
  usualLevels,
  usualOver,
} from '#analysis/usual-level.ts';
import { medianOf } from '#contract/median.ts';
import { getPool } from '#server/database/database.ts';
import { offsetOfCountry } from '#server/detection/time-zone.ts';
import { log } from '#server/environment/log.ts';
import { type RollupRange, takeRanges } from '#server/rollups/read.ts';
import { type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';

// Usual levels: what each series was at its best for days, within 30 days, by hour class (analysis/usual-level.ts). The jobs compute those of a target at
// a time from its rollups, twice a day, and at once where an incident of it was accepted: its series restart with the level that was accepted.

/** Metrics that have a usual level, in ms. */
export const USUAL_METRICS = ['tcp', 'tls', 'firstByte'] as const;
export type UsualMetric = (typeof USUAL_METRICS)[number];
export const isUsual = (metric: string): metric is UsualMetric => USUAL_METRICS.some((each) => each === metric);

/** How old (seconds) the levels of a target may be before they are computed again. */
const FRESH_SECONDS = 43_200;
/** The same of one that had none yet, and of one that was made within the last hour: its history may have been loaded since. */
const EMPTY_SECONDS = 300;
const NEW_SECONDS = 60;
/** Targets of one go: reading 30 days of one takes a second. */
const AT_ONCE = 1;
const HOUR = 3_600;
const DAY = 86_400;

const Levels = z.object({
  /** By hour class, ms. */
  levels: z.array(z.number().nullable()),
  /** Since when it has been slower than that, seconds since 1970. */
  since: z.number().nullable(),
  /** When its last part ended, seconds since 1970, if that was over a day before this was computed: it counts in no range after it. */
  until: z.number().optional(),
});
type Levels = z.infer<typeof Levels>;
const ByMetric = z.partialRecord(z.enum(USUAL_METRICS), Levels);
type ByMetric = z.infer<typeof ByMetric>;
const BySeries = z.record(z.string(), ByMetric);
const Overall = z.object({ country: z.string(), metrics: ByMetric });

/** Computes the levels that are due, the most overdue target first. Any number of processes may do so. */
export async function refreshUsual(signal?: AbortSignal): Promise<number> {
  let made = 0;
  for (; made < AT_ONCE && !signal?.aborted; made++) {
    const targetId = await claimNext();
    if (targetId === null) break;
    try {
      await computeUsual(targetId, Date.now());
    } catch (error) {
      log.warn({ err: error, target: targetId }, 'usual levels of a target cannot be computed');
    }
  }
  return made;
}

/** The least UUID of version 7 that is made at an instant of PostgreSQL's, in SQL. */
const firstIdAt = (instant: string) =>
  `(lpad(to_hex(floor(extract(epoch from ${instant}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/**
 * The target that is the most overdue, claimed by its time; null where none is due. One whose incident was accepted since is due: by
 * when that was written, which ids tell. What is accepted by itself is dated when it was due, hours or days before.
 */
async function claimNext(): Promise<string | null> {
  await getPool().query(
    `insert into target_usual (target_id, at, levels, overall)
      select id, 'epoch', '{}', '{"country": "", "metrics": {}}' from target t
      where t.deleted_at is null and not exists (select from target_usual u where u.target_id = t.id)
      on conflict do nothing`,
  );
  const { rows } = await getPool().query<{ id: string }>(
    `with accepted as (
      select distinct (cell ->> 'targetId')::uuid as target_id, e.id
        from incident_event e join incident i on i.id = e.incident_id
          cross join lateral jsonb_array_elements(i.cells::jsonb) cell
        where e.kind = 'accepted' and e.id > ${firstIdAt("now() - interval '1 day'")} and i.resolution = 'accepted'
          and cell ->> 'targetId' is not null)
    update target_usual set at = now() where target_id = (
      select u.target_id from target_usual u join target t on t.id = u.target_id
        where t.deleted_at is null and t.enabled and (u.at < now() - make_interval(secs =>
            case when u.overall -> 'metrics' <> '{}' then ${FRESH_SECONDS}
              when t.created_at > now() - interval '1 hour' then ${NEW_SECONDS} else ${EMPTY_SECONDS} end)
          or exists (select from accepted a where a.target_id = u.target_id and a.id > ${firstIdAt('u.at')}))
        order by u.at, u.target_id limit 1 for update of u skip locked)
      returning target_id as id`,
  );
  return rows[0]?.id ?? null;
}

/** Computes and stores the usual levels of a target's series as of `now` (ms since 1970). */
export async function computeUsual(targetId: string, now: number): Promise<void> {
  const [labels, restarts] = await Promise.all([vantageLabels(), restartsOf(targetId)]);
  const to = Math.floor(now / 3_600_000) * 3_600;
  const bySeries: Record<string, ByMetric> = {};
  // What is usual is judged by: of our own measurements alone.
  const places = [...labels.values()].filter(({ deleted, imported }) => !deleted && !imported);
  for (const [offset, same] of Map.groupBy(places, ({ country }) => wholeHours(country, to)))
    for (const { id, metric, levels } of await readParts(targetId, same, { to, offset })) {
      const restart = restarts.get(id);
      const counted = levels.filter(({ from }) => from >= (restart ?? 0));
      const usual = usualLevels(counted, { isAccepted: restart !== undefined });
      if (usual.every((level) => level === null)) continue;
      const until = counted.at(-1)?.to ?? to;
      const own = until < to - DAY ? { since: null, until } : { since: slowerSince(counted, usual) };
      bySeries[id] = { ...bySeries[id], [metric]: { levels: usual, ...own } };
    }
  await getPool().query('update target_usual set levels = $2, overall = $3 where target_id = $1', [
    targetId,
    JSON.stringify(bySeries),
    JSON.stringify(overallOf(bySeries, labels)),
  ]);
}

/** Parts of days are told by whole hours, which rollups have. */
const wholeHours = (country: string, at: number) => Math.round(offsetOfCountry(country, at) / 3_600) * 3_600;

/** The levels of a metric at a vantage, part by part. */
type SeriesParts = { id: string; metric: UsualMetric; levels: PartLevel[] };

/** Those of each series of a target. A day at a time: others get their turn. */
async function readParts(
  targetId: string,
  places: readonly VantageLabels[],
  { to, offset }: { to: number; offset: number },
): Promise<SeriesParts[]> {
  const groups = new Map(places.map(({ id }, index) => [id, index]));
  const found = new Map<string, SeriesParts>();
  for (let day = USUAL_DAYS; day > 0; day--) {
    const parts = dayParts(to - USUAL_DAYS * DAY, to, offset).filter(
      ({ from }) => from >= to - day * DAY && from < to - (day - 1) * DAY,
    );
    const asked = USUAL_METRICS.flatMap((metric) => parts.map((part) => ({ metric, part })));
    const ranges = asked.map(
      ({ metric, part }): RollupRange => ({ targetId, from: part.from, to: part.to, step: null, metric, groups }),
    );
    await takeRanges(ranges, (cells, index) => {
      const range = asked[index];
      for (const { group, summary } of range ? cells : []) {
        const id = places[group]?.id;
        if (range === undefined || id === undefined) continue;
        const { metric, part } = range;
        const { value, n } = statisticOf(summary, metric, 'p50');
        if (value === null || n < LEAST_SAMPLES) continue;
        const key = `${id} ${metric}`;
        const series = found.get(key) ?? { id, metric, levels: [] };
        found.set(key, series);
        series.levels.push({ ...part, level: value });
      }
    });
  }
  return [...found.values()];
}

/** From when on levels count at vantages whose level was accepted: the onset of the last that was, seconds since 1970. */
async function restartsOf(targetId: string): Promise<Map<string, number>> {
  const { rows } = await getPool().query<{ vantageId: string; at: number }>(
    `select cell ->> 'vantageId' as "vantageId", max(extract(epoch from (cell ->> 'changeAt')::timestamptz))::float8 as at
      from incident i cross join lateral jsonb_array_elements(i.cells::jsonb) cell
      where i.resolution = 'accepted' and i.resolved_at > now() - make_interval(days => ${2 * USUAL_DAYS})
        and cell ->> 'targetId' = $1 and cell ->> 'vantageId' is not null
        and (cell ->> 'recoveredAt' is null
          or not exists (select from jsonb_array_elements(i.cells::jsonb) other where other ->> 'recoveredAt' is null))
      group by 1`,
    [targetId],
  );
  return new Map(rows.map(({ vantageId, at }) => [vantageId, at]));
}

/**
 * What the series that are measured still have in common, or all where none is, for lists of targets: medians, and since when at least
 * half of them have been slower.
 */
function overallOf(bySeries: Record<string, ByMetric>, labels: Labels) {
  const countries = Map.groupBy(Object.keys(bySeries), (id) => labels.get(id)?.country ?? '');
  const [country = ''] = [...countries].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  const metrics: ByMetric = {};
  for (const metric of USUAL_METRICS) {
    const all = Object.values(bySeries).flatMap((each) => each[metric] ?? []);
    const current = all.filter(({ until }) => until === undefined);
    const known = current.length > 0 ? current : all;
    if (known.length > 0) metrics[metric] = { levels: mediansOf(known), since: commonSince(known) };
  }
  return { country, metrics };
}

const mediansOf = (known: readonly Levels[]): (number | null)[] =>
  (known[0]?.levels ?? []).map((_, hourClass) => medianOf(known.flatMap(({ levels }) => levels[hourClass] ?? [])));

/** The median of when they became slower, where at least half are. */
function commonSince(known: readonly Levels[]): number | null {
  const since = known.flatMap((each) => each.since ?? []).toSorted((a, b) => a - b);
  return since.length > 0 && 2 * since.length >= known.length ? (since[since.length >> 1] ?? null) : null;
}

/** The usual levels of a target's series. */
export type Usual = {
  /**
   * The usual median of some vantages over [from, to), seconds since 1970: the median of theirs, ms, without those that had fallen silent
   * before; null where none is known, and where results of theirs were imported up to `imported` (RFC 3339): what another monitor measured is not set against what is usual here.
   */
  levelOf(
    vantageIds: Iterable<string>,
    metric: UsualMetric,
    range: { from: number; to: number },
    imported?: string | null,
  ): number | null;
  /** Since when at least half of these vantages have been slower than usual, RFC 3339. */
  slowerSince(vantageIds: Iterable<string>, metric: UsualMetric): string | null;
};

/** Reads the usual levels of a target; nothing is known of one that has none yet. `labels` are read where they are not given. */
export async function readUsual(targetId: string, labels?: Labels): Promise<Usual> {
  return (await readUsualOf([targetId], labels))(targetId);
}

type Labels = ReadonlyMap<string, VantageLabels>;

/** Reads the usual levels of targets at once; gives those of each. */
export async function readUsualOf(targetIds: readonly string[], given?: Labels): Promise<(targetId: string) => Usual> {
  const [{ rows }, labels] = await Promise.all([
    getPool().query<{ id: string; levels: unknown }>(
      'select target_id as id, levels from target_usual where target_id = any($1::uuid[])',
      [targetIds],
    ),
    given ?? vantageLabels(),
  ]);
  const known = new Map(rows.map(({ id, levels }) => [id, usualOf(BySeries.parse(levels), labels)]));
  const unknown = usualOf({}, labels);
  return (targetId) => known.get(targetId) ?? unknown;
}

/** `classShares` of a country's clock, each once. */
function sharesByCountry(): (country: string, from: number, to: number) => number[] {
  const shares = new Map<string, number[]>();
  return (country, from, to) => {
    const offset = wholeHours(country, to);
    const key = `${offset} ${from} ${to}`;
    const known = shares.get(key) ?? classShares(from, to, offset);
    shares.set(key, known);
    return known;
  };
}

function usualOf(bySeries: z.infer<typeof BySeries>, labels: Labels): Usual {
  const sharesAt = sharesByCountry();
  return {
    levelOf(vantageIds, metric, { from, to }, imported = null) {
      const levels: number[] = [];
      const mayHoldImported = imported !== null && from * 1_000 <= Date.parse(imported);
      for (const id of vantageIds) {
        if (mayHoldImported && labels.get(id)?.imported) return null;
        const known = bySeries[id]?.[metric];
        if (known?.until !== undefined && known.until <= from) continue;
        const level = known && usualOver(known.levels, sharesAt(labels.get(id)?.country ?? '', from, to));
        if (level !== undefined && level !== null) levels.push(level);
      }
      const median = medianOf(levels);
      return median === null ? null : thousandths(median);
    },
    slowerSince(vantageIds, metric) {
      const all = [...vantageIds].flatMap((id) => bySeries[id]?.[metric] ?? []);
      const known = all.filter(({ until }) => until === undefined);
      return instantOrNull(commonSince(known));
    },
  };
}

/**
 * What lists of targets show: the usual level of all series together in the hour before an instant, and that of TLS time in some other hours,
 * ms; since when most series exceed it.
 */
export type UsualOverall = {
  usual: Partial<Record<UsualMetric, number>>;
  hours: (number | null)[];
  slowerSince: string | null;
};

/** Of all targets that have one, by their ids. `now`, and the beginnings of the other `hours`, in seconds since 1970. */
export async function readUsualOverall(now: number, hours: readonly number[]): Promise<Map<string, UsualOverall>> {
  const { rows } = await getPool().query<{ id: string; overall: unknown }>(
    'select target_id as id, overall from target_usual',
  );
  const sharesAt = sharesByCountry();
  return new Map(
    rows.map(({ id, overall }) => {
      const { country, metrics } = Overall.parse(overall);
      const levelIn = (metric: UsualMetric, from: number) => {
        const level = usualOver(metrics[metric]?.levels ?? [], sharesAt(country, from, from + HOUR));
        return level === null ? null : thousandths(level);
      };
      const usual: UsualOverall['usual'] = {};
      for (const metric of USUAL_METRICS) {
        const level = levelIn(metric, now - HOUR);
        if (level !== null) usual[metric] = level;
      }
      const since = instantOrNull(metrics.tls?.since ?? null);
      return [id, { usual, hours: hours.map((from) => levelIn('tls', from)), slowerSince: since }];
    }),
  );
}

/** Whether a level exceeds the usual one by as much as is called slower. */
export const isSlowerThan = (value: number | null, usual: number | null): boolean =>
  value !== null && usual !== null && value > usual * (1 + SLOWER.ratio) && value > usual + SLOWER.ms;

const thousandths = (ms: number) => Math.round(ms * 1_000) / 1_000;

const instantOrNull = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1_000).toISOString());
