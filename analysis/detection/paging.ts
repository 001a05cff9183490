// Whether a detection is a page, or a note in its series' log: what one series or one vantage shows alone, and what is too small
// for anybody to be told, are notes. A page once is a page: only what its group was at that instant counts.

import type { DetectionGroup, Ungrouped } from './group.ts';
import { alonePageFloor, leastTogether, manySeries, pageFloor, shadowLeastMembers } from './parameters.ts';

/** `others`: how many other series the detection's target has. */
export function isPage(detection: Ungrouped, group: DetectionGroup, others: number): boolean {
  if (isTrivial(detection)) return false;
  if (others < shadowLeastMembers) return true;
  const size = linesOf(group);
  if (detection.kind === 'spike') return isSpikePage(detection, group, size, others >= manySeries);
  if (size >= (others < manySeries ? 2 : leastTogether)) return true;
  return detection.kind === 'regression' && isAbove(detection, alonePageFloor);
}

/**
 * Two lines of one vantage are a page, or two of a target with few; of many two agree by chance, where a lost segment or two makes a spike
 * of each. A line that may be its prober's own fault counts from four on: a release may take more work to connect as well.
 */
function isSpikePage({ metric }: Ungrouped, group: DetectionGroup, lines: number, isOfMany: boolean): boolean {
  if (lines >= shadowLeastMembers) return !isOfOneProber(group);
  const sure = Object.entries(group.members).filter(([, { isOfProber }]) => !isOfProber);
  const isScattered = isOfMany && new Set(sure.map(([, { vantage }]) => vantage)).size > 1;
  const least = isScattered && (metric === 'tls' || metric === 'tcp') ? leastTogether : 2;
  return linesOf({ members: Object.fromEntries(sure) }) >= least;
}

/** Full and resumed handshakes of a target at a vantage are two series, which count as one. */
const linesOf = ({ members }: Pick<DetectionGroup, 'members'>) =>
  new Set(Object.values(members).map(({ pair, vantage }) => `${pair} ${vantage}`)).size;

/** Of less than this a person does not want to be told: of what is known to be less. */
function isTrivial(detection: Ungrouped): boolean {
  const { kind, metric } = detection;
  if (metric !== 'tls' && metric !== 'tcp') return false;
  return !isAbove(detection, kind === 'spike' ? pageFloor.spike : pageFloor.lasting);
}

/** The milliseconds are those of TLS time, and not always known. */
function isAbove({ metric, effect, ms }: Ungrouped, floor: { effect: number; ms: number }): boolean {
  return Math.abs(effect) >= floor.effect && (metric !== 'tls' || ms === null || Math.abs(ms) >= floor.ms);
}

/** Whether all that a group shows is at one vantage, of several targets, and not of the path alone: the prober itself was busy. */
function isOfOneProber({ members }: DetectionGroup): boolean {
  const all = Object.values(members);
  const [first] = all;
  if (!first || !all.every(({ vantage }) => vantage === first.vantage)) return false;
  return all.filter((member) => member.isOfProber).length > all.length / 2;
}
