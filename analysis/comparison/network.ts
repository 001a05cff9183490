import { medianOf } from '#analysis/detection/statistics.ts';
import type { NetworkMove } from '#contract/comparison.ts';
import { type Effect, LEVEL, shiftOf, type VantageShift } from './effect.ts';
import { holm } from './statistics.ts';

// Whose network moved: that of all, of a carrier, or of a region. The round-trip times say so, whatever the server does: their means,
// of which what a queue adds to each round trip is one.

/** Moves that are smaller, in ms and as a share of the RTT, are none. */
const LEAST_MOVE_MS = 1;
const LEAST_MOVE_SHARE = 0.03;
/** A region moved along with its carrier where it moved by this part of it. */
const ALONG = 0.5;
/** Carriers moved alike where the smallest move is at least this part of the largest. */
const ALIKE = 0.5;

/** The carriers whose round-trip times moved, or, where none did, the regions; one entry without a name where all did alike. */
export function networkMoves({ vantages }: Effect): NetworkMove[] {
  const byCarrier = movesBy(vantages, 'carrier');
  const carriers = new Set(vantages.map(({ pair }) => pair.vantage.carrier));
  const values = byCarrier.map(({ shift }) => Math.abs(shift.value));
  const isOfAll =
    byCarrier.length === carriers.size &&
    carriers.size > 1 &&
    new Set(byCarrier.map(({ shift }) => Math.sign(shift.value))).size === 1 &&
    Math.min(...values) >= ALIKE * Math.max(...values);
  if (isOfAll) return [moveOf(vantages, { carrier: null, region: null })];
  return byCarrier.length > 0 ? byCarrier : movesBy(vantages, 'region');
}

function movesBy(all: readonly VantageShift[], label: 'carrier' | 'region'): NetworkMove[] {
  const groups = [...Map.groupBy(all, ({ pair }) => pair.vantage[label])];
  const tested = groups.map(([, own]) => shiftOf(own, 0).p);
  const sure = holm(tested, LEVEL);
  return groups
    .flatMap(([name, own], i) => {
      const move = moveOf(own, { carrier: null, region: null, [label]: name });
      const least = Math.max(LEAST_MOVE_MS, LEAST_MOVE_SHARE * medianOf(own.map(({ rttMs }) => rttMs)));
      return sure[i] && Math.abs(move.shift.value) >= least ? move : [];
    })
    .sort((a, b) => Math.abs(b.shift.value) - Math.abs(a.shift.value));
}

function moveOf(own: readonly VantageShift[], of: Pick<NetworkMove, 'carrier' | 'region'>): NetworkMove {
  const { shift } = shiftOf(own, 0);
  const regions = [...Map.groupBy(own, ({ pair }) => pair.vantage.region).values()];
  const moved = regions.filter((same) => medianOf(same.map((each) => each.shift)) / shift.value >= ALONG);
  return { ...of, shift, regions: moved.length, of: regions.length };
}
