import type { ClosedSpike, GroupChange } from '#analysis/detection/detection.ts';
import { aloneSeconds } from '#analysis/detection/parameters.ts';
import type { RuleOf } from '#contract/alert-rule.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { type Batch, beginBatch, writeBatch } from './batch.ts';
import { leastSeriesFor } from './budget.ts';
import { type Detected, groupKey } from './detected.ts';
import { cellsOfAll, earlierCells, wants } from './earlier-cells.ts';
import { isMeasured, isShown, metricOfAll } from './effect.ts';
import { impactOf, loadUsers, NOTIFY_AT_ONCE_SHARE } from './impact.ts';
import { changeCause, linkMerged, mergeIncidents } from './merge.ts';
import { onsetOf } from './onset.ts';
import {
  continueIncident,
  type IncidentOpening,
  loadOpenings,
  openIncident,
  REOPEN_WITHIN_MS,
  severityOf,
} from './open.ts';
import { downIncidentOf } from './reachability.ts';
import { endRegressions } from './rollback.ts';
import { factorFor } from './sensitivity.ts';
import { endSpikes } from './settle.ts';
import { ownerOf, splitIncidents } from './split.ts';
import { cellId, type IncidentRecord, lockIncidents, lockInOrder, type StoredCell } from './stored-incident.ts';
import { seriesOf, watchedNow } from './update-timing.ts';

type Rule = RuleOf<'detector'>;

/** A detection belongs to an incident; by several rules to several. */
type Link = { detection_id: string; incident_id: string };

/** What detections of one event and direction say. */
type Event = {
  opening: IncidentOpening;
  detectionIds: string[];
  /** A lasting change that is no page yet: it waits, stored, until others show it too. */
  isNote: boolean;
  /** The incident that a person made of their series. */
  owner: string | null;
};

/**
 * Makes incidents of new detections, under every rule that wants them; ends regressions that were taken back, and spikes
 * of which the detector says that they are over; merges incidents whose groups it found to be one event. However many there
 * are, it takes few statements.
 */
export async function recordDetections(
  db: Prisma.TransactionClient,
  found: Detected[],
  rules: Rule[],
  now: Date,
  { closed, changes }: { closed: readonly ClosedSpike[]; changes: readonly GroupChange[] },
): Promise<void> {
  const batch = await beginBatch(db, now);
  await lockConcerned(batch, found, { closed, changes });
  const recoveredBy = await endRegressions(batch, found);
  const left = found.filter((each) => !recoveredBy.has(each));
  const links = [...recoveredBy].flatMap(([{ id }, incidentIds]) => linksOf([id], incidentIds));
  for (const rule of rules) {
    links.push(...(await recordForRule(batch, rule, left, absorbedBy(changes))));
    await applyChanges(batch, rule, changes);
  }
  await endSpikes(batch, closed);
  await writeBatch(batch);
  await db.$executeRaw`
    insert into incident_detection (incident_id, detection_id)
    select link.* from json_to_recordset(${JSON.stringify(links)}::json) as link (incident_id uuid, detection_id uuid)
    on conflict do nothing`;
  await linkMerged(db, batch.merges);
}

/** What has an end of a spike, or a level that may be back, and what others join. */
const ENDED_BY_WORD = { kind: { in: ['spike', 'regression', 'down'] }, status: { not: 'resolved' } };

/** Locks all that may change, before anything of it is read: in one order, and persons split and merge nothing meanwhile. */
async function lockConcerned(
  { db }: Batch,
  found: readonly Detected[],
  { closed, changes }: { closed: readonly ClosedSpike[]; changes: readonly GroupChange[] },
): Promise<void> {
  const groups = new Set(found.map(({ group }) => group));
  for (const change of changes) {
    groups.add(groupKey(change.group));
    if (change.kind === 'merge') groups.add(groupKey(change.into));
  }
  if (groups.size + closed.length === 0) return;
  const since = new Date(Math.min(...found.map(({ at }) => at.getTime())) - REOPEN_WITHIN_MS);
  const scopes = [...new Set(found.map(({ scope }) => scope))];
  const some = {
    OR: [
      ENDED_BY_WORD,
      { groups: { hasSome: [...groups] } },
      ...(found.length > 0 ? [{ kind: 'spike', groupKey: { in: scopes }, resolvedAt: { gt: since } }] : []),
    ],
  };
  await lockInOrder(db, some);
}

const linksOf = (detectionIds: string[], incidentIds: string[]): Link[] =>
  incidentIds.flatMap((incidentId) =>
    detectionIds.map((detectionId) => ({ detection_id: detectionId, incident_id: incidentId })),
  );

/** The names of groups that became part of others, by the others' names. */
function absorbedBy(changes: readonly GroupChange[]): Map<string, string[]> {
  const into = new Map<string, string>();
  for (const change of changes) {
    if (change.kind !== 'merge') continue;
    const [from, to] = [groupKey(change.group), groupKey(change.into)];
    // A name is of the first detection alone: two groups may have the same, and a later one that of a group that is part of another.
    into.delete(to);
    if (from !== to) into.set(from, to);
  }
  const rootOf = (group: string): string => {
    const next = into.get(group);
    return next === undefined ? group : rootOf(next);
  };
  return new Map([...Map.groupBy(into.keys(), rootOf)]);
}

/** What the detector says of groups that have incidents already. */
async function applyChanges(batch: Batch, rule: Rule, changes: readonly GroupChange[]): Promise<void> {
  if (changes.length === 0) return;
  const names = changes.flatMap((change) => [
    groupKey(change.group),
    ...(change.kind === 'merge' ? [groupKey(change.into)] : []),
  ]);
  const stored = await lockIncidents(batch.db, { ruleId: rule.id, groups: { hasSome: names } });
  const fresh = [...batch.incidents.values()].filter(
    ({ ruleId, groups }) => ruleId === rule.id && groups.some((each) => names.includes(each)),
  );
  const known = new Map([...stored, ...fresh].map((incident) => [incident.id, incident]));
  for (const incident of stored) known.set(incident.id, batch.incidents.get(incident.id) ?? incident);
  const having = (group: string, better: boolean) =>
    [...known.values()].filter(
      ({ kind, groups, mergedInto, splitFrom }) =>
        groups.includes(group) &&
        mergedInto === null &&
        // What a person split off is another event, whatever the detector says of the rest.
        splitFrom === null &&
        (kind === 'improvement') === better,
    );
  for (const change of changes) {
    if (change.kind === 'merge') carryNames(batch, [...known.values()], change);
    for (const better of [false, true]) {
      const incidents = having(groupKey(change.group), better);
      if (change.kind === 'cause') for (const each of incidents) changeCause(batch, each, change);
      else joinIncidents(batch, incidents, having(groupKey(change.into), better), change);
    }
  }
}

/** What was split off has the name of the group that its own became part of: the series' later detections have that. */
function carryNames(
  batch: Batch,
  known: readonly IncidentRecord[],
  { group, into }: Extract<GroupChange, { kind: 'merge' }>,
): void {
  for (const incident of known)
    if (incident.splitFrom !== null && incident.groups.includes(groupKey(group))) {
      incident.groups = [...new Set([...incident.groups, groupKey(into)])];
      batch.incidents.set(incident.id, incident);
    }
}

/** Merges the incidents of a group into that of the one it became part of; where there is none, they go on as that. */
function joinIncidents(
  batch: Batch,
  incidents: readonly IncidentRecord[],
  [into, ...others]: readonly IncidentRecord[],
  change: Extract<GroupChange, { kind: 'merge' }>,
): void {
  const at = new Date(change.at * 1_000);
  if (into) {
    for (const each of new Set([...incidents, ...others])) if (each !== into) mergeIncidents(batch, each, into, at);
    return;
  }
  for (const each of incidents) {
    each.groups = [...each.groups, groupKey(change.into)];
    batch.incidents.set(each.id, each);
  }
}

async function recordForRule(
  batch: Batch,
  rule: Rule,
  found: Detected[],
  absorbed: ReadonlyMap<string, string[]>,
): Promise<Link[]> {
  const wanted = found.filter((each) => wants(rule, each));
  // One group may have both directions, when a level fell before the rise that it went back to.
  const rootOf = new Map([...absorbed].flatMap(([root, names]) => names.map((name) => [name, root] as const)));
  const owners = await splitIncidents(batch.db, rule, wanted);
  const groups = Map.groupBy(
    wanted,
    (each) =>
      `${rootOf.get(each.group) ?? each.group}\n${each.kind === 'improvement'}\n${ownerOf(owners, each)?.id ?? ''}`,
  );
  const events = [...groups].flatMap(([key, same]) => {
    const [root = '', , owner = ''] = key.split('\n');
    return eventOf(rule, same, [root, ...(absorbed.get(root) ?? [])], owner || null) ?? [];
  });
  if (events.length === 0) return [];
  const openings = events.map(({ opening }) => opening);
  const known = await knownIncidents(batch, rule, openings);
  const earlier = await earlierCells(
    batch.db,
    rule,
    events.filter((event) => incidentFor(known, event) === undefined).map(({ opening }) => opening),
  );
  await keepBudget(batch, rule, openings);
  await loadOpenings(batch, openings);
  batch.users = await loadUsers(
    batch.db,
    batch.users,
    openings.flatMap(({ cells }) => cells),
  );
  const links: Link[] = [];
  for (const event of events) {
    const { opening, detectionIds } = event;
    const before = cellsOfAll(opening.groups.flatMap((group) => earlier.get(group) ?? []));
    const incident = await recordOpening(batch, rule, known, event, before?.cells);
    if (!incident) continue;
    known.add(incident);
    links.push(...linksOf([...detectionIds, ...(before?.detectionIds ?? [])], [incident.id]));
  }
  return links;
}

/** What is lasting and has fewer series than the budget of false pages allows is listed for so long before it is told of. */
const HELD_LASTING_MS = 7 * 86_400_000;

/** Holds back what has fewer series than a page needs by the rule's budget of false pages. */
async function keepBudget(batch: Batch, { params }: Rule, openings: IncidentOpening[]): Promise<void> {
  if (!params.falsePagesPerWeek) return;
  const least = leastSeriesFor(params.falsePagesPerWeek, await watchedNow(batch));
  for (const opening of openings) {
    if (seriesOf(opening.cells) >= least) continue;
    const alone = opening.onsetAt.getTime() + aloneSeconds * 1_000;
    const lasting = opening.at.getTime() + HELD_LASTING_MS;
    opening.heldUntil = new Date(
      Math.max(opening.kind === 'spike' ? alone : lasting, opening.heldUntil?.getTime() ?? 0),
    );
    opening.toldWith = least;
  }
}

/** The incident that a finding went to; null where the rule asks for more cells than there are yet. */
async function recordOpening(
  batch: Batch,
  rule: Rule,
  known: ReadonlySet<IncidentRecord>,
  event: Event,
  cells: StoredCell[] = event.opening.cells,
): Promise<IncidentRecord | null> {
  const { opening } = event;
  const incident = incidentFor(known, event);
  if (incident) {
    await continueIncident(batch, incident, opening);
    return incident;
  }
  const down = await downIncidentOf(batch, opening);
  if (down) {
    await continueIncident(batch, down, { ...opening, grows: false });
    return down;
  }
  // With a least number of cells the first ones waited, stored, until there are enough; so does what is too small to show.
  const places = new Set(cells.map(({ targetId, vantageId }) => `${targetId} ${vantageId}`));
  const factor = factorFor(batch.lowered, opening);
  const isSmall = isMeasured(opening.kind) && !isShown(opening.kind, cells, factor);
  if (places.size < rule.minCells || event.isNote || isSmall) return null;
  const onsetAt = onsetOf(cells).at;
  const share = batch.users && impactOf(cells, batch.users)?.share;
  const isEnough = opening.toldWith !== undefined && seriesOf(cells) >= Math.max(2, opening.toldWith);
  const heldUntil = isEnough || (share ?? 0) >= NOTIFY_AT_ONCE_SHARE ? null : (opening.heldUntil ?? null);
  return await openIncident(batch, { ...opening, cells, onsetAt, heldUntil });
}

function eventOf(rule: Rule, same: Detected[], groups: string[], owner: string | null): Event | null {
  const [first] = same;
  if (!first) return null;
  const opening = openingOf(rule, same, first, groups);
  const isNote = opening.kind !== 'spike' && same.every(({ page }) => !page);
  return { opening, detectionIds: same.map(({ id }) => id), isNote, owner };
}

/** The first of the cause that most of a metric's have: single ones mistake it. */
function typicalOf(found: readonly Detected[], metric: string | null, first: Detected): Detected {
  const own = found.filter((each) => each.metric === metric);
  const byCause = Map.groupBy(own.length > 0 ? own : found, ({ cause }) => cause);
  return [...byCause.values()].reduce((best, each) => (each.length > best.length ? each : best), [])[0] ?? first;
}

function openingOf(rule: Rule, same: Detected[], first: Detected, groups: string[]): IncidentOpening {
  const lasting = same.filter(({ kind }) => kind !== 'spike');
  const kind = lasting[0]?.kind ?? 'spike';
  const metrics = new Set(same.map(({ metric }) => metric));
  const metric = metricOfAll(
    same.map(({ cell }) => cell),
    metrics.has('tls') ? 'tls' : first.metric,
  );
  const typical = typicalOf(lasting.length > 0 ? lasting : same, metric, first);
  return {
    ruleId: rule.id,
    severity: severityOf(rule, kind),
    kind,
    groupKey: typical.scope,
    groups,
    metric,
    cause: typical.cause,
    onsetAt: onsetOf(same.map(({ cell }) => cell)).at,
    at: new Date(Math.max(...same.map(({ at }) => at.getTime()))),
    // While history is caught up with, one stretch may hold two spikes of a cell: the last is the one to wait for.
    cells: [...new Map(same.map(({ cell }) => [cellId(cell), cell])).values()],
    evidence: {},
    demo: same.every(({ demo }) => demo),
    grows: true,
    heldUntil: same.some(({ page }) => page) ? null : new Date(first.changeAt.getTime() + aloneSeconds * 1_000),
  };
}

/** All that findings may belong to, locked. */
async function knownIncidents(batch: Batch, rule: Rule, openings: IncidentOpening[]): Promise<Set<IncidentRecord>> {
  const since = new Date(Math.min(...openings.map(({ at }) => at.getTime())) - REOPEN_WITHIN_MS);
  const stored = await lockIncidents(batch.db, {
    ruleId: rule.id,
    mergedInto: null,
    OR: [
      { groups: { hasSome: openings.flatMap(({ groups }) => groups) } },
      {
        kind: 'spike',
        groupKey: { in: openings.map(({ groupKey }) => groupKey) },
        OR: [{ status: { not: 'resolved' } }, { resolvedAt: { gt: since } }],
      },
    ],
  });
  return new Set(stored.map((incident) => batch.incidents.get(incident.id) ?? incident));
}

/** The incident of the detector's group; else, for a spike, one about the same thing that has only just ended. */
function incidentFor(known: ReadonlySet<IncidentRecord>, { opening, owner }: Event): IncidentRecord | undefined {
  const { groups, groupKey, kind, at } = opening;
  const isImprovement = kind === 'improvement';
  // What became part of another is found in that one.
  const alike = [...known].filter(
    (each) => each.mergedInto === null && (each.kind === 'improvement') === isImprovement,
  );
  const own = owner === null ? undefined : alike.find(({ id }) => id === owner);
  if (own) return own;
  // What a person split off has the names of the group too.
  const whole = alike.toSorted((a, b) => Number(a.splitFrom !== null) - Number(b.splitFrom !== null));
  const same = groups.flatMap((group) => whole.find((each) => each.groups.includes(group)) ?? [])[0];
  if (same || kind !== 'spike') return same;
  const since = at.getTime() - REOPEN_WITHIN_MS;
  return (
    alike
      .filter((each) => each.kind === 'spike' && each.groupKey === groupKey && each.status === 'resolved')
      // What a person judged is closed: another event is a new one.
      .filter((each) => each.resolvedBy === null && each.splitFrom === null)
      // History that is gone over beside the present does not reopen what came after it.
      .filter(({ onsetAt }) => onsetAt <= at)
      .findLast(({ resolvedAt }) => resolvedAt !== null && resolvedAt.getTime() > since)
  );
}
