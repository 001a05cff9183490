// Changes that many series have in common, of a few per cent: too small for the test of any one of them. At the end of each
// half hour, how far each series has moved from its own last hours (`moved.ts`) is fitted by targets and carriers
// (`fit.ts`). What a target, a carrier or a pair of both moved by beyond what paths explain is held against what that same node
// did in the past (`past.ts`): its own wander and its own evenings are its noise. A change is told on each of its series.

import { causeOf, causeOfGroup } from '../causes/causes.ts';
import type { Cause } from '../detection.ts';
import {
  commonAgainSeconds,
  commonAgreeing,
  commonItself,
  commonLargest,
  commonLeast,
  commonLeastMembers,
  commonNewLevelLeast,
  commonNewLevelSlots,
  commonNoise,
  commonPersists,
  commonReference,
  commonSpiking,
  commonWhole,
  commonWindow,
  lastingSeconds,
  peakVariation,
  slotSeconds,
} from '../parameters.ts';
import { known, residualsOf } from '../series/levels.ts';
import { contrastSince, type SeriesState, sinceOf, tlsLevels } from '../series/series.ts';
import { meanOf, medianOf } from '../statistics.ts';
import { type Node, nodesOf } from './fit.ts';
import { type Moved, movedOf } from './moved.ts';
import { forgetSince, livingPasts, type NodePast, newPast, noiseOf, rememberIn } from './past.ts';

/** What is kept of changes in common; plain data. */
export type CommonState = {
  pasts: NodePast[];
  /** Series of nodes of which a change was told: by index, the first slot after it. */
  told: Record<string, number>;
};

/** A change that one of the series of a node has from now on. */
export type CommonShift = { series: SeriesState; onset: number; effect: number; cause: Cause };

export function newCommon(): CommonState {
  return { pasts: [], told: {} };
}

/** Gives series of which a change was told their new indexes, by the old ones. */
export function renumberTold(state: CommonState, moved: ReadonlyMap<number, number>): void {
  state.told = Object.fromEntries(
    Object.entries(state.told).flatMap(([index, since]) => {
      const now = moved.get(Number(index));
      return now === undefined ? [] : [[now, since]];
    }),
  );
}

/** The changes that the half hours up to `slot` show, a series each. A step a series. */
export function* commonShiftsOf(
  state: CommonState,
  all: readonly SeriesState[],
  slot: number,
  now: number,
): Generator<void, CommonShift[]> {
  forgetTold(state, slot);
  const moved: Moved[] = [];
  for (const [index, series] of all.entries()) {
    // Resumed handshakes are fewer and of another kind.
    if (series.id.variant !== undefined || isNewLevel(series, slot)) continue;
    const found = movedOf(series, index, slot, state.told[index] ?? 0);
    if (found) moved.push(found);
    yield;
  }
  state.pasts = livingPasts(state.pasts, slot);
  const pasts = new Map(state.pasts.map((past) => [past.key, past]));
  const shifts: CommonShift[] = [];
  const taken = new Set<number>();
  for (const node of yield* nodesOf(moved)) {
    yield;
    const past = pasts.get(node.key) ?? newPast(node.key, slot);
    if (!pasts.has(node.key)) state.pasts.push(past);
    rememberIn(past, slot, node.distances[0] as number);
    const free = node.members.filter(({ moved: { index } }) => !taken.has(index));
    if (2 * free.length < node.members.length || !isChange(node, past, slot, all)) continue;
    const effect = node.distances[0] as number;
    const onset = onsetOf(node, slot);
    const isAgain = ({ accepted }: SeriesState) =>
      accepted.sign === Math.sign(effect) && now - accepted.at < commonAgainSeconds;
    const raised = free.filter(
      ({ moved: { index }, distance }) => distance / effect >= commonAgreeing && !isAgain(all[index] as SeriesState),
    );
    const cause = causeOfNode(
      node,
      raised.map(({ moved: { index } }) => all[index] as SeriesState),
      onset,
      slot,
    );
    // Of all of its series: what is left of a node when those that changed have gone is those that moved the other way.
    for (const {
      moved: { index },
    } of node.members) {
      taken.add(index);
      state.told[index] = Math.ceil(onset / slotSeconds);
    }
    forgetSince(state.pasts, Math.floor(onset / slotSeconds));
    for (const {
      moved: { index },
    } of raised) {
      const series = all[index] as SeriesState;
      series.accepted = { at: now, sign: Math.sign(effect) };
      shifts.push({ series, onset, effect, cause });
    }
  }
  return shifts;
}

/**
 * Whether a series' daily shape is that of another level: of a server that has more to do an evening is a smaller part, and what the old
 * shape takes off too much looked like a change of all its series. Of a level that is nearly the old one it is right.
 */
function isNewLevel(series: SeriesState, slot: number): boolean {
  const last = sinceOf(series);
  if (last === 0 || slot - last >= commonNewLevelSlots) return false;
  const levels = { ...tlsLevels(series, slot), since: 0 };
  const levelOf = (from: number, to: number) => medianOf(known(residualsOf(levels, levels.table, from, to, 'calm')));
  const before = levelOf(last - commonReference, last);
  const after = levelOf(last, Math.min(last + commonReference, slot + 1));
  return !(Math.abs(after - before) < commonNewLevelLeast);
}

/** Whether a node moved by more than it ever does, as a whole, and lastingly as far as can be seen. */
function isChange(node: Node, past: NodePast, slot: number, all: readonly SeriesState[]): boolean {
  const [effect = Number.NaN, ...bySlot] = node.distances;
  if (!(Math.abs(effect) >= commonLeast) || node.members.length < commonLeastMembers) return false;
  // A path that changed by itself is no change of what it was taken off.
  if (!(node.whole / effect >= commonItself)) return false;
  const noise = noiseOf(past, slot);
  if (noise === null) return false;
  const age = ageOf(bySlot, effect);
  if (age < commonWindow || age === bySlot.length) return false;
  // The longer it lasts the surer its size is, up to what the node wanders by.
  const size = Math.abs(meanOf(bySlot.slice(0, age)));
  const unsure = Math.max(commonNoise.wander, Math.sqrt(commonWindow / age));
  if (size < commonNoise.robust[node.kind] * unsure * noise.robust) return false;
  if (size < commonNoise.sameHours * unsure * noise.sameHours || size < noise.greatest) return false;
  if (size < commonNoise.apart * node.apart) return false;
  if ((node.view === 'whole' || node.view === 'path') && size < eveningOf(node)) return false;
  // What is larger may be a spike: it waits, and the test of each series is as good.
  if (size > commonLargest && age * slotSeconds < lastingSeconds) return false;
  if (node.parts.filter((part) => part / effect >= commonPersists).length < commonWhole * node.parts.length)
    return false;
  const spiking = node.members.filter(({ moved: { index } }) => all[index]?.tls.spike.open).length;
  return spiking <= commonSpiking * node.members.length;
}

/** By what an evening that is higher, earlier or wider than others may move a node whose path is not taken off. */
function eveningOf({ members, left }: Node): number {
  const middleOf = (of: 'spread' | 'height') => medianOf(members.map(({ moved }) => moved[of]));
  // That a weekend day's shape is not known yet is in proportion to nothing: of the spread more is left.
  return Math.max(Math.sqrt(left) * commonNoise.shape * middleOf('spread'), left * peakVariation * middleOf('height'));
}

/** How many of the newest half hours show a change: half of it or more, and not twice as much, which is a spike's. */
function ageOf(bySlot: readonly number[], effect: number): number {
  const before = bySlot.findIndex(
    (value) => !(value / effect >= commonPersists && value / effect <= 1 / commonPersists),
  );
  return before < 0 ? bySlot.length : before;
}

/** When the newest half hours left what was before them: whole ones, and of the one before these the part that shows it. */
function onsetOf({ distances }: Node, slot: number): number {
  const [effect = 1, ...bySlot] = distances;
  const age = ageOf(bySlot, effect);
  const part = Math.max(0, Math.min(1, (bySlot[age] as number) / effect || 0));
  return Math.round((slot + 1 - age - part) * slotSeconds);
}

function causeOfNode(node: Node, raised: readonly SeriesState[], onset: number, slot: number): Cause {
  const from = Math.min(slot, Math.ceil(onset / slotSeconds));
  const contrasts = raised.flatMap((series) => contrastSince(series, from, slot) ?? []);
  const [own] = contrasts;
  if (node.kind === 'carrier' || node.kind === 'area' || own === undefined) return 'network';
  if (contrasts.length < 3) return causeOf(own, contrasts.slice(1));
  const moved = contrasts.filter(({ tls }) => tls / medianOf(contrasts.map((each) => each.tls)) > 0);
  return causeOfGroup(moved);
}

/** The newest slots alone are compared with what was before a change that was told: after a while all of them are. */
function forgetTold(state: CommonState, slot: number): void {
  for (const [index, since] of Object.entries(state.told)) if (slot - since > 100) delete state.told[index];
}
