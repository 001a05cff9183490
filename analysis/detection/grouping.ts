// Which detections are one event to a person. An event has an interval of onsets that grows with its members, and a scope that follows
// from them. A detection joins by membership: it has the event's scope, or its series is a member already; and the event is not
// over. Of several the largest wins. Events that turn out to be one are merged; the cause is that of most members.

import type { DetectionKind, GroupChange } from './detection.ts';
import {
  absorb,
  awayFromMember,
  causeOfMost,
  commonOf,
  type DetectionGroup,
  isAlike,
  isBetter,
  isInShadow,
  isOfOneVantage,
  isOfScope,
  join,
  newGroup,
  outside,
  scopeOf,
  sizeOf,
  type Ungrouped,
} from './group.ts';
import { historySeconds, longestSpikeSeconds, mergedShare, quietSeconds, shadowLeastMembers } from './parameters.ts';
import { youngAge } from './spikes/pooling.ts';

/** The group of each detection of one instant, in their order, and what became of groups that were there before. */
export type Grouped = { groups: DetectionGroup[]; changes: GroupChange[] };

/** The onset of a series' spike that is under way, epoch seconds, by its index; null where there is none, or where it is quiet. */
export type OpenSince = (index: number) => number | null;

/** Whether a group's spike is under way still. */
type GoesOn = (group: DetectionGroup) => boolean;

/** Finds the groups of all detections of one instant; new ones join `all`, merged ones leave it. */
export function groupDetections(
  all: DetectionGroup[],
  detections: readonly Ungrouped[],
  openSince: OpenSince,
): Grouped {
  const known = new Map(all.map((group) => [group, { cause: group.cause, common: commonOf(group) }]));
  const merged = new Map<DetectionGroup, DetectionGroup>();
  const changed = new Set(detections.flatMap(({ index, kind }) => (kind === 'spike' ? [] : index)));
  const goesOn: GoesOn = (group) => isUnderWay(group, openSince, changed);
  const joined = detections.map((detection) => {
    const group = groupFor(all, detection, goesOn) ?? newGroup(all, detection);
    join(group, detection);
    return mergeAround(all, group, detection, goesOn, merged);
  });
  const rootOf = (group: DetectionGroup): DetectionGroup => {
    const into = merged.get(group);
    return into ? rootOf(into) : group;
  };
  const at = detections.at(-1)?.at ?? 0;
  const changes: GroupChange[] = [];
  for (const group of merged.keys())
    if (known.has(group)) changes.push({ kind: 'merge', at, group: group.id, into: rootOf(group).id });
  for (const group of new Set(joined.map(rootOf))) {
    group.cause = causeOfMost(group);
    const before = known.get(group);
    if (before && (before.cause !== group.cause || before.common !== commonOf(group)))
      changes.push({ kind: 'cause', at, group: group.id, cause: group.cause, scope: scopeOf(group) });
  }
  return { groups: joined.map(rootOf), changes };
}

/** Drops groups that nothing can join any more. */
export function forgetGroups(groups: DetectionGroup[], now: number): DetectionGroup[] {
  return groups.filter(({ newest }) => newest > now - historySeconds);
}

/** Of those that take it, one of its own scope before any other; then the largest. */
function groupFor(all: readonly DetectionGroup[], detection: Ungrouped, goesOn: GoesOn): DetectionGroup | undefined {
  return all
    .filter((group) => group.better === isBetter(detection))
    .map((group) => ({
      group,
      own: isOfScope(group, detection),
      size: sizeOf(group),
      away: outside(group, detection.changeAt),
    }))
    .filter(({ group, own, away }) =>
      own ? takesOwn(group, detection, away, goesOn) : takesOther(group, detection, goesOn),
    )
    .sort((a, b) => Number(b.own) - Number(a.own) || b.size - a.size || a.away - b.away)[0]?.group;
}

/**
 * Whether a group takes a detection of its own scope. A spike that begins after the group's are over is another event; what is small
 * may still become anything, and takes what began with it.
 */
function takesOwn(group: DetectionGroup, detection: Ungrouped, away: number, goesOn: GoesOn): boolean {
  const { kind, period, index } = detection;
  const isSmall = sizeOf(group) < shadowLeastMembers && !(index in group.members);
  if (kind !== 'spike') {
    // What lasts is what spikes were the beginning of while they go on: of one that is over it only has the onset.
    if (!group.lasting) return Math.min(away, awayFromMember(group, detection)) <= quietSeconds && goesOn(group);
    return away <= (isSmall ? longestSpikeSeconds : lastingWindow(detection));
  }
  if (away <= youngAge(period)) return true;
  return (!isSmall || away <= (isOfOneVantage(group) ? 0 : quietSeconds)) && goesOn(group);
}

/** Whether it takes one of another scope: a lasting change of a member, which is what its spike was the beginning of. */
function takesOther(group: DetectionGroup, detection: Ungrouped, goesOn: GoesOn): boolean {
  const { kind, cause, period, index } = detection;
  if (kind === 'spike' || !(index in group.members)) return false;
  // Several series that agree on another kind of cause are no mistake.
  if ((group.cause === 'network') !== (cause === 'network') && sizeOf(group) >= shadowLeastMembers) return false;
  return awayFromMember(group, detection) <= youngAge(period) && (group.lasting === true || goesOn(group));
}

/**
 * Whether at least half of a group's series are in its spike still, or have changed for good just now: what its scope brings meanwhile is
 * part of it.
 */
function isUnderWay(
  { members, from, to }: DetectionGroup,
  openSince: OpenSince,
  changed: ReadonlySet<number>,
): boolean {
  const indexes = Object.keys(members);
  const open = indexes.filter((index) => {
    if (changed.has(Number(index))) return true;
    const since = openSince(Number(index));
    return since !== null && since >= Math.min(from, members[index]?.onset ?? from) && since <= to;
  });
  return open.length >= indexes.length / 2;
}

/** Of a spike that a group has, another is one within twice the time after which it would be over. */
const windowOf = (kind: DetectionKind) => (kind === 'spike' ? 2 * quietSeconds : longestSpikeSeconds);

/** The longer it took to find a lasting change, the less sure is when it began. */
const lastingWindow = ({ at, changeAt }: Ungrouped) =>
  at - changeAt <= 2 * longestSpikeSeconds ? longestSpikeSeconds : at - changeAt;

/** Merges a group that grew with all that it turns out to be one event with; the largest of them is left. */
function mergeAround(
  all: DetectionGroup[],
  grown: DetectionGroup,
  detection: Ungrouped,
  goesOn: GoesOn,
  merged: Map<DetectionGroup, DetectionGroup>,
): DetectionGroup {
  let group = grown;
  for (const other of [...all]) {
    // What grew is itself one of them once a larger one has taken it in.
    if (other === group || other === grown || other.better !== group.better) continue;
    const [large, small] = sizeOf(other) > sizeOf(group) ? [other, group] : [group, other];
    if (!isOneEvent(large, small, detection, goesOn)) continue;
    absorb(large, small);
    merged.set(small, large);
    all.splice(all.indexOf(small), 1);
    group = large;
  }
  return group;
}

function isOneEvent(
  large: DetectionGroup,
  small: DetectionGroup,
  { kind, period }: Ungrouped,
  goesOn: GoesOn,
): boolean {
  if (sizeOf(large) < shadowLeastMembers) return false;
  // Of spikes that are over a lasting change may have the onset, and is none the less another event.
  if (kind !== 'spike' && [large, small].some((group) => !group.lasting && !goesOn(group))) return false;
  const away = Math.max(0, large.from - small.to, small.from - large.to);
  const isOwn = (large.cause === 'network') === (small.cause === 'network');
  const isNear = away <= youngAge(period);
  // What begins after the other's spikes are over is another event.
  if (!isNear && (!isOwn || away > windowOf(kind) || (kind === 'spike' && !goesOn(large)))) return false;
  if (large.cause === 'network' && small.cause === 'network' && isNear && isAlike(large, small)) return true;
  // Mistaken causes come singly: several series that agree are a thing of their own.
  if (!isOwn && sizeOf(small) >= shadowLeastMembers) return false;
  const members = Object.entries(small.pairs);
  const covered = members.reduce((sum, [pair, count]) => sum + (isInShadow(large, pair) ? count : 0), 0);
  return covered >= mergedShare * sizeOf(small);
}
