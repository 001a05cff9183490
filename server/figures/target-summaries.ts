import { changeOf, emptySummary, type Summary, statisticOf } from '#analysis/summary.ts';
import type { Matrix } from '#contract/query.ts';
import { type TargetSummary, type WorstCell, worstCells } from '#contract/target-summary.ts';
import { getPool } from '#server/database/database.ts';
import { type RollupCell, readRanges } from '#server/rollups/read.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import { type Cells, cellsOf, type Locations, matrixLocations } from './cells.ts';
import { measuredLocations, readFailures } from './failures.ts';
import { buildMatrix } from './matrix.ts';
import { instantOf, type Range } from './range.ts';

type TargetRow = {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  demo: boolean;
  periodSeconds: number;
  updatedAt: Date;
};
/** A summary, and what its failures are looked for by. */
type Measured = { summary: TargetSummary; counts: Summary };

const METRIC = 'tls';
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const SPARKLINE_POINTS = 24;
/** After so many periods without a result, and at least so many seconds, a target's figures are not of now. */
const STALE_PERIODS = 5;
const STALE_SECONDS = 180;

/** Every target that is not deleted, newest first, with its state over the last hour: a few statements for all of them. */
export async function listTargetSummaries(): Promise<TargetSummary[]> {
  const [targets, locations] = await Promise.all([listTargets(), matrixLocations({})]);
  const now = Math.ceil(Date.now() / 1_000 / MINUTE) * MINUTE;
  const ids = targets.map(({ id }) => id);
  const [readings, last] = await Promise.all([readTargets(ids, locations, now), lastResults(ids)]);
  const measured = targets.map((row, index) =>
    summarise(row, readings[index] as Read, last.get(row.id) ?? null, locations),
  );
  const failing = measured.map(({ summary, counts }) => ({ id: summary.id, counts }));
  const failures = await readFailures(failing, { from: now - HOUR, to: now }, locations);
  return measured.map(({ summary }) => ({ ...summary, failures: failures.get(summary.id) ?? [] }));
}

/** Of a target: the last hour, the same hour yesterday, and the hours of a day. */
type Read = { hour: Range; cells: Cells; before: Cells; sparkline: TargetSummary['sparkline'] };

async function readTargets(ids: string[], locations: Locations, now: number): Promise<Read[]> {
  const hour = { from: now - HOUR, to: now };
  const firstPoint = Math.ceil(now / HOUR) * HOUR - SPARKLINE_POINTS * HOUR;
  const byPlace = { metric: METRIC, groups: locations.groups, step: null } as const;
  const cells = await readRanges(
    ids.flatMap((targetId) => [
      { targetId, ...hour, ...byPlace },
      { targetId, from: hour.from - DAY, to: hour.to - DAY, ...byPlace },
      { targetId, from: firstPoint, to: now, step: HOUR, metric: METRIC, groups: null },
    ]),
  );
  return ids.map((_, index) => {
    const [ofHour = [], before = [], hours = []] = cells.slice(index * 3);
    return {
      hour,
      cells: cellsOf(ofHour, locations),
      before: cellsOf(before, locations),
      sparkline: sparklineOf(hours, firstPoint),
    };
  });
}

async function listTargets(): Promise<TargetRow[]> {
  const { rows } = await getPool().query<TargetRow>(
    `select id, name, url, enabled, demo, period_seconds as "periodSeconds", updated_at as "updatedAt"
      from target where deleted_at is null order by created_at desc, id desc`,
  );
  return rows;
}

function summarise(row: TargetRow, read: Read, lastResultAt: string | null, locations: Locations): Measured {
  const { periodSeconds, updatedAt, ...target } = row;
  const { hour, cells, before, sparkline } = read;
  const p50 = statisticOf(cells.all, METRIC, 'p50');
  const shown = { metric: METRIC, stat: 'p50', range: hour, demo: target.demo, generatedUntil: null } as const;
  const grid = { regions: [...cells.byRegion.keys()], carriers: [...cells.byCarrier.keys()] };
  const summary = {
    ...target,
    p50: p50.value,
    p95: statisticOf(cells.all, METRIC, 'p95').value,
    availability: statisticOf(cells.all, METRIC, 'availability').value,
    n: p50.n,
    changeVsYesterday: changeOf(p50.value, statisticOf(before.all, METRIC, 'p50').value),
    lastResultAt,
    staleSince: staleSince(row, lastResultAt, Date.now()),
    places: measuredLocations(cells, locations),
    failures: [],
    sparkline,
    worst: worstOf(buildMatrix(shown, grid, cells, before)),
  };
  return { summary, counts: cells.all };
}

function worstOf(matrix: Matrix): WorstCell | null {
  const [worst] = worstCells(matrix, 1);
  if (!worst || worst.value === null) return null;
  const { region, carrier, value, n, compare } = worst;
  return { region, carrier, value, n, change: compare?.change ?? null };
}

/** A target that was just made or changed has its time until results are missed. */
function staleSince({ enabled, periodSeconds, updatedAt }: TargetRow, lastResultAt: string | null, now: number) {
  const allowed = Math.max(STALE_PERIODS * periodSeconds, STALE_SECONDS) * 1_000;
  const last = lastResultAt ?? updatedAt.toISOString();
  const awaitedSince = Math.max(Date.parse(last), updatedAt.getTime());
  return enabled && now - awaitedSince > allowed ? last : null;
}

function sparklineOf(cells: RollupCell[], first: number): TargetSummary['sparkline'] {
  const bySlot = new Map(cells.map(({ slot, summary }) => [slot, summary]));
  return Array.from({ length: SPARKLINE_POINTS }, (_, index) => {
    const slot = first + index * HOUR;
    return { at: instantOf(slot), ...statisticOf(bySlot.get(slot) ?? emptySummary(), METRIC, 'p50') };
  });
}

/** When each target was last measured, by id. */
async function lastResults(ids: string[]): Promise<Map<string, string>> {
  const { rows } = await getPool().query<{ id: string; at: Date }>(
    `select t.id, last.at from unnest($1::uuid[]) as t (id) cross join lateral (
        select started_at as at from (
          select target_id, started_at from result where target_id = t.id order by started_at desc limit 1) newest
        ${ONE_BY_ONE}) last`,
    [ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at.toISOString()]));
}
