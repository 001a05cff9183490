import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestSpikeSeconds, quorum } from '#analysis/detection/parameters.ts';
import { type Group, memberKey, SeriesGroups } from '#analysis/detection/series/groups.ts';
import { newSeries } from '#analysis/detection/series/series.ts';
import { agreeing, type Candidate } from '#analysis/detection/shifts/shifts.ts';

const TARGETS = 8;
const VANTAGES = 5;

const groups = new SeriesGroups();
for (let index = 0; index < TARGETS * VANTAGES; index++) {
  const vantage = `v${index % VANTAGES}`;
  const id = { target: `t${Math.floor(index / VANTAGES)}`, vantage, country: 'CN', region: vantage, carrier: 'c' };
  groups.add(newSeries(id, 0, ['tls']));
}
const all = [...groups.groups()];

/** As it is defined: each candidate is held against every other one. */
function byDefinition(group: Group, candidates: ReadonlyMap<number, Candidate>, relief: 1 | 2): Candidate[] {
  const { members, share } = quorum[relief];
  const found = group.members.flatMap((index) => candidates.get(index) ?? []);
  return found.filter((one) => {
    const alike = found.filter(
      (other) =>
        Math.sign(one.effect) === Math.sign(other.effect) && Math.abs(one.onset - other.onset) <= longestSpikeSeconds,
    );
    const apart = new Set(alike.map(({ index }) => memberKey(group, groups.at(index))));
    return apart.size >= members && alike.length >= share * group.members.length;
  });
}

const candidate = fc.record({
  index: fc.integer({ min: 0, max: TARGETS * VANTAGES - 1 }),
  effect: fc.constantFrom(-0.3, 0, 0.1, 0.2, 0.3, 0.4),
  // Distances of exactly `longestSpikeSeconds` are frequent.
  onset: fc.oneof(
    fc.integer({ min: 0, max: 2 }).map((n) => n * longestSpikeSeconds),
    fc.nat(2 * longestSpikeSeconds),
  ),
});

describe('candidates of a group for a lasting change', () => {
  it('confirm each other as if each were held against every other', () => {
    let confirmed = 0;
    fc.assert(
      fc.property(
        fc.array(candidate, { maxLength: 120, size: 'max' }),
        fc.constantFrom(1 as const, 2 as const),
        (list, relief) => {
          const candidates = new Map(list.map((each) => [each.index, each]));
          for (const group of all) {
            const expected = byDefinition(group, candidates, relief);
            expect(agreeing(groups, group, candidates, relief)).toEqual(expected);
            confirmed += expected.length;
          }
        },
      ),
      { numRuns: 300, seed: 12 },
    );
    expect(confirmed).toBeGreaterThan(1_000);
  });

  it('are held against the series that are measured still: those without a sample for a day count no more', () => {
    const now = 1_767_542_400;
    const some = new SeriesGroups();
    const lastOf = (index: number) => (index < 6 ? now - 600 * index : now - 86_400 - 3_600 * index);
    for (let index = 0; index < 12; index++) {
      const vantage = `v${index}`;
      const id = { target: 't', vantage, country: 'CN', region: vantage, carrier: `c${index}` };
      some.add({ ...newSeries(id, 0, ['tls']), last: lastOf(index) });
    }
    const target = [...some.groups()].find(({ kind }) => kind === 'target') as Group;
    expect(some.living(target)).toBe(6);
    expect(some.neighbours(0, 'target').map(({ id }) => id.vantage)).toEqual(['v1', 'v2', 'v3', 'v4', 'v5']);
    // Four of twelve are a third, of the six that are alive two thirds.
    const candidates = new Map([0, 1, 2, 3].map((index) => [index, { index, effect: 0.2, onset: now - 36_000 }]));
    expect(agreeing(some, target, candidates, 1).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    some.at(6).last = now;
    some.at(7).last = now;
    some.at(8).last = now;
    expect(agreeing(some, target, candidates, 1)).toEqual([]);
  });
});
