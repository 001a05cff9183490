// Which detections are one event to a person. An event has an interval of onsets that grows with its members, and a scope that follows
// from them. A detection joins by membership: it has the event's scope, its series is a member already, or it lies in the event's
// shadow, which is what at least four members of its target or carrier throw; and the event is not over. Of several the
// largest wins. Events that turn out to be one are merged; the cause is that of most members.

import type { Cause, DetectionKind, GroupChange, GroupId, GroupScope, Metric } from './detection.ts';
import {
  doubtfulPeriods,
  doubtfulSeconds,
  groupSeconds,
  mergedShare,
  mistakenPeriods,
  mistakenSeconds,
  regionsMost,
  sameShiftSeconds,
  sameSpikeSeconds,
  shadowLeastMembers,
  shiftWindowSeconds,
  spikeWindowPeriods,
  spikeWindowSeconds,
  sureOnsetSeconds,
} from './parameters.ts';
import type { Series } from './sample.ts';

/** Detections of one event. Epoch seconds; members are series by index. Plain data. */
export type DetectionGroup = {
  /** By its first detection: it stays, also when scope and cause turn out to be others. */
  id: GroupId;
  /** Whether levels fell: what became better is no part of what became worse. */
  better: boolean;
  /** Whether one of its members changed for good: until then its spikes may be of minutes. Left out once. */
  lasting?: boolean;
  cause: Cause;
  /** The first and the last onset, the first detection and the newest. */
  from: number;
  to: number;
  opened: number;
  newest: number;
  /** What each member said last of its cause, and by which metric; and where it is. */
  members: Record<string, Member>;
  /** How many members a pair of target and carrier, a target and a carrier have. */
  pairs: Record<string, number>;
  targets: Record<string, number>;
  carriers: Record<string, number>;
};

/** `region` and `vantage` were not kept once. */
type Member = {
  cause: Cause;
  metric: Metric;
  pair: string;
  /** The onset that was named last, epoch seconds. */
  onset?: number;
  region?: string;
  vantage?: string;
  isOfProber?: boolean;
};

/** A detection as far as its group follows from it; `index` is that of its series, `period` its probes' distance, seconds. */
export type Ungrouped = Series & {
  index: number;
  period: number;
  kind: DetectionKind;
  metric: Metric;
  cause: Cause;
  at: number;
  changeAt: number;
  /** Natural logarithm of after / before, and the same in ms; null where it is not known. */
  effect: number;
  ms: number | null;
  /** Whether both connect and the server's think time moved: at all targets of a vantage, that is the prober's own. */
  isOfProber?: boolean;
  /** The onset that the detector names, where the group goes by another one (`redated`). */
  onset?: number;
};

/** The group of each detection of one instant, in their order, and what became of groups that were there before. */
export type Grouped = { groups: DetectionGroup[]; changes: GroupChange[] };

/** The onset of a series' spike that is under way, epoch seconds, by its index; null where there is none, or where it is quiet. */
export type OpenSince = (index: number) => number | null;

/** Whether a group's spike is under way still. */
type GoesOn = (group: DetectionGroup) => boolean;

/** Finds the groups of all detections of one instant; new ones join `all`, merged ones leave it. */
export function groupDetections(all: DetectionGroup[], found: readonly Ungrouped[], openSince: OpenSince): Grouped {
  const detections = found.map(redated);
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

/** A run of evidence that took long to be enough began by chance: what it shows now began lately. */
function redated(detection: Ungrouped): Ungrouped {
  const { kind, at, changeAt, period } = detection;
  if (kind !== 'spike' || at - changeAt <= Math.max(doubtfulSeconds, doubtfulPeriods * period)) return detection;
  return { ...detection, onset: changeAt, changeAt: at - mistakenWindow(period) };
}

/** Drops groups that nothing can join any more. */
export function forgetGroups(groups: DetectionGroup[], now: number): DetectionGroup[] {
  return groups.filter(({ newest }) => newest > now - groupSeconds);
}

/** Gives the members of groups their new indexes, by the old ones; what has none is no member any more. */
export function renumberMembers(groups: readonly DetectionGroup[], moved: ReadonlyMap<number, number>): void {
  for (const group of groups) {
    const before = Object.entries(group.members);
    group.members = {};
    for (const [index, member] of before) {
      const now = moved.get(Number(index));
      if (now !== undefined) group.members[now] = member;
      else {
        const [target, carrier] = partsOf(member.pair);
        for (const [counts, key] of [
          [group.pairs, member.pair],
          [group.targets, target],
          [group.carriers, carrier],
        ] as const) {
          counts[key] = (counts[key] ?? 1) - 1;
          if (counts[key] === 0) delete counts[key];
        }
      }
    }
  }
}

/** How many series a group has. */
export const sizeOf = ({ members }: DetectionGroup): number => Object.keys(members).length;

/** Of those that take it, one of its own scope before one that only throws a shadow; then the largest. */
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
      own ? takesOwn(group, detection, away, goesOn) : takesOther(group, detection, away, goesOn),
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
    if (!group.lasting) return Math.min(away, awayFromMember(group, detection)) <= sameSpikeSeconds && goesOn(group);
    return away <= (isSmall ? sameShiftSeconds : lastingWindow(detection));
  }
  if (away <= mistakenWindow(period)) return true;
  return (!isSmall || away <= (isOfOneVantage(group) ? 0 : sameSpikeSeconds)) && goesOn(group);
}

/**
 * Whether it takes one of another scope: a series in its shadow whose cause was mistaken, which began with it; or a lasting change of
 * a member, which is what its spike was the beginning of.
 */
function takesOther(group: DetectionGroup, detection: Ungrouped, away: number, goesOn: GoesOn): boolean {
  const { kind, cause, period, index } = detection;
  const member = group.members[index];
  if (kind !== 'spike') {
    // Several series that agree on another kind of cause are no mistake.
    if ((group.cause === 'network') !== (cause === 'network') && sizeOf(group) >= shadowLeastMembers) return false;
    if (member)
      return awayFromMember(group, detection) <= mistakenWindow(period) && (group.lasting === true || goesOn(group));
  }
  return away <= mistakenWindow(period) && isInShadow(group, pairOf(detection)) && goesOn(group);
}

/** Whether several series of a group are at one vantage: what another one has some minutes later is no part of it. */
function isOfOneVantage({ members }: DetectionGroup): boolean {
  const all = Object.values(members);
  return all.length > 1 && all.every(({ vantage }) => vantage !== undefined && vantage === all[0]?.vantage);
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

/** Seconds between an onset and that which its series had in the group, by the detector's own word; infinite for one that is no member. */
function awayFromMember({ members, to }: DetectionGroup, { index, changeAt }: Ungrouped): number {
  const member = members[index];
  return member === undefined ? Number.POSITIVE_INFINITY : Math.abs(changeAt - (member.onset ?? to));
}

/** Seconds by which an onset lies outside the interval of a group's. */
function outside({ from, to }: DetectionGroup, onset: number): number {
  return Math.max(0, from - onset, onset - to);
}

function windowOf(kind: DetectionKind, period: number): number {
  return Math.max(kind === 'spike' ? spikeWindowSeconds : shiftWindowSeconds, spikeWindowPeriods * period);
}

/** The longer it took to find a lasting change, the less sure is when it began. */
const lastingWindow = ({ at, changeAt }: Ungrouped) =>
  at - changeAt <= sureOnsetSeconds ? shiftWindowSeconds : Math.max(shiftWindowSeconds, at - changeAt);

const mistakenWindow = (period: number) => Math.max(mistakenSeconds, mistakenPeriods * period);

/** Of the network the group's carrier, or target, or regions: what its members have in common; else its commonest target. */
function isOfScope(group: DetectionGroup, { target, country, carrier, region, cause }: Ungrouped): boolean {
  if ((cause === 'network') !== (group.cause === 'network')) return false;
  switch (commonOf(group)) {
    case 'target':
      return target === most(group.targets);
    case 'regions':
      return Object.values(group.members).filter((member) => member.region === region).length >= 2;
    case 'carrier':
      return `${country}/${carrier}` === most(group.carriers);
  }
}

/**
 * What the members of a group have in common. Of the network a carrier, unless nearly all are of one target at several carriers
 * (the way into its data centre), or are at several carriers of a few regions.
 */
function commonOf(group: DetectionGroup): 'target' | 'carrier' | 'regions' {
  if (group.cause !== 'network') return 'target';
  const size = sizeOf(group);
  const share = (counts: Record<string, number>) => (counts[most(counts) ?? ''] ?? 0) / size;
  if (size < shadowLeastMembers || share(group.carriers) >= mergedShare) return 'carrier';
  if (share(group.targets) >= mergedShare) return 'target';
  return isRegional(group) ? 'regions' : 'carrier';
}

/** Whether a group's members are in few regions, several in each. */
function isRegional(group: DetectionGroup): boolean {
  const regions = regionsOf(group);
  return regions.size > 0 && regions.size <= regionsMost && sizeOf(group) >= 2 * regions.size;
}

function regionsOf({ members }: DetectionGroup): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { region } of Object.values(members)) if (region) counts.set(region, (counts.get(region) ?? 0) + 1);
  return counts;
}

/**
 * Whether a group covers a pair of target and carrier: by members of the same pair; of its target at two carriers or more, or of its
 * carrier at two targets or more, if the group is about that target, or that carrier.
 */
function isInShadow(group: DetectionGroup, pair: string): boolean {
  if ((group.pairs[pair] ?? 0) >= shadowLeastMembers) return true;
  const [target, carrier] = partsOf(pair);
  return (
    ((group.targets[target] ?? 0) >= shadowLeastMembers &&
      spans(group, Object.keys(group.carriers), (each) => `${target}\n${each}`)) ||
    ((group.carriers[carrier] ?? 0) >= shadowLeastMembers &&
      spans(group, Object.keys(group.targets), (each) => `${each}\n${carrier}`))
  );
}

/** Whether at least two of these pairs have two members each: one may be a series whose cause was mistaken. */
function spans({ pairs }: DetectionGroup, others: readonly string[], pairWith: (other: string) => string): boolean {
  let found = 0;
  for (const other of others) {
    if ((pairs[pairWith(other)] ?? 0) >= 2) found += 1;
    if (found === 2) return true;
  }
  return false;
}

/** A group of which nothing is known but its first detection: that is how they were stored once. */
export function groupOfId(id: GroupId, newest: number): DetectionGroup {
  const carriers: Record<string, number> = id.cause === 'network' ? { [`${id.country}/${id.carrier}`]: 1 } : {};
  const targets: Record<string, number> = id.cause === 'network' ? {} : { [id.target]: 1 };
  const { cause, changeAt } = id;
  const empty = { members: {}, pairs: {}, targets, carriers };
  return { id, better: false, cause, from: changeAt, to: changeAt, opened: newest, newest, ...empty };
}

function newGroup(all: DetectionGroup[], detection: Ungrouped): DetectionGroup {
  const { cause, target, country, carrier, changeAt, at } = detection;
  const id: GroupId = cause === 'network' ? { cause, country, carrier, changeAt } : { cause, target, changeAt };
  const group = { ...groupOfId(id, at), better: isBetter(detection), targets: {}, carriers: {} };
  all.push(group);
  return group;
}

function join(group: DetectionGroup, detection: Ungrouped): void {
  const {
    index,
    kind,
    cause,
    metric,
    changeAt,
    at,
    region,
    vantage,
    carrier,
    isOfProber,
    onset = changeAt,
  } = detection;
  // An onset that took long to find is not sure enough to widen the interval.
  if (kind === 'spike' || at - changeAt <= sureOnsetSeconds) {
    group.from = Math.min(group.from, changeAt);
    group.to = Math.max(group.to, changeAt);
  }
  group.newest = at;
  if (kind !== 'spike') group.lasting = true;
  const known = group.members[index];
  // Of TLS time the phases say why it moved; of other metrics they may not.
  if (known?.metric === 'tls' && metric !== 'tls') return;
  const where = { pair: pairOf(detection), region, vantage: `${region} ${carrier} ${vantage}` };
  addMember(group, String(index), { cause, metric, ...where, onset, ...(isOfProber ? { isOfProber } : {}) });
}

function addMember(group: DetectionGroup, index: string, member: DetectionGroup['members'][string]): void {
  if (!(index in group.members)) {
    const [target, carrier] = partsOf(member.pair);
    group.pairs[member.pair] = (group.pairs[member.pair] ?? 0) + 1;
    group.targets[target] = (group.targets[target] ?? 0) + 1;
    group.carriers[carrier] = (group.carriers[carrier] ?? 0) + 1;
  }
  group.members[index] = member;
  group.cause = causeOfMost(group);
}

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
  const isNear = away <= mistakenWindow(period);
  // What begins after the other's spikes are over is another event.
  if (!isNear && (!isOwn || away > windowOf(kind, period) || (kind === 'spike' && !goesOn(large)))) return false;
  if (large.cause === 'network' && small.cause === 'network' && isNear && isAlike(large, small)) return true;
  // Mistaken causes come singly: several series that agree are a thing of their own.
  if (!isOwn && sizeOf(small) >= shadowLeastMembers) return false;
  const members = Object.entries(small.pairs);
  const covered = members.reduce((sum, [pair, count]) => sum + (isInShadow(large, pair) ? count : 0), 0);
  return covered >= mergedShare * sizeOf(small);
}

/** Whether two groups of the network, at two carriers, are of one target alone, or of the same few regions. */
function isAlike(large: DetectionGroup, small: DetectionGroup): boolean {
  if (sizeOf(small) < shadowLeastMembers) return false;
  const target = most(large.targets) ?? '';
  const ofTarget = (group: DetectionGroup) => (group.targets[target] ?? 0) >= mergedShare * sizeOf(group);
  if (ofTarget(large) && ofTarget(small)) return true;
  if (!isRegional(large) || !isRegional(small)) return false;
  const covers = (one: DetectionGroup, other: DetectionGroup) => {
    const regions = regionsOf(one);
    const inside = Object.values(other.members).filter(({ region }) => regions.has(region ?? ''));
    return inside.length >= mergedShare * sizeOf(other);
  };
  return covers(large, small) && covers(small, large);
}

function absorb(large: DetectionGroup, small: DetectionGroup): void {
  large.from = Math.min(large.from, small.from);
  large.to = Math.max(large.to, small.to);
  if (small.lasting) large.lasting = true;
  large.opened = Math.min(large.opened, small.opened);
  large.newest = Math.max(large.newest, small.newest);
  for (const [index, member] of Object.entries(small.members))
    if (!(index in large.members)) addMember(large, index, member);
}

/** The cause of most members, by TLS time where it was seen on that; of a tie what it was. */
function causeOfMost({ members, cause }: DetectionGroup): Cause {
  const all = Object.values(members);
  const said = all.some(({ metric }) => metric === 'tls') ? all.filter(({ metric }) => metric === 'tls') : all;
  const votes = { network: 0, server: 0, tls: 0 };
  for (const member of said) votes[member.cause] += 1;
  return (Object.keys(votes) as Cause[]).reduce((best, each) => (votes[each] > votes[best] ? each : best), cause);
}

function scopeOf(group: DetectionGroup): GroupScope {
  if (commonOf(group) === 'target') return { target: most(group.targets) ?? '' };
  const name = most(group.carriers) ?? '';
  const at = name.indexOf('/');
  return { country: name.slice(0, at), carrier: name.slice(at + 1) };
}

function most(counts: Record<string, number>): string | undefined {
  let best: string | undefined;
  for (const key of Object.keys(counts)) if (best === undefined || (counts[key] ?? 0) > (counts[best] ?? 0)) best = key;
  return best;
}

const isBetter = ({ kind }: Pick<Ungrouped, 'kind'>) => kind === 'improvement';

const pairOf = ({ target, country, carrier }: Series) => `${target}\n${country}/${carrier}`;

function partsOf(pair: string): [target: string, carrier: string] {
  const at = pair.lastIndexOf('\n');
  return [pair.slice(0, at), pair.slice(at + 1)];
}
