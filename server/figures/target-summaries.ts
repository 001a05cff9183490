import { changeOf, emptySummary, mergeSummary, type Summary, statisticOf } from '#analysis/summary.ts';
import type { Matrix } from '#contract/query.ts';
import { type TargetSummary, type WorstCell, worstCells } from '#contract/target-summary.ts';
import { getPool } from '#server/database/database.ts';
import { readRollups } from '#server/rollups/read.ts';
import { type Locations, matrixLocations, readCells } from './cells.ts';
import { measuredLocations, readFailures } from './failures.ts';
import { buildMatrix } from './matrix.ts';
import { instantOf } from './range.ts';

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
/** How many targets are read at the same time: each takes a few of the pool's connections. */
const AT_ONCE = 3;

/** Every target that is not deleted, newest first, with its state over the last hour. */
export async function listTargetSummaries(): Promise<TargetSummary[]> {
  const [targets, locations] = await Promise.all([listTargets(), matrixLocations({})]);
  const now = Math.ceil(Date.now() / 1_000 / MINUTE) * MINUTE;
  const measured: Measured[] = [];
  for (let at = 0; at < targets.length; at += AT_ONCE) {
    measured.push(...(await Promise.all(targets.slice(at, at + AT_ONCE).map((row) => summarise(row, locations, now)))));
  }
  const failing = measured.map(({ summary, counts }) => ({ id: summary.id, counts }));
  const failures = await readFailures(failing, { from: now - HOUR, to: now }, locations);
  return measured.map(({ summary }) => ({ ...summary, failures: failures.get(summary.id) ?? [] }));
}

async function listTargets(): Promise<TargetRow[]> {
  const { rows } = await getPool().query<TargetRow>(
    `select id, name, url, enabled, demo, period_seconds as "periodSeconds", updated_at as "updatedAt"
      from target where deleted_at is null order by created_at desc, id desc`,
  );
  return rows;
}

async function summarise(row: TargetRow, locations: Locations, now: number): Promise<Measured> {
  const { periodSeconds, updatedAt, ...target } = row;
  const hour = { from: now - HOUR, to: now };
  const yesterday = { from: hour.from - DAY, to: hour.to - DAY };
  const [cells, before, sparkline, lastResultAt] = await Promise.all([
    readCells(target.id, METRIC, hour, locations),
    readCells(target.id, METRIC, yesterday, locations),
    readSparkline(target.id, locations, now),
    lastResult(target.id),
  ]);
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

async function readSparkline(
  targetId: string,
  { groups }: Locations,
  now: number,
): Promise<TargetSummary['sparkline']> {
  const first = Math.ceil(now / HOUR) * HOUR - SPARKLINE_POINTS * HOUR;
  const cells = await readRollups({
    targetId,
    metric: METRIC,
    from: first,
    to: now,
    step: HOUR,
    groups: inOne(groups),
  });
  const bySlot = new Map<number, Summary>();
  for (const { slot, summary } of cells) {
    const sum = bySlot.get(slot) ?? emptySummary();
    mergeSummary(sum, summary);
    bySlot.set(slot, sum);
  }
  return Array.from({ length: SPARKLINE_POINTS }, (_, index) => {
    const slot = first + index * HOUR;
    return { at: instantOf(slot), ...statisticOf(bySlot.get(slot) ?? emptySummary(), METRIC, 'p50') };
  });
}

function inOne(groups: Map<string, number>): Map<string, number> {
  return new Map([...groups.keys()].map((id) => [id, 0]));
}

async function lastResult(targetId: string): Promise<string | null> {
  const { rows } = await getPool().query<{ at: Date }>(
    'select started_at as at from result where target_id = $1 order by started_at desc limit 1',
    [targetId],
  );
  return rows[0]?.at.toISOString() ?? null;
}
