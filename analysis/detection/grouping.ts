import type { Cause, DetectionKind, GroupId } from './detection.ts';
import { groupSeconds, sameShiftSeconds, sameSpikeSeconds } from './parameters.ts';
import type { Series } from './sample.ts';

/** Detections of one scope and one onset: what a person sees as one event. `newest`: epoch seconds of its newest detection. */
export type DetectionGroup = { id: GroupId; newest: number };

/** A detection as far as its group follows from it. */
export type Ungrouped = Series & { kind: DetectionKind; cause: Cause; at: number; changeAt: number };

/** The group that a detection belongs to, by the distance of the onsets; a new one joins `groups`. */
export function groupOf(groups: DetectionGroup[], detection: Ungrouped): GroupId {
  const { kind, at, changeAt } = detection;
  const id = idOf(detection);
  const within = kind === 'spike' ? sameSpikeSeconds : sameShiftSeconds;
  const distance = (each: DetectionGroup) => Math.abs(each.id.changeAt - changeAt);
  const near = groups
    .filter((each) => isSameScope(each.id, id) && distance(each) <= within)
    .sort((a, b) => distance(a) - distance(b))[0];
  if (near) {
    near.newest = at;
    return near.id;
  }
  groups.push({ id, newest: at });
  return id;
}

/** Drops groups that nothing can join any more. */
export function forgetGroups(groups: DetectionGroup[], now: number): DetectionGroup[] {
  return groups.filter(({ newest }) => newest > now - groupSeconds);
}

function idOf({ cause, target, country, carrier, changeAt }: Ungrouped): GroupId {
  return cause === 'network' ? { cause, country, carrier, changeAt } : { cause, target, changeAt };
}

/** Of the network the same carrier, else the same target. */
function isSameScope(one: GroupId, other: GroupId): boolean {
  if (one.cause === 'network')
    return other.cause === 'network' && one.carrier === other.carrier && one.country === other.country;
  return other.cause !== 'network' && one.target === other.target;
}
