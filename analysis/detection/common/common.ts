// Changes that many series have in common, of a few per cent: too small for the test of any one of them. At the end of each
// half hour, how far each series has moved from its own last day is fitted by targets and carriers with medians
// (`fit.ts`). What a target, a carrier or a pair of both moved by beyond its siblings is held against what that same node
// did in the past (`past.ts`): its own wander and its own evenings are its noise. A change is told on each of its series.

import { causeOf, causeOfGroup } from '../causes/causes.ts';
import type { Cause } from '../detection.ts';
import {
  commonAgainSeconds,
  commonAgreeing,
  commonLargest,
  commonLeast,
  commonLeastMembers,
  commonNoise,
  commonPersists,
  commonSharedEvening,
  commonSpiking,
  commonWhole,
  commonWindow,
  lastingSeconds,
  peakVariation,
  slotSeconds,
} from '../parameters.ts';
import { contrastSince, type SeriesState, tlsLevels } from '../series/series.ts';
import { meanOf, medianOf } from '../statistics.ts';
import { cellsOf, type Moved, movedOf, type Node, nodesOf } from './fit.ts';
import { forgetSince, type NodePast, noiseOf, remembered } from './past.ts';

/** What is kept of changes in common; plain data. */
export type CommonState = {
  pasts: NodePast[];
  /** Series of which a change was told: by index, the first slot after it. */
  told: Record<string, number>;
};

/** A change that one of the series of a node has from now on. */
export type CommonShift = { series: SeriesState; onset: number; effect: number; cause: Cause };

export function newCommon(): CommonState {
  return { pasts: [], told: {} };
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
    if (series.id.variant !== undefined) continue;
    const found = movedOf(series, index, tlsLevels(series, slot), state.told[index] ?? 0);
    if (found) moved.push(found);
    yield;
  }
  const shifts: CommonShift[] = [];
  const taken = new Set<number>();
  for (const node of nodesOf(cellsOf(moved))) {
    const past = remembered(state.pasts, node.key, slot, node.moved[0] as number);
    const free = node.members.filter(({ index }) => !taken.has(index));
    yield;
    if (2 * free.length < node.members.length || !isChange(node, past, slot, all)) continue;
    const effect = node.moved[0] as number;
    const onset = onsetOf(node, slot);
    const isAgain = ({ accepted }: SeriesState) =>
      accepted.sign === Math.sign(effect) && now - accepted.at < commonAgainSeconds;
    const raised = free.filter(
      ({ index, values }) => (values[0] as number) / effect >= commonAgreeing && !isAgain(all[index] as SeriesState),
    );
    const cause = causeOfNode(
      node,
      raised.map(({ index }) => all[index] as SeriesState),
      onset,
      slot,
    );
    for (const { index } of node.members) taken.add(index);
    forgetSince(state.pasts, Math.floor(onset / slotSeconds));
    for (const { index } of raised) {
      state.told[index] = Math.ceil(onset / slotSeconds);
      const series = all[index] as SeriesState;
      series.accepted = { at: now, sign: Math.sign(effect) };
      shifts.push({ series, onset, effect, cause });
    }
  }
  return shifts;
}

/** Whether a node moved by more than it ever does, as a whole, and lastingly as far as can be seen. */
function isChange(node: Node, past: NodePast, slot: number, all: readonly SeriesState[]): boolean {
  const [effect = Number.NaN, ...bySlot] = node.moved;
  if (!(Math.abs(effect) >= commonLeast) || node.members.length < commonLeastMembers) return false;
  const noise = noiseOf(past, slot);
  if (noise === null) return false;
  const age = ageOf(bySlot, effect);
  if (age < commonWindow || age === bySlot.length) return false;
  // The longer it lasts the surer its size is, up to what the node wanders by.
  const size = Math.abs(meanOf(bySlot.slice(0, age)));
  const unsure = Math.max(commonNoise.wander, Math.sqrt(commonWindow / age));
  if (size < commonNoise.robust[node.kind] * unsure * noise.robust) return false;
  if (size < commonNoise.sameHours * unsure * noise.sameHours || size < noise.greatest) return false;
  const middleOf = (of: 'spread' | 'height') => medianOf(node.members.map((each) => each[of]));
  // An evening that is higher than others is no change; what siblings at the same carrier have of it is taken off, but not all.
  const evening = Math.max(commonNoise.shape * middleOf('spread'), peakVariation * middleOf('height'));
  if (size < (node.sharesEvenings ? commonSharedEvening : 1) * evening) return false;
  // What is larger may be a spike: it waits, and the test of each series is as good.
  if (size > commonLargest && age * slotSeconds < lastingSeconds) return false;
  if (node.parts.filter((part) => part / effect >= commonPersists).length < commonWhole * node.parts.length)
    return false;
  const spiking = node.members.filter(({ index }) => all[index]?.tls.spike.open).length;
  return spiking <= commonSpiking * node.members.length;
}

/** How many of the newest half hours show a change. */
function ageOf(bySlot: readonly number[], effect: number): number {
  const before = bySlot.findIndex((value) => !(value / effect >= commonPersists));
  return before < 0 ? bySlot.length : before;
}

/** When the newest half hours left what was before them: whole ones, and of the one before these the part that shows it. */
function onsetOf({ moved }: Node, slot: number): number {
  const [effect = 1, ...bySlot] = moved;
  const age = ageOf(bySlot, effect);
  const part = Math.max(0, Math.min(1, (bySlot[age] as number) / effect || 0));
  return Math.round((slot + 1 - age - part) * slotSeconds);
}

function causeOfNode(node: Node, raised: readonly SeriesState[], onset: number, slot: number): Cause {
  const from = Math.min(slot, Math.ceil(onset / slotSeconds));
  const contrasts = raised.flatMap((series) => contrastSince(series, from, slot) ?? []);
  const [own] = contrasts;
  if (node.kind === 'carrier' || own === undefined) return 'network';
  if (contrasts.length < 3) return causeOf(own, contrasts.slice(1));
  const moved = contrasts.filter(({ tls }) => tls / medianOf(contrasts.map((each) => each.tls)) > 0);
  return causeOfGroup(moved);
}

/** The newest slots alone are compared with what was before a change that was told: after a while all of them are. */
function forgetTold(state: CommonState, slot: number): void {
  for (const [index, since] of Object.entries(state.told)) if (slot - since > 100) delete state.told[index];
}
