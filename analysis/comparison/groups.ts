// The effect by place: by vantage, by region and carrier, by region, and over the regions of each direction.

import type { ComparisonFigures, Direction } from '#contract/comparison.ts';
import type { Decomposition } from './decomposition.ts';
import { type Effect, halfWidth, LEVEL, shiftOf, type VantageShift } from './effect.ts';
import { LEAST_RESULTS } from './posture.ts';
import { holm } from './statistics.ts';

/** Vantages of a group whose standard error is so many times the least say little beside the others. */
const LARGEST_ERROR = 3;

/** The effect by vantage, by region and carrier, and by region; which of a list are sure is decided over all of it (Holm). */
export function* groupsOf(
  effect: Effect,
  parts: Decomposition,
  network: Effect,
): Generator<void, Pick<ComparisonFigures, 'vantages' | 'cells' | 'regions' | 'directions'>> {
  const networkOf = new Map(network.vantages.map((vantage) => [vantage.pair.vantage.id, vantage]));
  const all = effect.vantages.map((vantage, i) => ({ vantage, server: parts.vantages[i] as VantageShift }));
  const [drift, serverDrift] = [halfWidth(effect.shift), halfWidth(parts.server)];
  const list = <Key extends object>(keyOf: (vantage: VantageShift) => Key) => {
    const groups = Map.groupBy(all, ({ vantage }) => JSON.stringify(keyOf(vantage)));
    const tested = [...groups.values()].map((both) => {
      const own = both.map(({ vantage }) => vantage);
      const { shift: server, p } = shiftOf(knownBest(both.map((each) => each.server)), serverDrift);
      const count = (side: 'before' | 'after') => own.reduce((sum, { pair }) => sum + pair[side].length, 0);
      const n = { before: count('before'), after: count('after') };
      return { own, n, shift: shiftOf(own, drift).shift, server, p };
    });
    const sure = holm(
      tested.map(({ n, p }) => (Math.min(n.before, n.after) < LEAST_RESULTS ? 1 : p)),
      LEVEL,
    );
    return tested.map(({ own, n, shift, server }, i) => ({
      ...keyOf(own[0] as VantageShift),
      vantages: own.length,
      n,
      shift,
      networkMs: shiftOf(
        own.flatMap(({ pair }) => networkOf.get(pair.vantage.id) ?? []),
        0,
      ).shift.value,
      server,
      direction: (sure[i] ? (server.value < 0 ? 'faster' : 'slower') : 'unclear') as Direction,
    }));
  };
  const vantages = list(({ pair, rttMs }) => ({ ...pair.vantage, rttMs }));
  yield;
  const cells = list(({ pair: { vantage } }) => ({ region: vantage.region, carrier: vantage.carrier }));
  yield;
  const regions = list(({ pair: { vantage } }) => ({ region: vantage.region }));
  const directionOfRegion = new Map(regions.map(({ region, direction }) => [region, direction]));
  const byDirection = Map.groupBy(all, ({ vantage }) => directionOfRegion.get(vantage.pair.vantage.region));
  const directions = (['faster', 'slower', 'unclear'] as const).flatMap((direction) => {
    const both = byDirection.get(direction);
    if (!both) return [];
    const shift = shiftOf(
      both.map(({ vantage }) => vantage),
      drift,
    ).shift;
    return { direction, shift, server: shiftOf(knownBest(both.map(({ server }) => server)), serverDrift).shift };
  });
  return { vantages, cells, regions, directions };
}

/** The vantages of a group that say most of the server's part: those whose own network moved say little. */
function knownBest(vantages: readonly VantageShift[]): VantageShift[] {
  const least = Math.min(...vantages.map(({ error }) => error));
  return vantages.filter(({ error }) => error <= LARGEST_ERROR * least);
}
