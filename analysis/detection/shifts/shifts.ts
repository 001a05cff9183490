// The life of a lasting change, at the end of each half hour. `window-test.ts` tests the last 4.5 to 18 hours of each series
// against the 48 hours before; `daily-peak.ts` rejects what one high evening could be. `onset.ts` dates the change by single
// samples; one that is too young waits. A series' own evidence is enough, or less of it where the share of one of its
// modes (`mode-test.ts`), a second metric or the neighbours agree (`agreeing`).
// Causes are determined, then each series accepts its change and restarts.

import { causeOf } from '../causes/causes.ts';
import type { Cause } from '../detection.ts';
import { slotOf } from '../history/half-hours.ts';
import { isRefusing } from '../monitor/refusals.ts';
import { lastingSeconds, longestSpikeSeconds, quorum, slotSeconds, slotsPerDay } from '../parameters.ts';
import { type Group, memberKey, type SeriesGroups } from '../series/groups.ts';
import type { Levels } from '../series/levels.ts';
import { acceptChange, contrastSince, type SeriesState, sinceOf, tcpLevels, tlsLevels } from '../series/series.ts';
import {
  changeAbout,
  findShareShift,
  type ModeCounts,
  modeCountsOf,
  type ShareShift,
  type Shares,
} from './mode-test.ts';
import { onsetOf } from './onset.ts';
import { findShift, type Relief, type Shift } from './window-test.ts';

/** A lasting change that a series has from now on. */
export type AcceptedShift = {
  series: SeriesState;
  onset: number;
  effect: number;
  cause: Cause;
  /** Of a series of two modes whose shares changed: that of the slower one. */
  shares?: Shares;
};

/** The lasting changes that the half hours up to `slot` show; their series restart. A step a series. */
export function* shiftsOf(seriesGroups: SeriesGroups, slot: number, now: number): Generator<void, AcceptedShift[]> {
  const sure = new Map<number, Candidate>();
  const possible: Record<1 | 2, Map<number, Candidate>> = { 1: new Map(), 2: new Map() };
  for (const [index, series] of seriesGroups.all.entries()) {
    yield;
    const found = shiftOf(series, slot);
    const candidate = found && candidateOf(series, index, found, slot);
    if (!candidate) continue;
    possible[2].set(index, candidate);
    if (found.needs < 2) possible[1].set(index, candidate);
    if (found.needs === 0) sure.set(index, candidate);
  }
  if (possible[2].size === 0) return [];
  for (const group of seriesGroups.groups()) {
    yield;
    for (const candidate of [
      ...agreeing(seriesGroups, group, possible[1], 1),
      ...agreeing(seriesGroups, group, possible[2], 2),
    ])
      sure.set(candidate.index, candidate);
  }
  const accepted: AcceptedShift[] = [];
  for (const { index, onset, effect, shares } of [...sure.values()].sort((a, b) => a.index - b.index)) {
    yield;
    accepted.push({
      series: seriesGroups.at(index),
      onset,
      effect,
      cause: causeOfShift(seriesGroups, index, onset, slot),
      ...(shares && { shares }),
    });
  }
  // Causes come first: a series that has restarted has nothing to compare its siblings with.
  const restarted: AcceptedShift[] = [];
  for (const each of accepted) {
    yield;
    if (acceptChange(each.series, each.onset, each.effect, now)) restarted.push(each);
  }
  return restarted;
}

/** A lasting change that a series shows, and how much its neighbours must confirm of it; `ofShare` where it is one of its modes' shares. */
type Found = { shift: Shift; needs: Relief; ofShare: OfShare | null };
type OfShare = ShareShift & { counts: ModeCounts; levels: Levels };

function shiftOf(series: SeriesState, slot: number): Found | null {
  const levels = tlsLevels(series, slot);
  const faint = findShift(levels, 2);
  const likely = findShift(levels, 1);
  const least = likely ?? faint;
  if (least === null) return null;
  // The modes' shares are seen in single samples, without how the level wanders: where one changed too, that is a second witness.
  const counts = modeCountsOf(series, levels);
  const shareShift = (relief: Relief): OfShare | null => {
    const found = counts && findShareShift(counts, levels, least, relief);
    return counts && found && { ...found, counts, levels };
  };
  const shift = faint && findShift(levels);
  const ofShare = shareShift(0);
  if (shift) return { shift, needs: 0, ofShare };
  if (likely && ofShare) return { shift: likely, needs: 0, ofShare };
  if (faint === null) return null;
  if (likely === null) {
    const share = shareShift(1);
    return { shift: faint, needs: share ? 1 : 2, ofShare: share };
  }
  // The path's own round trip is measured apart from TLS: where it changed by half as much at least, that is another.
  const path = findShift(tcpLevels(series, slot));
  const isSeen = path !== null && path.effect / likely.effect >= 1 / 2;
  return { shift: likely, needs: isSeen ? 0 : 1, ofShare: null };
}

/** Null where the change, as single samples date it, is younger than `lastingSeconds`. */
function candidateOf(series: SeriesState, index: number, { shift, ofShare }: Found, slot: number): Candidate | null {
  const end = (slot + 1) * slotSeconds;
  const since = sinceOf(series) * slotSeconds;
  const { window, effect } = ofShare ?? shift;
  const start = end - window * slotSeconds;
  const from = Math.max(since, start - (slotsPerDay / 2) * slotSeconds);
  const undated = { since, from, start, before: shift.before, effect };
  const byShare = ofShare && onsetOf(series.tls, series.history, { ...undated, divide: ofShare.divide });
  const onset = byShare ?? onsetOf(series.tls, series.history, undated);
  if (onset === null || onset > end - lastingSeconds) return null;
  if (ofShare === null) return { index, effect, onset };
  const about = changeAbout(ofShare.counts, ofShare.levels, ofShare, onset);
  return { index, onset, effect: about.effect, shares: about.shares };
}

function causeOfShift(seriesGroups: SeriesGroups, index: number, onset: number, slot: number): Cause {
  const from = Math.min(slotOf(onset) + 1, slot);
  const own = contrastSince(seriesGroups.at(index), from, slot);
  if (own === null) return 'server';
  const { refused } = seriesGroups.at(index);
  if (refused && isRefusing(refused)) return 'tls';
  return causeOf(
    own,
    seriesGroups.neighbours(index, 'target').flatMap((series) => contrastSince(series, from, slot) ?? []),
  );
}

/** A series that may share a lasting change with others; see `agreeing`. */
export type Candidate = {
  index: number;
  effect: number;
  onset: number;
  shares?: Shares;
};

/**
 * The candidates of a group that confirm each other: enough members, and enough of the group, with one direction and one onset. In
 * the order of onsets those that are one event with a candidate lie around it, so two ends move on: n log n for n candidates.
 */
export function agreeing(
  seriesGroups: SeriesGroups,
  group: Group,
  candidates: ReadonlyMap<number, Candidate>,
  relief: keyof typeof quorum,
): Candidate[] {
  const { members: least, share } = quorum[relief];
  const members = group.members.flatMap((index) => candidates.get(index) ?? []);
  if (members.length < least) return [];
  // Only those that are still measured count.
  const enough = share * seriesGroups.living(group);
  if (members.length < enough) return [];
  const confirmed = new Set<Candidate>();
  for (const alike of Map.groupBy(members, ({ effect }) => Math.sign(effect)).values()) {
    const byOnset = alike.sort((a, b) => a.onset - b.onset);
    const keys = byOnset.map(({ index }) => memberKey(group, seriesGroups.at(index)));
    const apart = new Map<string, number>();
    let from = 0;
    let to = 0;
    for (const candidate of byOnset) {
      for (; to < byOnset.length && isOneEvent(candidate, byOnset[to] as Candidate); to++)
        addTo(apart, keys[to] as string, 1);
      for (; !isOneEvent(byOnset[from] as Candidate, candidate); from++) addTo(apart, keys[from] as string, -1);
      if (apart.size >= least && to - from >= enough) confirmed.add(candidate);
    }
  }
  return members.filter((candidate) => confirmed.has(candidate));
}

/** Of two changes in one direction, the earlier first. */
const isOneEvent = (earlier: Candidate, later: Candidate) => later.onset - earlier.onset <= longestSpikeSeconds;

function addTo(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
