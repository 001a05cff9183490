// A group of detections, which is one event to a person: what it keeps of its members, and what these have in common. Which detections are of
// one event, `grouping.ts` says.

import type { Cause, DetectionKind, GroupId, GroupScope, Metric } from './detection.ts';
import { longestSpikeSeconds, mergedShare, regionsMost, shadowLeastMembers } from './parameters.ts';
import type { Series } from './sample.ts';

/** Detections of one event. Epoch seconds; members are series by index. Plain data. */
export type DetectionGroup = {
  /** By its first detection: it stays, also when scope and cause turn out to be others. */
  id: GroupId;
  /** Whether levels fell: what became better is no part of what became worse. */
  better: boolean;
  /** Whether one of its members changed for good: until then its spikes may be of minutes. */
  lasting: boolean;
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

type Member = {
  cause: Cause;
  metric: Metric;
  pair: string;
  /** The onset that was named last, epoch seconds. */
  onset: number;
  region: string;
  /** Its place, carrier and name. */
  vantage: string;
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
};

/** How many series a group has. */
export const sizeOf = ({ members }: DetectionGroup): number => Object.keys(members).length;

/** Appends a group that is empty, as of its first detection. */
export function newGroup(all: DetectionGroup[], detection: Ungrouped): DetectionGroup {
  const { cause, target, country, carrier, changeAt, at } = detection;
  const id: GroupId = cause === 'network' ? { cause, country, carrier, changeAt } : { cause, target, changeAt };
  const group: DetectionGroup = {
    id,
    better: isBetter(detection),
    lasting: false,
    cause,
    from: changeAt,
    to: changeAt,
    opened: at,
    newest: at,
    members: {},
    pairs: {},
    targets: {},
    carriers: {},
  };
  all.push(group);
  return group;
}

export function join(group: DetectionGroup, detection: Ungrouped): void {
  const { index, kind, cause, metric, changeAt, at, region, vantage, carrier, isOfProber } = detection;
  // An onset that took long to find is not sure enough to widen the interval.
  if (kind === 'spike' || at - changeAt <= 2 * longestSpikeSeconds) {
    group.from = Math.min(group.from, changeAt);
    group.to = Math.max(group.to, changeAt);
  }
  group.newest = at;
  if (kind !== 'spike') group.lasting = true;
  const known = group.members[index];
  // Of TLS time the phases say why it moved; of other metrics they may not.
  if (known?.metric === 'tls' && metric !== 'tls') return;
  const where = { pair: pairOf(detection), region, vantage: `${region} ${carrier} ${vantage}` };
  addMember(group, String(index), { cause, metric, ...where, onset: changeAt, ...(isOfProber ? { isOfProber } : {}) });
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

export function absorb(large: DetectionGroup, small: DetectionGroup): void {
  large.from = Math.min(large.from, small.from);
  large.to = Math.max(large.to, small.to);
  if (small.lasting) large.lasting = true;
  large.opened = Math.min(large.opened, small.opened);
  large.newest = Math.max(large.newest, small.newest);
  for (const [index, member] of Object.entries(small.members))
    if (!(index in large.members)) addMember(large, index, member);
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

/** Seconds between an onset and that which its series had in the group, by the detector's own word; infinite for one that is no member. */
export function awayFromMember({ members }: DetectionGroup, { index, changeAt }: Ungrouped): number {
  const member = members[index];
  return member === undefined ? Number.POSITIVE_INFINITY : Math.abs(changeAt - member.onset);
}

/** Seconds by which an onset lies outside the interval of a group's. */
export function outside({ from, to }: DetectionGroup, onset: number): number {
  return Math.max(0, from - onset, onset - to);
}

/** Whether several series of a group are at one vantage: what another one has some minutes later is no part of it. */
export function isOfOneVantage({ members }: DetectionGroup): boolean {
  const all = Object.values(members);
  return all.length > 1 && all.every(({ vantage }) => vantage === all[0]?.vantage);
}

/** Of the network the group's carrier, or target, or regions: what its members have in common; else its commonest target. */
export function isOfScope(group: DetectionGroup, { target, country, carrier, region, cause }: Ungrouped): boolean {
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
export function commonOf(group: DetectionGroup): 'target' | 'carrier' | 'regions' {
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
export function isInShadow(group: DetectionGroup, pair: string): boolean {
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

/** Whether two groups of the network, at two carriers, are of one target alone, or of the same few regions. */
export function isAlike(large: DetectionGroup, small: DetectionGroup): boolean {
  if (sizeOf(small) < shadowLeastMembers) return false;
  const target = most(large.targets) ?? '';
  const ofTarget = (group: DetectionGroup) => (group.targets[target] ?? 0) >= mergedShare * sizeOf(group);
  if (ofTarget(large) && ofTarget(small)) return true;
  if (!isRegional(large) || !isRegional(small)) return false;
  const covers = (one: DetectionGroup, other: DetectionGroup) => {
    const regions = regionsOf(one);
    const inside = Object.values(other.members).filter(({ region }) => regions.has(region));
    return inside.length >= mergedShare * sizeOf(other);
  };
  return covers(large, small) && covers(small, large);
}

/** The cause of most members, by TLS time where it was seen on that; of a tie what it was. */
export function causeOfMost({ members, cause }: DetectionGroup): Cause {
  const all = Object.values(members);
  const said = all.some(({ metric }) => metric === 'tls') ? all.filter(({ metric }) => metric === 'tls') : all;
  const votes = { network: 0, server: 0, tls: 0 };
  for (const member of said) votes[member.cause] += 1;
  return (Object.keys(votes) as Cause[]).reduce((best, each) => (votes[each] > votes[best] ? each : best), cause);
}

export function scopeOf(group: DetectionGroup): GroupScope {
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

export const isBetter = ({ kind }: Pick<Ungrouped, 'kind'>) => kind === 'improvement';

const pairOf = ({ target, country, carrier }: Series) => `${target}\n${country}/${carrier}`;

function partsOf(pair: string): [target: string, carrier: string] {
  const at = pair.lastIndexOf('\n');
  return [pair.slice(0, at), pair.slice(at + 1)];
}
