import { type Summary, statisticOf } from '#analysis/summary.ts';
import {
  FailureKind,
  type FailureSum,
  type FailuresQuery,
  MAX_FAILURES_READ,
  type TargetFailures,
} from '#contract/failure.ts';
import { IS_MAIN } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { rowsOf } from '#server/database/one-target.ts';
import { type RollupCell, readRanges } from '#server/rollups/read.ts';
import { targetRef } from '#server/targets/target-ref.ts';
import type { LocationFilter } from '#server/vantages/labels.ts';
import { type Cells, cellKey, type Locations } from './cells.ts';
import { readTarget, type TargetReader } from './figures.ts';
import { instantOf, type Range } from './range.ts';

/** Failures further apart than this are no longer the same stretch, in seconds. */
const PAUSE = 600;
const HOUR = 3_600;
const DAY = 86_400;
/** How far (seconds) before a range's end the beginning of a stretch of failures is looked for, and in steps of what length. */
const LOOKED_BACK = [
  { from: 7 * DAY, to: DAY, step: HOUR },
  { from: DAY, to: HOUR, step: 600 },
  { from: HOUR, to: 0, step: 60 },
];

/** A target whose failures are asked for: `counts` are of the range's rollups. */
export type FailingTarget = { id: string; counts: Summary };

/** Probes of one bucket: its beginning in seconds, its length, and how many failed by the target or resolver, and at the prober. */
type Bucket = [at: number, step: number, total: number, ok: number, failed: number, failedProber: number];
/** Failed results of one kind at one vantage; the first and last in seconds. */
type Group = [phase: number, reason: number, source: number, vantage: string, n: number, first: number, last: number];
type Row = { id: string; groups: Group[] };
type Failed = Row & { buckets: Bucket[] };

/** Why a target failed over a range, the last 24 hours where left out, as our own probers found it. Throws `not_found`, or `invalid` for a range that is none. */
export async function queryFailures(id: string, query: FailuresQuery & LocationFilter): Promise<TargetFailures> {
  return await failuresOf(await readTarget(await targetRef(id, 'id'), query));
}

/** The same of what a reader reads. */
export async function failuresOf(reader: TargetReader): Promise<TargetFailures> {
  const { target, range, locations, cells: read } = reader.own();
  const cells = await read('tls');
  const { all } = cells;
  const failures = await readFailures([{ id: target.id, counts: all }], range, locations);
  return {
    targetId: target.id,
    from: instantOf(range.from),
    to: instantOf(range.to),
    probes: all.total,
    availability: statisticOf(all, 'tls', 'availability').value,
    places: measuredLocations(cells, locations),
    failures: failures.get(target.id) ?? [],
  };
}

/**
 * Why targets failed, by their ids, in one statement; those without a failure are not asked for. The shares are the
 * rollups'; the reasons are counted over the latest MAX_FAILURES_READ failed results of each target.
 */
export async function readFailures(
  targets: readonly FailingTarget[],
  range: Range,
  locations: Locations,
): Promise<Map<string, FailureSum[]>> {
  const failing = targets.filter(({ counts }) => counts.total > counts.ok);
  if (failing.length === 0 || locations.groups.size === 0) return new Map();
  const ids = failing.map(({ id }) => id);
  const [groups, histories] = await Promise.all([
    readGroups(ids, range, [...locations.groups.keys()]),
    readHistories(ids, range.to, locations),
  ]);
  const rows = groups.map((row): Failed => ({ ...row, buckets: histories.get(row.id) ?? [] }));
  const strings = await stringsOf(
    new Set(rows.flatMap(({ groups }) => groups.flatMap((group) => [group[0], group[1], group[2]]))),
  );
  const counts = new Map(failing.map((target) => [target.id, target.counts]));
  return new Map(
    rows.flatMap((row) => {
      const own = counts.get(row.id);
      return own ? [[row.id, sumsOf(row, own, range, locations, strings)] as const] : [];
    }),
  );
}

async function readGroups(ids: string[], { from, to }: Range, vantages: string[]): Promise<Row[]> {
  const seconds = (column: string) => `extract(epoch from ${column})::float8`;
  const values: unknown[] = [ids, from, to, vantages];
  const { rows } = await getPool().query<Row>(
    `select t.id, failed.groups
      from unnest($1::uuid[]) as t (id)
      cross join lateral (
        select json_agg(json_build_array(phase, reason, source, vantage_id, n, first, last)) as groups
        from (
          select target_id, failure_phase_id as phase, failure_reason_id as reason, failure_source_id as source, vantage_id,
            count(*)::int as n, ${seconds('min(started_at)')} as first, ${seconds('max(started_at)')} as last
          from (
            select * from ${rowsOf('result', ids, values)} r where target_id = t.id and started_at >= to_timestamp($2) and started_at < to_timestamp($3::float8)
              and not ok and ${IS_MAIN} and vantage_id = any($4::uuid[])
            order by started_at desc limit ${MAX_FAILURES_READ}
          ) latest
          where failure_reason_id is not null group by 1, 2, 3, 4, 5
        ) grouped group by target_id
      ) failed`,
    values,
  );
  const groups = new Map(rows.map((row) => [row.id, row.groups]));
  return ids.map((id) => ({ id, groups: groups.get(id) ?? [] }));
}

/** How the probes of targets ended before an instant (seconds), the newest first: by minutes, tens, then hours. */
async function readHistories(ids: string[], to: number, { all, groups }: Locations): Promise<Map<string, Bucket[]>> {
  const counted = all ? null : new Map([...groups.keys()].map((id) => [id, 0]));
  const ranges = ids.flatMap((targetId) =>
    LOOKED_BACK.map((back) => ({
      targetId,
      from: to - back.from,
      to: to - back.to,
      step: back.step,
      metric: null,
      groups: counted,
    })),
  );
  const cells = await readRanges(ranges);
  const histories = new Map<string, Bucket[]>();
  for (const [index, { targetId, step }] of ranges.entries()) {
    const buckets = (cells[index] ?? []).map((cell) => bucketOf(cell, step));
    histories.set(targetId, [...(histories.get(targetId) ?? []), ...buckets]);
  }
  for (const buckets of histories.values()) buckets.sort((a, b) => b[0] - a[0]);
  return histories;
}

function bucketOf({ slot, summary: { total, ok, failedProber } }: RollupCell, step: number): Bucket {
  return [slot, step, total, ok, total - ok - failedProber, failedProber];
}

type Strings = ReadonlyMap<number, string>;

function sumsOf(
  { groups, buckets }: Failed,
  counts: Summary,
  range: Range,
  locations: Locations,
  strings: Strings,
): FailureSum[] {
  const kinds = Map.groupBy(groups, ([phase, reason, source]) => `${phase} ${reason} ${source}`);
  const total = groups.reduce((sum, [, , , , n]) => sum + n, 0);
  const complete = total < MAX_FAILURES_READ;
  const readFrom = complete ? range.from : Math.min(...groups.map(([, , , , , first]) => first));
  const byProber = (group: Group) => strings.get(group[2]) === 'prober';
  const read = { prober: 0, target: 0 };
  for (const group of groups) read[byProber(group) ? 'prober' : 'target'] += group[4];
  const newest = buckets[0]?.[0] ?? range.to;
  const sums = [...kinds.values()].flatMap((same): Sum[] => {
    const [first] = same;
    const kind = FailureKind.safeParse(first && kindOf(first, strings)).data;
    if (!first || !kind) return [];
    const isProber = kind.source === 'prober';
    const failed = isProber ? counts.failedProber : counts.total - counts.ok - counts.failedProber;
    const probes = isProber ? counts.total : counts.total - counts.failedProber;
    const n = same.reduce((sum, group) => sum + group[4], 0);
    const firstAt = Math.min(...same.map((group) => group[5]));
    const lastAt = Math.max(...same.map((group) => group[6]));
    const began = beginning(buckets, isProber);
    return [
      {
        ...kind,
        share: probes > 0 ? Math.min(1, (failed / probes) * (n / read[isProber ? 'prober' : 'target'])) : 0,
        places: placesOf(same, locations),
        firstAt: exactly(firstAt),
        lastAt: exactly(lastAt),
        since: sinceOf({ began, firstAt, lastAt, readFrom, newest }),
        n,
      },
    ];
  });
  return sums.map((sum) => withShareSince(sum, sums, buckets)).sort((a, b) => rank(a) - rank(b) || b.share - a.share);
}

/** Of the range, and how many results of the kind were read. */
type Sum = Omit<FailureSum, 'shareSince'> & { n: number };

/** Counted over the stretch alone: a target that broke a minute ago fails, however long the range before it was. */
function withShareSince({ n, ...sum }: Sum, sums: Sum[], buckets: Bucket[]): FailureSum {
  const { since, source } = sum;
  if (since === null) return { ...sum, shareSince: null };
  const isProber = source === 'prober';
  const going = sums.filter((each) => each.since !== null && (each.source === 'prober') === isProber);
  const own = n / going.reduce((all, each) => all + each.n, 0);
  const count = { failed: 0, probes: 0 };
  for (const [at, step, total, , failed, failedProber] of buckets) {
    if (at + step <= Date.parse(since) / 1_000) continue;
    count.failed += isProber ? failedProber : failed;
    count.probes += isProber ? total : total - failedProber;
  }
  return { ...sum, shareSince: count.probes > 0 ? Math.min(1, (count.failed / count.probes) * own) : sum.share };
}

/** What goes on before what has stopped, and the prober's own faults last. */
const rank = ({ source, since }: FailureSum) => (source === 'prober' ? 2 : 0) + (since === null ? 1 : 0);

const kindOf = ([phase, reason, source]: Group, strings: Strings) => ({
  phase: strings.get(phase),
  reason: strings.get(reason),
  source: strings.get(source),
});

const exactly = (seconds: number) => new Date(seconds * 1_000).toISOString();

function placesOf(groups: Group[], { groups: byVantage, cells }: Locations) {
  const indices = new Set(groups.flatMap(([, , , vantage]) => byVantage.get(vantage) ?? []));
  return [...indices]
    .sort((a, b) => a - b)
    .flatMap((index) => cells[index] ?? [])
    .map(({ region, carrier }) => ({ region, carrier }));
}

/**
 * When the stretch of failures began that goes on now, in seconds; null where it has stopped. Where everything fails now it
 * began after the last success, else after the last pause.
 */
function beginning(buckets: Bucket[], isProber: boolean): number | null {
  const measured = buckets.filter(([, , total]) => total > 0);
  const [newest] = measured;
  if (!newest) return null;
  const failedIn = ([, , , , failed, failedProber]: Bucket) => (isProber ? failedProber : failed) > 0;
  const allFail = newest[3] === 0 && failedIn(newest);
  let began: number | null = null;
  for (const bucket of measured) {
    const [at, step, , ok] = bucket;
    if (allFail && ok > 0) break;
    if ((began ?? newest[0]) - (at + step) >= PAUSE) break;
    if (failedIn(bucket)) began = at;
  }
  return began;
}

type Stretch = { began: number | null; firstAt: number; lastAt: number; readFrom: number; newest: number };

/** A kind that came later than the stretch, and not just with the first results that were read, began by itself. */
function sinceOf({ began, firstAt, lastAt, readFrom, newest }: Stretch): string | null {
  if (began === null || newest - lastAt >= PAUSE) return null;
  const seenBeginning = firstAt - readFrom >= PAUSE || began >= readFrom;
  return exactly(seenBeginning ? Math.max(began, firstAt) : began);
}

/** The locations with results, as extents are counted against. */
const measuredLocations = ({ byCell }: Cells, { cells }: Locations) =>
  locationsOf(cells.filter(({ region, carrier }) => byCell.has(cellKey(region, carrier))));

/** The locations of groups. */
export const measuredGroups = (groups: ReadonlySet<number>, { cells }: Locations) =>
  locationsOf(cells.filter((_, group) => groups.has(group)));

const locationsOf = (cells: Locations['cells']) => cells.map(({ region, carrier }) => ({ region, carrier }));
