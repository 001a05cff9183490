// What the times of an incident would be by now without it (analysis/incident/counterfactual.ts has the formula), from rollups and usual
// levels. Computed when an incident opens (batch.ts) and for as long as it lasts (revise-counterfactuals.ts). Bounded: of a few targets and
// series, few hours before, and the newest minutes.

import {
  type AffectedSeries,
  LEAST_MEASURED,
  LEAST_RESULTS,
  type Level,
  type Movement,
  withoutIncident,
} from '#analysis/incident/counterfactual.ts';
import { statisticOf } from '#analysis/summary.ts';
import type { IncidentCounterfactual } from '#contract/counterfactual.ts';
import { isShare } from '#contract/vocabulary.ts';
import { isUsual, readUsualOf } from '#server/figures/usual.ts';
import { type RollupRange, takeRanges } from '#server/rollups/read.ts';
import { countedCells, isMeasured } from './effect.ts';
import { subjectOf } from './measurements.ts';
import type { IncidentRecord, StoredCell } from './row.ts';
import { type Line, type Range, type Unaffected, type Unstored, unaffectedBy } from './unaffected.ts';

/** Targets that are read, those with the most series, and series of each. */
export const MAX_TARGETS = 8;
export const MAX_SERIES = 100;
/** Hours before that are read: those of the hours in which the most series changed. Others are compared with the nearest of these. */
export const MAX_ONSETS = 4;
/** What a spike is compared with (server/detection/levels.ts), ms. */
const BEFORE_MS = 3_600_000;
/** What is now: the first of these that has enough results, as half an hour of a check has that runs every five minutes; ms. */
const NOW_MS = [1_800_000, 7_200_000] as const;
/** Series that were over so much earlier than the last one, or than now, are not those of its last minutes; ms. */
const TOGETHER_MS = 300_000;
/** Where most were over earlier than that, each has last minutes of its own: before the first end of its half hour, ms, of so many of these. */
const APART_MS = 1_800_000;
const MAX_ENDS = 4;
/** Later than this the usual levels, which are the best of 30 days, may be those of the incident itself; ms. */
const USUAL_FOR_MS = 21 * 86_400_000;

const MINUTE_MS = 60_000;

type Timed = Pick<IncidentRecord, 'kind' | 'metric' | 'cause' | 'cells' | 'resolvedAt'>;

/**
 * What is known by `until` (ms since 1970); null where too little is measured, or it is about no time. What is `unstored`
 * touches series, too.
 */
export async function counterfactualOf(
  incident: Timed,
  until: number,
  unstored: Unstored = {},
): Promise<IncidentCounterfactual | null> {
  const question = await questionOf(incident, until, unstored);
  if (question === null) return null;
  const without = withoutIncident(await answer(question));
  return without && { ...without, at: new Date(question.end).toISOString() };
}

/** A cell of the incident; `hours` are those that its level before is of, and `before` those near them that are read. */
type Cell = Line & { beforeMs: number; changeAt: number; hours: Range; before: Range };
/** `nows` are the newest minutes, the shortest first. */
type Own = Cell & { nows: Range[] };
type Subject = { metric: 'tls' | 'tcp' | 'firstByte'; variant: StoredCell['variant'] };
type Question = Subject & { own: Own[]; end: number; unaffected: Unaffected };

async function questionOf(incident: Timed, until: number, unstored: Unstored): Promise<Question | null> {
  if (!isMeasured(incident.kind) || isShare(incident.metric)) return null;
  const subject = subjectOf(incident.cells);
  if (subject === null) return null;
  const { metric, variant } = subject;
  const end = endOf(incident, until);
  const timed = subject.cells.filter((cell) => cell.metric === metric);
  const lasting = lastingUntil(timed, end);
  const nowsOf = new Map(
    lasting.flatMap((same) => {
      const nows = nowsBefore(same);
      return same.cells.map((cell) => [keyOf(cell), nows] as const);
    }),
  );
  const own = ownOf(lasting.flatMap(({ cells }) => cells)).map((cell) => {
    return { ...cell, nows: nowsOf.get(keyOf(cell)) ?? [] };
  });
  if (own.length === 0) return null;
  const before: Range = {
    from: Math.min(...own.map((cell) => cell.before.from)),
    to: Math.max(...own.map((cell) => cell.before.to)),
  };
  const now: Range = { from: Math.min(...own.flatMap(({ nows }) => nows.map(({ from }) => from))), to: end };
  const unaffected = await unaffectedBy(incident, { own, before, now, unstored });
  return { metric, variant, own, end: minuteOf(end), unaffected };
}

/** The newest minutes of series that changed together, those since most of them had. */
function nowsBefore({ cells, end }: Lasting): Range[] {
  const begin = middleOf(cells.map(({ changeAt }) => Date.parse(changeAt)));
  return NOW_MS.map((length) => ({ from: minuteOf(Math.max(begin, end - length)), to: minuteOf(end) }));
}

/** Until when an incident lasts: `until` while it does, else when its last series was over, or its level accepted. */
export function endOf({ cells, resolvedAt }: Pick<IncidentRecord, 'cells' | 'resolvedAt'>, until: number): number {
  const last = cells.some((cell) => overAt(cell) === null) ? resolvedAt?.getTime() : Math.max(...cells.map(overIn));
  return Math.min(until, last ?? until);
}

const overAt = ({ recoveredAt, quietSince }: StoredCell) => recoveredAt ?? quietSince ?? null;
const overIn = (cell: StoredCell) => Date.parse(overAt(cell) ?? '');

/**
 * Whether it is known only to the day when the incident was over: its levels were found to be back at a daily look (settle.ts), which is what
 * its end is dated with. Its last minutes are not those in which it lasted.
 */
export const isEndUnknown = ({
  resolution,
  resolvedAt,
  cells,
}: Pick<IncidentRecord, 'resolution' | 'resolvedAt' | 'cells'>) =>
  resolution === 'rolled_back' && resolvedAt !== null && cells.some((cell) => overIn(cell) >= resolvedAt.getTime());

/** Cells that lasted until `end`, ms since 1970. */
type Lasting = { cells: StoredCell[]; end: number };

/**
 * The cells that last, with those that were over just now where most are: the few that are over last are no measure of all. Of what is over
 * those that lasted until its end, or where these are few, most of all with ends of their own. None where even these are few.
 */
function lastingUntil(cells: readonly StoredCell[], end: number): Lasting[] {
  const counted = countedCells(cells);
  const endIn = (cell: StoredCell) => (overAt(cell) === null ? end : Math.min(overIn(cell), end));
  const isMost = (some: readonly StoredCell[]) => some.length >= LEAST_MEASURED * counted.length;
  const lasting = cells.filter((cell) => overAt(cell) === null);
  const together = counted.filter((cell) => endIn(cell) >= end - TOGETHER_MS);
  if (isMost(together) && !isMost(countedCells(lasting)))
    return [{ cells: together, end: Math.min(...together.map(endIn)) }];
  if (lasting.length > 0) return [{ cells: countedCells(lasting), end }];
  const ends = [...Map.groupBy(counted, (cell) => Math.floor(endIn(cell) / APART_MS)).values()];
  const most = ends.toSorted((a, b) => b.length - a.length).slice(0, MAX_ENDS);
  return isMost(most.flat()) ? most.map((same) => ({ cells: same, end: Math.min(...same.map(endIn)) })) : [];
}

/** The series that are looked at, and the hours before. */
export function ownOf(cells: readonly StoredCell[]): Cell[] {
  const targets = [...Map.groupBy(cells.filter(isTold), ({ targetId }) => targetId).values()];
  const largest = targets.toSorted((a, b) => b.length - a.length).slice(0, MAX_TARGETS);
  const chosen = largest.flatMap((same) =>
    same
      .slice(0, MAX_SERIES)
      .map((cell) => ({ ...cell, changeAt: Date.parse(cell.changeAt), hours: hoursBefore(cell) })),
  );
  const together = [...Map.groupBy(chosen, ({ changeAt }) => Math.floor(changeAt / BEFORE_MS)).values()];
  const often = together.toSorted((a, b) => b.length - a.length).slice(0, MAX_ONSETS);
  const read = often.map(
    (same): Range => ({
      from: middleOf(same.map(({ hours }) => hours.from)),
      to: middleOf(same.map(({ hours }) => hours.to)),
    }),
  );
  const nearest = ({ from, to }: Range) =>
    read.reduce((best, each) =>
      Math.abs(each.from - from) + Math.abs(each.to - to) < Math.abs(best.from - from) + Math.abs(best.to - to)
        ? each
        : best,
    );
  return chosen.map(({ targetId, vantageId, beforeMs, changeAt, hours }) => {
    return { targetId, vantageId, beforeMs, changeAt, hours, before: nearest(hours) };
  });
}

type Told = StoredCell & Line & { beforeMs: number };
const isTold = (cell: StoredCell): cell is Told =>
  cell.targetId !== null && cell.vantageId !== null && cell.beforeMs !== null;

/**
 * The hours that a level before is of: those before a spike, also before one that stayed (it has a peak); of a lasting change those since,
 * which its level before is an estimate for (server/detection/levels.ts).
 */
function hoursBefore({ kind, peakMs = null, changeAt, at }: StoredCell): Range {
  const change = Date.parse(changeAt);
  if (kind === 'spike' || peakMs !== null) return { from: minuteOf(change - BEFORE_MS), to: minuteOf(change) };
  return { from: minuteOf(change), to: minuteOf(Math.max(Date.parse(at), change + BEFORE_MS)) };
}

const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
const middleOf = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** The levels of the incident's series, each with those that it is compared with. */
async function answer({ own, end, unaffected: { tiers, tiersOf }, ...subject }: Question): Promise<AffectedSeries[]> {
  const lines = [...own, ...[...tiers.values()].flat()];
  const befores = [...new Set(own.map(({ before }) => before))];
  const targets = [...Map.groupBy(lines, ({ targetId }) => targetId)];
  const nows = [...new Set(own.flatMap((each) => each.nows))];
  const medians = await mediansOf(targets, [...befores, ...nows], subject);
  // Of resumed handshakes nothing is known to be usual.
  const isKnown = subject.variant === undefined && isUsual(subject.metric) && !isOld(befores, end);
  const usualOf = await readUsualOf(isKnown ? targets.map(([id]) => id) : []);
  const usualIn = ({ targetId, vantageId }: Line, { from, to }: Range) =>
    usualOf(targetId).levelOf([vantageId], subject.metric, { from: from / 1_000, to: to / 1_000 });
  const levelIn = (line: Line, range: Range): Level => ({
    ...(medians.get(keyOf(line, range)) ?? { ms: 0, results: 0 }),
    usual: usualIn(line, range),
  });
  type Times = Pick<Own, 'before' | 'nows'>;
  const levelNow = (line: Line, times: Times): Level => {
    const levels = times.nows.map((now) => levelIn(line, now));
    return levels.find(({ results }) => results >= LEAST_RESULTS) ?? { ms: 0, results: 0, usual: null };
  };
  const movementOf = (line: Line, times: Times) => {
    return { before: levelIn(line, times.before), now: levelNow(line, times) };
  };
  const known = new Map<string, ReadonlyMap<string, Movement>>();
  const tierOf = (tier: string, times: Times) => {
    const key = [tier, ...[times.before, ...times.nows].flatMap(({ from, to }) => [from, to])].join(' ');
    const made = known.get(key) ?? new Map(tiers.get(tier)?.map((line) => [keyOf(line), movementOf(line, times)]));
    known.set(key, made);
    return made;
  };
  return own.map((each) => {
    const { before, now: since } = movementOf(each, each);
    const siblings = tiersOf(each).map((tier) => tierOf(tier, each));
    // What is usual is known of its own hours.
    return { before: { ...before, ms: each.beforeMs, usual: usualIn(each, each.hours) }, now: since, siblings };
  });
}

const isOld = (befores: readonly Range[], end: number) => befores.some(({ from }) => end - from > USUAL_FOR_MS);

const keyOf = (
  { targetId, vantageId }: Pick<StoredCell, 'targetId' | 'vantageId'>,
  { from, to }: Range = { from: 0, to: 0 },
) => `${targetId} ${vantageId} ${from} ${to}`;

/** Medians of series over ranges, and of how many results; those without any are left out. */
async function mediansOf(
  targets: readonly [targetId: string, lines: Line[]][],
  within: readonly Range[],
  { metric, variant }: Subject,
): Promise<Map<string, Pick<Level, 'ms' | 'results'>>> {
  const asked = targets.flatMap(([targetId, lines]) => {
    const vantages = [...new Set(lines.map(({ vantageId }) => vantageId))];
    const groups = new Map(vantages.map((id, index) => [id, index]));
    return within.map((range) => ({ targetId, range, vantages, groups }));
  });
  const ranges = asked.map(
    ({ targetId, range, groups }): RollupRange => ({
      ...{ targetId, from: range.from / 1_000, to: range.to / 1_000, step: null, metric, groups },
      ...(variant && { variant }),
    }),
  );
  const found = new Map<string, Pick<Level, 'ms' | 'results'>>();
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
