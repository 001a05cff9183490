// What the times of an incident would be by now without it (analysis/incident/counterfactual.ts has the formula), from rollups and usual
// levels: computed for as long as it lasts, and once more when it is over, as improvements are as soon as they are known. Whoever reads an
// incident reads what is stored.

import {
  type AffectedSeries,
  LEAST_MEASURED,
  type Level,
  type UnaffectedSeries,
  type Without,
  withoutIncident,
} from '#analysis/incident/counterfactual.ts';
import { statisticOf } from '#analysis/summary.ts';
import type { IncidentCounterfactual } from '#contract/counterfactual.ts';
import { isShare } from '#contract/vocabulary.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { isUsual, readUsualOf } from '#server/figures/usual.ts';
import { type RollupRange, takeRanges } from '#server/rollups/read.ts';
import { countedCells, EFFECT_FLOORS, isMeasured } from './effect.ts';
import { subjectOf } from './measurements.ts';
import { type IncidentRecord, recordOf, type StoredCell } from './row.ts';
import { Turns } from './turns.ts';

/** So many are computed at one turn, those that wait longest. */
export const MOST_A_TURN = 10;
/** How often, seconds: of an incident that opened or grew within so much, and of an older one. */
const REVISED = { young: 900, often: 60, seldom: 600 } as const;
/** Of what was over so long before the last turn it is not computed any more, seconds. */
const TRIED_SECONDS = 3_600;
/** Series that are read: so many of the incident, and so many that it does not touch. */
export const MOST_SERIES = 400;

const HOUR_MS = 3_600_000;
/** What is now: the last half hour, or since the onset. */
const NOW_MS = 1_800_000;
/** Series that were over so much earlier than the last one are not those of its last minutes; ms. */
const TOGETHER_MS = 300_000;
/** Later than this the usual levels, which are the best of 30 days, may be those of the incident itself; ms. */
const USUAL_FOR_MS = 21 * 86_400_000;

/** By the instant that each was computed for last. */
const turns = new Turns();

/** Computes those anew that are due, by results up to `position`; `before` is that of the last turn. Seconds since 1970. */
export async function reviseCounterfactuals({ before, position }: { before: number; position: number }): Promise<void> {
  const since = new Date(Math.min(before, position - TRIED_SECONDS) * 1_000);
  const rows = await getPrisma().incident.findMany({
    where: {
      kind: { in: Object.keys(EFFECT_FLOORS) },
      mergedInto: null,
      openedAt: { lte: new Date(position * 1_000) },
      OR: [{ status: { not: 'resolved' } }, { resolvedAt: { gte: since } }],
    },
    orderBy: { id: 'asc' },
  });
  const records = rows.map(recordOf);
  const lastOf = ({ id, counterfactual }: IncidentRecord) =>
    turns.lastOf(id) ?? (counterfactual === null ? 0 : Date.parse(counterfactual.at) / 1_000);
  const due = records
    .filter((incident) => isDue(incident, lastOf(incident), position))
    .toSorted((a, b) => lastOf(a) - lastOf(b))
    .slice(0, MOST_A_TURN);
  turns.note(
    records,
    new Map(due.map((incident) => [incident.id, minuteOf(endOf(incident, position * 1_000)) / 1_000])),
  );
  for (const incident of due) {
    const counterfactual = await counterfactualOf(incident, position * 1_000);
    // What is known from earlier is dated, and better than nothing.
    if (counterfactual === null) continue;
    await getPrisma().incident.updateMany({ where: { id: incident.id, mergedInto: null }, data: { counterfactual } });
  }
}

/** Whether it was computed last (`last`, seconds since 1970) too long ago; of what is over, of another instant than its end. */
function isDue(incident: IncidentRecord, last: number, position: number): boolean {
  const { openedAt, cells } = incident;
  if (isEndUnknown(incident)) return false;
  const now = position * 1_000;
  const at = minuteOf(endOf(incident, now));
  if (at < minuteOf(now)) return last !== at / 1_000;
  const since = Math.max(openedAt.getTime(), ...cells.map((cell) => Date.parse(cell.at)));
  return position - last >= (now - since <= REVISED.young * 1_000 ? REVISED.often : REVISED.seldom);
}

/** Whether what is known is of after the end, which may be found long after it was, or may be. */
export const isAfterEnd = (incident: IncidentRecord, now: Date): boolean =>
  incident.counterfactual !== null &&
  (isEndUnknown(incident) || Date.parse(incident.counterfactual.at) > endOf(incident, now.getTime()));

/**
 * Whether it is known only to the day when the incident was over: its levels were found to be back at a daily look (settle.ts), which is what
 * its end is dated with. Its last minutes are not those in which it lasted.
 */
const isEndUnknown = ({ resolution, resolvedAt, cells }: IncidentRecord) =>
  resolution === 'rolled_back' && resolvedAt !== null && cells.some((cell) => overIn(cell) >= resolvedAt.getTime());

/** Until when an incident lasts: `until` while it does, else when its last series was over, or its level accepted. */
function endOf({ cells, resolvedAt }: Pick<IncidentRecord, 'cells' | 'resolvedAt'>, until: number): number {
  const lasts = cells.some((cell) => overAt(cell) === null);
  return Math.min(until, (lasts ? resolvedAt?.getTime() : Math.max(...cells.map(overIn))) ?? until);
}

const overAt = ({ recoveredAt, quietSince }: StoredCell) => recoveredAt ?? quietSince ?? null;
const overIn = (cell: StoredCell) => Date.parse(overAt(cell) ?? '');
const minuteOf = (ms: number) => Math.floor(ms / 60_000) * 60_000;

/** A target at a vantage. */
type Line = { targetId: string; vantageId: string };
/** Ranges in ms since 1970. */
type Range = { from: number; to: number };
type Own = StoredCell & Line & { beforeMs: number };
type Timed = Pick<IncidentRecord, 'kind' | 'metric' | 'cause' | 'cells' | 'resolvedAt'>;

/** What is known by `until`, ms since 1970; null where too little is measured, or it is about no time. */
export async function counterfactualOf(incident: Timed, until: number): Promise<IncidentCounterfactual | null> {
  const subject = subjectOf(incident.cells);
  if (!isMeasured(incident.kind) || isShare(incident.metric) || subject === null) return null;
  const { metric, variant } = subject;
  const end = endOf(incident, until);
  const own = lastingOf(
    subject.cells.filter((cell) => cell.metric === metric),
    end,
  );
  const [typical] = own.toSorted((a, b) => Date.parse(a.changeAt) - Date.parse(b.changeAt)).slice(own.length >> 1);
  if (typical === undefined) return null;
  const before = hoursBefore(typical);
  const now = { from: minuteOf(Math.max(Date.parse(typical.changeAt), end - NOW_MS)), to: minuteOf(end) };
  const unaffected = await unaffectedBy(incident, own, before);
  const lines = [...own, ...unaffected];
  const medians = await mediansOf(lines, [before, now], { metric, variant });
  const levelIn = (line: Line, range: Range) => medians.get(keyOf(line, range)) ?? { ms: 0, results: 0 };
  // Of resumed handshakes nothing is known to be usual.
  const hasUsual = variant === undefined && isUsual(metric) && end - before.from <= USUAL_FOR_MS;
  const usualOf = await readUsualOf(hasUsual ? [...new Set(lines.map(({ targetId }) => targetId))] : []);
  const usualIn = ({ targetId, vantageId }: Line, { from, to }: Range) =>
    isUsual(metric) ? usualOf(targetId).levelOf([vantageId], metric, { from: from / 1_000, to: to / 1_000 }) : null;
  const shapeOf = (line: Line, hours: Range) => {
    const [usual, usualNow] = [usualIn(line, hours), usualIn(line, now)];
    return usual === null || usualNow === null || usual <= 0 ? null : usualNow / usual;
  };
  const without: Without | null = withoutIncident(
    own.map((cell): AffectedSeries => {
      return { beforeMs: cell.beforeMs, now: levelIn(cell, now), shape: shapeOf(cell, hoursBefore(cell)) };
    }),
    unaffected.map((line): UnaffectedSeries => {
      return { before: levelIn(line, before), now: levelIn(line, now), shape: shapeOf(line, before) };
    }),
  );
  return without && { ...without, at: new Date(now.to).toISOString() };
}

/**
 * The series that lasted until `end`; of an incident that is over none where they are few, as the few that are over last are no measure
 * of all.
 */
function lastingOf(cells: readonly StoredCell[], end: number): Own[] {
  const counted = countedCells(cells);
  const lasting = counted.filter((cell) => overAt(cell) === null || overIn(cell) >= end - TOGETHER_MS);
  const isOver = cells.every((cell) => overAt(cell) !== null);
  if (isOver && lasting.length < LEAST_MEASURED * counted.length) return [];
  return lasting.filter(isOwn).slice(0, MOST_SERIES);
}

const isOwn = (cell: StoredCell): cell is Own =>
  cell.targetId !== null && cell.vantageId !== null && cell.beforeMs !== null;

/**
 * The hours that a level before is of: those before a spike, also before one that stayed (it has a peak); of a lasting change those since,
 * which its level before is an estimate for (server/detection/levels.ts).
 */
function hoursBefore({ kind, peakMs = null, changeAt, at }: StoredCell): Range {
  const change = minuteOf(Date.parse(changeAt));
  if (kind === 'spike' || peakMs !== null) return { from: change - HOUR_MS, to: change };
  return { from: change, to: minuteOf(Math.max(Date.parse(at), change + HOUR_MS)) };
}

/**
 * Series that share what did not cause an incident, and that no incident has touched since the hours before: where it is the network, its
 * targets elsewhere, which share the server; where it is the server or its TLS, other targets of the same vantages. None without a cause.
 */
async function unaffectedBy({ cause, cells }: Timed, own: readonly Line[], before: Range): Promise<Line[]> {
  if (cause === null) return [];
  const [targets, vantages] = [cells.flatMap(({ targetId }) => targetId ?? []), own.map(({ vantageId }) => vantageId)];
  const { rows } = await getPool().query<Line>(
    `with touched as materialized (
      select distinct cell ->> 'targetId' as target, cell ->> 'vantageId' as vantage
        from incident i cross join lateral jsonb_array_elements(i.cells) cell
        where i.merged_into is null and i.kind = any($4::text[]) and (i.status <> 'resolved' or i.resolved_at > $5)
      union select * from unnest($6::text[], $7::text[])
    )
    select c.target_id as "targetId", c.vantage_id as "vantageId" from "check" c
      join target t on t.id = c.target_id join vantage v on v.id = c.vantage_id
      where c.deleted_at is null and t.deleted_at is null and t.enabled and v.deleted_at is null
        and case when $1 then c.target_id = any($2::uuid[]) else c.target_id <> all($2::uuid[]) and c.vantage_id = any($3::uuid[]) end
        and not exists (select from touched where target = c.target_id::text and vantage = c.vantage_id::text)
      order by 1, 2 limit ${MOST_SERIES}`,
    [
      ...[cause === 'network', [...new Set(targets)], vantages, [...Object.keys(EFFECT_FLOORS), 'down']],
      new Date(before.from),
      ...[cells.map(({ targetId }) => targetId), cells.map(({ vantageId }) => vantageId)],
    ],
  );
  return rows;
}

const keyOf = ({ targetId, vantageId }: Line, { from, to }: Range) => `${targetId} ${vantageId} ${from} ${to}`;

/** Medians of series over ranges, and of how many results; those without any are left out. */
async function mediansOf(
  lines: readonly Line[],
  within: readonly Range[],
  { metric, variant }: Pick<RollupRange, 'variant'> & { metric: 'tls' | 'tcp' | 'firstByte' },
): Promise<Map<string, Level>> {
  const asked = [...Map.groupBy(lines, ({ targetId }) => targetId)].flatMap(([targetId, same]) => {
    const vantages = [...new Set(same.map(({ vantageId }) => vantageId))];
    const groups = new Map(vantages.map((id, index) => [id, index]));
    return within.map((range) => ({ targetId, range, vantages, groups }));
  });
  const ranges = asked.map(
    ({ targetId, range: { from, to }, groups }): RollupRange => ({
      ...{ targetId, from: from / 1_000, to: to / 1_000, step: null, metric, groups },
      ...(variant && { variant }),
    }),
  );
  const found = new Map<string, Level>();
  await takeRanges(ranges, (cells, index) => {
    const { targetId, range, vantages } = asked[index] as (typeof asked)[number];
    for (const { group, summary } of cells) {
      const { value, n } = statisticOf(summary, metric, 'p50');
      const vantageId = vantages[group];
      if (value !== null && vantageId !== undefined)
        found.set(keyOf({ targetId, vantageId }, range), { ms: value, results: n });
    }
  });
  return found;
}
