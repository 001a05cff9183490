import type { AlertRuleCreate, RuleWouldFire } from '#contract/alert-rule.ts';
import { takes } from '#contract/scope.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { leastSeriesFor } from '#server/incidents/budget.ts';
import { detectionCell } from '#server/incidents/earlier-cells.ts';
import { isMeasured, isShown } from '#server/incidents/effect.ts';
import { cellId, type StoredCell } from '#server/incidents/stored-incident.ts';
import { watchedNow } from '#server/incidents/update-timing.ts';
import { vantageLabels } from '#server/vantages/labels.ts';

// What a detector's rule would have paged, held against what was detected and stored: detections do not depend on rules. The same is asked
// of them as of live ones (server/incidents/record.ts): the series that the rule asks for, the floors of what is shown, and that one series
// alone is a note at first. Groups that turned out to be one event count once.

type Draft = Extract<AlertRuleCreate, { kind: 'detector' }>;

type Row = {
  group: string;
  better: boolean;
  kind: StoredCell['kind'];
  metric: string;
  targetId: string;
  vantageId: string;
  variant: number;
  at: Date;
  changeAt: Date;
  beforeMs: number | null;
  afterMs: number | null;
  page: boolean;
  /** Of one series alone: whether a message of it went out, by its incident; null where it has none. */
  notified: boolean | null;
};

/** What the rule would have paged in [from, to), seconds since 1970, oldest first. */
export async function firingsOf(draft: Draft, from: number, to: number): Promise<RuleWouldFire[]> {
  const [labels, rows, rootOf] = await Promise.all([vantageLabels(), detectionsOf(draft, from, to), groupRoots(from)]);
  const wanted = rows.filter(({ vantageId }) => {
    const place = labels.get(vantageId);
    return place !== undefined && takes(draft.regions, place.region) && takes(draft.carriers, place.carrier);
  });
  const events = Map.groupBy(wanted, ({ group, better }) => `${rootOf(group)} ${better}`);
  const { falsePagesPerWeek } = draft.params;
  const paged = falsePagesPerWeek ? leastSeriesFor(falsePagesPerWeek, await watchedNow({ db: getPrisma() })) : 1;
  return [...events.values()].flatMap((same) => firingOf(same, { least: draft.minCells, paged }) ?? []);
}

/** One series' share of an incident that was over before it was notified does not count. */
async function detectionsOf(draft: Draft, from: number, to: number): Promise<Row[]> {
  const { rows } = await getPool().query<Row>(
    `select d.group_key as "group", d.kind = 'improvement' as better, d.kind, d.metric, d.target_id as "targetId",
        d.vantage_id as "vantageId", d.variant, d.at, d.change_at as "changeAt", d.before_ms as "beforeMs",
        d.after_ms as "afterMs", d.page,
        (select bool_or(i.held_until is null or i.resolved_at is null or i.resolved_at > i.held_until)
          from incident_detection l join incident i on i.id = l.incident_id where l.detection_id = d.id) as notified
      from detection d where d.at >= to_timestamp($1) and d.at < to_timestamp($2) and d.kind = any($3::text[])
        and ($4::text is null or d.metric = $4) and (cardinality($5::uuid[]) = 0 or d.target_id = any($5::uuid[]))
      order by d.at`,
    [from, to, draft.params.kinds, draft.metric, draft.targetIds],
  );
  return rows;
}

/** Which group stands for each: incidents hold the names of all groups that were found to be one event, or that went on in it. */
async function groupRoots(from: number): Promise<(group: string) => string> {
  const { rows } = await getPool().query<{ groups: string[] }>(
    `select groups from incident where cardinality(groups) > 1 and coalesce(resolved_at, now()) >= to_timestamp($1)`,
    [from],
  );
  const parents = new Map<string, string>();
  const rootOf = (group: string): string => {
    let root = group;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    return root;
  };
  for (const { groups } of rows) {
    const [first = '', ...others] = groups;
    for (const other of others) if (rootOf(other) !== rootOf(first)) parents.set(rootOf(other), rootOf(first));
  }
  return rootOf;
}

/** Null where the event never had `least` series, or was never large enough, or was over before it was notified. */
function firingOf(same: readonly Row[], { least, paged }: { least: number; paged: number }): RuleWouldFire | null {
  const cells = new Map<string, StoredCell>();
  const series = new Set<string>();
  let opened: Date | null = null;
  for (const row of same) {
    const cell = detectionCell({ ...row, region: null, carrier: null });
    cells.set(cellId(cell), cell);
    series.add(`${row.targetId} ${row.vantageId}`);
    if (opened !== null || series.size < least || (row.kind !== 'spike' && !row.page)) continue;
    if (isMeasured(row.kind) && !isShown(row.kind, [...cells.values()])) continue;
    opened = row.at;
  }
  const isHeld = (series.size === 1 && same.every(({ page }) => !page)) || series.size < paged;
  const isNote = isHeld && !same.some(({ notified }) => notified === true);
  if (opened === null || isNote) return null;
  const targets = new Set(same.map(({ targetId }) => targetId));
  const [only = null] = targets;
  const targetId = targets.size === 1 ? only : null;
  return { targetId, openedAt: opened.toISOString(), endedAt: null, series: series.size };
}
