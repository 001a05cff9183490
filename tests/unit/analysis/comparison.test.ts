import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tableOf } from '#analysis/comparison/attribution.ts';
import type { ComparisonOptions } from '#analysis/comparison/comparison.ts';
import { flipsOf, settingShares } from '#analysis/comparison/posture.ts';
import type { Sample } from '#analysis/comparison/sample.ts';
import type { ComparisonFigures, ComparisonOutcome } from '#contract/comparison.ts';
import { compare } from '#tests/lab/compare.ts';
import {
  CHANGED_AT,
  HEALTHY,
  type MadeServer,
  type MadeWorld,
  MINUTE,
  madeSamples,
  RTTS,
} from '#tests/support/comparing.ts';
import { extent } from '#tests/support/extent.ts';

const LENGTH = 20 * MINUTE;
const WINDOWS = {
  before: { from: CHANGED_AT - LENGTH, to: CHANGED_AT },
  after: { from: CHANGED_AT, to: CHANGED_AT + LENGTH },
};

/** A server that needs a round trip more for everything. */
const later = (server: MadeServer, trips: number, posture: MadeServer['posture'] = {}): MadeServer => ({
  ...server,
  handshake: server.handshake + trips,
  firstUsable: server.firstUsable + trips,
  firstBody: server.firstBody + trips,
  total: server.total + trips,
  posture: { ...server.posture, ...posture },
});
const TLS12 = { version: 'TLSv1.2', cipher: 'ECDHE-ECDSA-AES128-GCM-SHA256', group: 'X25519', tickets: 'session id' };

function sides(world: MadeWorld, first: MadeServer, second: MadeServer, length = LENGTH): [Sample[], Sample[]] {
  const span = { from: CHANGED_AT - length, to: CHANGED_AT + length };
  const samples = madeSamples(world, span, (at) => (at < CHANGED_AT ? first : second));
  return [samples.filter(({ at }) => at < CHANGED_AT), samples.filter(({ at }) => at >= CHANGED_AT)];
}

const compared = ([before, after]: [Sample[], Sample[]], options: Partial<ComparisonOptions> = {}) =>
  compare(before, after, { windows: WINDOWS, ...options });

function figures({ figures, refusal }: ComparisonOutcome): ComparisonFigures {
  if (!figures) throw new Error(`refused: ${JSON.stringify(refusal)}`);
  return figures;
}

describe('a comparison', () => {
  it('finds a round trip less by TLS 1.3, in 20 minutes with 20 probes at 5 vantages', () => {
    const first = later(HEALTHY, 1, TLS12);
    const { milestones, attribution, network, regions } = figures(compared(sides({ seed: 1 }, first, HEALTHY)));
    expect(milestones.total?.roundTrips?.value).toBeCloseTo(-1, 1);
    expect(milestones.handshake?.roundTrips?.value).toBeCloseTo(-1, 1);
    expect(milestones.total?.direction).toBe('faster');
    expect(Math.abs(milestones.total?.workMs?.value ?? 9)).toBeLessThan(2);
    expect(network.low).toBeLessThan(0);
    expect(network.high).toBeGreaterThan(0);
    expect(attribution).toMatchObject({ verdict: 'explained', cause: 'version', predicted: -1 });
    expect(attribution.flips.filter(({ partOf }) => partOf === null).map(({ setting }) => setting)).toEqual([
      'version',
    ]);
    expect(regions.filter(({ direction }) => direction === 'faster')).toHaveLength(5);
  });

  it('gives a verdict from four probes a vantage', () => {
    const outcome = compared(sides({ seed: 2, everyMs: 5 * MINUTE }, later(HEALTHY, 1, TLS12), HEALTHY));
    expect(figures(outcome)).toMatchObject({ pairs: 20, milestones: { total: { direction: 'faster' } } });
  });

  it("tells the server's own work from round trips", () => {
    const { milestones } = figures(compared(sides({ seed: 3 }, HEALTHY, { ...HEALTHY, workMs: 23 })));
    expect(milestones.firstUsable?.workMs?.value).toBeCloseTo(20, -1);
    expect(Math.abs(milestones.firstUsable?.roundTrips?.value ?? 9)).toBeLessThan(0.15);
    expect(milestones.handshake?.direction).toBe('unclear');
  });

  it('says which milestone gained where the end did not', () => {
    const large: MadeServer = { ...HEALTHY, firstUsable: 3, firstBody: 3, total: 4, posture: { recordBytes: 16_406 } };
    const small: MadeServer = { ...HEALTHY, total: 4, posture: { recordBytes: 4_118 } };
    const outcome = compared(sides({ seed: 4 }, large, small), { milestone: 'firstBody' });
    const { milestones, attribution } = figures(outcome);
    expect(milestones.firstBody?.roundTrips?.value).toBeCloseTo(-1, 1);
    expect(milestones.total?.direction).toBe('unclear');
    expect(attribution).toMatchObject({ verdict: 'explained', cause: 'recordBytes', predicted: -1 });
  });

  it('says honestly that a change did nothing', () => {
    const changed = { ...HEALTHY, posture: { alpn: 'http/1.1', certificate: 'a7a7' } };
    const { milestones, attribution } = figures(compared(sides({ seed: 5 }, HEALTHY, changed)));
    expect(milestones.total?.direction).toBe('unclear');
    expect(attribution).toMatchObject({ verdict: 'explained', predicted: 0 });
  });

  it('cannot tell two flips apart that each cost a round trip', () => {
    const first = later(HEALTHY, 2, { ...TLS12, nagle: 'yes' });
    const { attribution } = figures(compared(sides({ seed: 6 }, first, HEALTHY)));
    expect(attribution).toMatchObject({ verdict: 'cant_tell', cause: null, predicted: null });
  });

  it('does not explain what the flip does not predict, nor what nothing flipped for', () => {
    const one = figures(compared(sides({ seed: 7 }, later(HEALTHY, 2, TLS12), HEALTHY))).attribution;
    expect(one).toMatchObject({ verdict: 'not_explained', cause: 'version', predicted: -1 });
    const none = figures(compared(sides({ seed: 8 }, later(HEALTHY, 1), HEALTHY))).attribution;
    expect(none).toMatchObject({ verdict: 'nothing_flipped', cause: null });
  });

  it('names a retry of the ClientHello by its group', () => {
    const costly = later(HEALTHY, 1, { group: 'secp384r1', helloRetry: 'yes' });
    const { attribution } = figures(compared(sides({ seed: 9 }, HEALTHY, costly)));
    expect(attribution).toMatchObject({ verdict: 'explained', cause: 'group', predicted: 1 });
  });

  it('pairs by vantage and names those of one side', () => {
    const [before, after] = sides({ seed: 10 }, HEALTHY, HEALTHY);
    const renamed = after.map((sample) =>
      sample.vantage.id === 'vantage-0'
        ? { ...sample, vantage: { ...sample.vantage, id: 'new', name: 'New' } }
        : sample,
    );
    const outcome = figures(compared([before, renamed]));
    expect(outcome.onlyBefore.map(({ name }) => name)).toEqual(['Vantage 0']);
    expect(outcome.onlyAfter.map(({ name }) => name)).toEqual(['New']);
    expect(outcome.vantages).toHaveLength(4);
  });

  it('reports controls: other targets, and before against the time before that', () => {
    const samples = madeSamples({ seed: 11 }, { from: CHANGED_AT - 2 * LENGTH, to: CHANGED_AT }, () => HEALTHY);
    const earlier = {
      window: { from: CHANGED_AT - 2 * LENGTH, to: CHANGED_AT - LENGTH },
      samples: samples.filter(({ at }) => at < CHANGED_AT - LENGTH),
    };
    const before = samples.filter(({ at }) => at >= CHANGED_AT - LENGTH);
    const [, after] = sides({ seed: 12 }, HEALTHY, later(HEALTHY, 1));
    const [theirBefore, theirAfter] = sides({ seed: 13 }, HEALTHY, HEALTHY);
    const otherTargets = [{ id: 'other', name: 'Other', before: theirBefore, after: theirAfter }];
    const { controls } = figures(compared([before, after], { earlier: [earlier], otherTargets }));
    expect(Math.abs(controls.earlier?.value ?? 99)).toBeLessThan(1);
    expect(controls.others).toMatchObject([{ id: 'other', name: 'Other' }]);
    expect(Math.abs(controls.others[0]?.shift.value ?? 99)).toBeLessThan(1);
  });

  it('is the same for the same data', () => {
    const both = sides({ seed: 14, driftMs: 1 }, HEALTHY, later(HEALTHY, 1));
    expect(compared(both)).toEqual(compared(both));
    expect(compared(both.map((side) => side.toReversed()) as [Sample[], Sample[]])).toEqual(compared(both));
  });
});

describe('a comparison is refused in words', () => {
  const both = sides({ seed: 20 }, HEALTHY, later(HEALTHY, 1));
  const reasonOf = ({ refusal, figures }: ComparisonOutcome) => {
    expect(figures).toBeNull();
    return refusal;
  };

  it('with fewer than 20 pairs', () => {
    const [before, after] = both.map((side) => side.filter((_, i) => i % 5 < 3).slice(0, 57)) as [Sample[], Sample[]];
    const few = [before.slice(0, 19), after] as [Sample[], Sample[]];
    expect(reasonOf(compared(few))).toMatchObject({ reason: 'too_few', values: { pairs: 19, vantages: 3 } });
  });

  it('with fewer than 3 vantages', () => {
    const two = both.map((side) => side.filter((_, i) => i % 5 < 2)) as [Sample[], Sample[]];
    expect(reasonOf(compared(two))).toMatchObject({ reason: 'too_few', values: { vantages: 2, leastVantages: 3 } });
    expect(reasonOf(compare([], []))).toMatchObject({ reason: 'too_few' });
  });

  it('where the windows overlap', () => {
    const after = { from: CHANGED_AT - MINUTE, to: CHANGED_AT + LENGTH };
    expect(reasonOf(compared(both, { windows: { ...WINDOWS, after } }))?.reason).toBe('overlap');
  });

  it('where they are more than a day apart, or one has a hole', () => {
    const day = 25 * 60 * MINUTE;
    const moved = both[1].map((sample) => ({ ...sample, at: sample.at + day }));
    const after = { from: WINDOWS.after.from + day, to: WINDOWS.after.to + day };
    const far = compared([both[0], moved], { windows: { ...WINDOWS, after } });
    expect(reasonOf(far)).toMatchObject({ reason: 'gap', values: { between: 'windows' } });
    const holed = both[0].filter(({ at }) => at > CHANGED_AT - 8 * MINUTE);
    expect(reasonOf(compared([holed, both[1]]))).toMatchObject({ reason: 'gap', values: { between: 'before' } });
  });

  it('where something else changed inside a window', () => {
    const otherChanges = [{ at: CHANGED_AT - 5 * MINUTE, title: 'New certificate' }];
    expect(reasonOf(compared(both, { otherChanges }))).toMatchObject({
      reason: 'two_changes',
      values: { window: 'before', marker: 'New certificate' },
    });
    const twice = both[1].map((sample) =>
      sample.at < CHANGED_AT + 10 * MINUTE ? sample : { ...sample, posture: { ...sample.posture, alpn: 'http/1.1' } },
    );
    expect(reasonOf(compared([both[0], twice]))).toMatchObject({ reason: 'two_changes', values: { setting: 'alpn' } });
  });
});

describe('too few results', () => {
  /** The first `count` results of each vantage, or of one, as they are; of the others what `otherwise` makes of them. */
  const firstOf = (samples: Sample[], count: number, otherwise: (sample: Sample) => Sample[], vantage?: string) => {
    const seen = new Map<string, number>();
    return samples.flatMap((sample) => {
      const { id } = sample.vantage;
      if (vantage !== undefined && id !== vantage) return [sample];
      seen.set(id, (seen.get(id) ?? 0) + 1);
      return (seen.get(id) ?? 0) <= count ? [sample] : otherwise(sample);
    });
  };
  const [before, after] = sides({ seed: 40 }, HEALTHY, HEALTHY);

  it.each([
    [2, 'unclear'],
    [3, 'slower'],
  ])('of a vantage: of %i that took a second longer it is %s', (count, direction) => {
    const slow = after.map((sample) => {
      const { handshake, firstUsable, firstBody, total } = sample.milestones;
      if (sample.vantage.id !== 'vantage-0') return sample;
      return { ...sample, milestones: { handshake, firstUsable, firstBody, total: (total ?? 0) + 1_000 } };
    });
    const few = [before, slow].map((side) => firstOf(side, count, () => [], 'vantage-0')) as [Sample[], Sample[]];
    const [first] = figures(compared(few)).vantages.filter(({ id }) => id === 'vantage-0');
    expect(first).toMatchObject({ n: { before: count, after: count }, direction });
  });

  it('reach a milestone: no figure, and a refusal where it is the one that was asked for', () => {
    const unreached = (sample: Sample) => [{ ...sample, milestones: { ...sample.milestones, firstBody: null } }];
    const few = [before, after].map((side) => firstOf(side, 3, unreached)) as [Sample[], Sample[]];
    expect(figures(compared(few)).milestones.firstBody).toBeNull();
    const { refusal } = compared(few, { milestone: 'firstBody' });
    expect(refusal).toMatchObject({ reason: 'too_few', values: { pairs: 15, leastPairs: 20 } });
    const enough = [before, after].map((side) => firstOf(side, 4, unreached)) as [Sample[], Sample[]];
    expect(figures(compared(enough)).milestones.firstBody).not.toBeNull();
  });

  it('of another target are no control', () => {
    const others = (count: number) => {
      const [early, late] = [before, after].map((side) => firstOf(side, count, () => [])) as [Sample[], Sample[]];
      const otherTargets = [{ id: 'other', name: 'Other', before: early, after: late }];
      return figures(compared([before, after], { otherTargets })).controls.others;
    };
    expect(others(3)).toEqual([]);
    expect(others(4)).toHaveLength(1);
  });

  it('that saw a setting say nothing of it', () => {
    const posture = (values: Sample['posture'] | object, of: Sample[]) =>
      of.map((sample) => ({ ...sample, posture: { ...sample.posture, ...values } }));
    const saw = (count: number, seen: object, of: Sample[]) => [
      ...posture(seen, of.slice(0, count)),
      ...posture(Object.fromEntries(Object.keys(seen).map((name) => [name, null])), of.slice(count)),
    ];
    const flips = (count: number) => flipsOf(saw(3, { alpn: 'h2' }, before), saw(count, { alpn: 'http/1.1' }, after));
    expect([flips(2).length, flips(3).length]).toEqual([0, 1]);
    const shown = (count: number) =>
      settingShares(before, saw(count, { staple: 'good' }, after)).map(({ setting }) => setting);
    expect(shown(2)).not.toContain('staple');
    expect(shown(3)).toContain('staple');
    const records = { setting: 'recordBytes' as const, before: '1400', after: '16406', share: 1, partOf: null };
    const addedBy = (count: number) => {
      const windows = [before, after].map((side) => saw(count, { serverWindow: 2 }, side)) as [Sample[], Sample[]];
      return tableOf(...windows)(records, 'firstBody')?.roundTrips;
    };
    // Of a window that is not known it is the usual one.
    expect([addedBy(2), addedBy(3)]).toEqual([1, 2]);
    const key = { setting: 'keyType' as const, before: 'ec 256', after: 'rsa 2048', share: 1, partOf: null };
    expect(tableOf(before, saw(2, { chainBytes: 40_000 }, after))(key, 'handshake')).toBeNull();
    expect(tableOf(before, saw(3, { chainBytes: 40_000 }, after))(key, 'handshake')?.roundTrips).toBe(1);
  });
});

describe('whatever the vantages', () => {
  const rtts = fc.uniqueArray(fc.integer({ min: 4, max: 300 }), { minLength: 5, maxLength: 9 });
  const spread = rtts.filter((list) => Math.max(...list) - Math.min(...list) > 40);
  const seed = fc.integer({ min: 1, max: 1_000_000 });

  it('the slope is the round trips removed, and a comparison the other way round is its negative', () => {
    fc.assert(
      fc.property(spread, seed, fc.integer({ min: -1, max: 3 }), (list, start, trips) => {
        const world = { seed: start, rtts: list, noiseMs: 0.5 };
        const [before, after] = sides(world, later(HEALTHY, 1), later(HEALTHY, 1 + trips));
        const { total } = figures(compared([before, after])).milestones;
        expect(Math.abs((total?.roundTrips?.value ?? 99) - trips)).toBeLessThan(0.15);
        const windows = { before: WINDOWS.after, after: WINDOWS.before };
        const back = figures(compare(after, before, { windows })).milestones.total;
        expect(Math.abs((back?.shift.value ?? 99) + (total?.shift.value ?? 0))).toBeLessThan(0.05);
      }),
      { numRuns: extent(6, 60) },
    );
  });

  it('an interval holds its value, and shares add up to at most 1', () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 0, max: 3 }), (start, drift) => {
        const found = figures(compared(sides({ seed: start, driftMs: drift }, HEALTHY, later(HEALTHY, 1))));
        const { total } = found.milestones;
        for (const interval of [
          total?.shift,
          total?.roundTrips,
          found.network,
          ...found.cells.map(({ shift }) => shift),
        ]) {
          expect(interval?.low).toBeLessThanOrEqual(interval?.value ?? 0);
          expect(interval?.high).toBeGreaterThanOrEqual(interval?.value ?? 0);
        }
        for (const { values } of found.shares)
          expect(values.reduce((sum, { before }) => sum + before, 0)).toBeLessThan(1.01);
        const quantiles = found.distribution.map(({ after }) => after);
        expect(quantiles).toEqual(quantiles.toSorted((a, b) => a - b));
      }),
      { numRuns: extent(5, 50) },
    );
  });

  it('RTTs that are alike give no slope', () => {
    const outcome = compared(sides({ seed: 30, rtts: [40, 41, 42, 43] }, later(HEALTHY, 1, TLS12), HEALTHY));
    const { milestones, attribution } = figures(outcome);
    expect(milestones.total?.roundTrips).toBeNull();
    expect(attribution).toMatchObject({ verdict: 'explained', cause: 'version' });
  });
});

const RUNS = extent(12, 200);
describe('A against A', () => {
  it(`is significant in at most 5% of ${RUNS} runs on data that drift`, { timeout: 600_000 }, () => {
    let wrong = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const span = { from: CHANGED_AT - 4 * LENGTH, to: CHANGED_AT + LENGTH };
      const samples = madeSamples({ seed, driftMs: 1, rtts: RTTS }, span, () => HEALTHY);
      const within = ({ from, to }: { from: number; to: number }) => samples.filter(({ at }) => at >= from && at < to);
      const earlier = [1, 2, 3].map((back) => {
        const window = { from: CHANGED_AT - (back + 1) * LENGTH, to: CHANGED_AT - back * LENGTH };
        return { window, samples: within(window) };
      });
      const outcome = compared([within(WINDOWS.before), within(WINDOWS.after)], { earlier });
      if (figures(outcome).milestones.total?.direction !== 'unclear') wrong += 1;
    }
    expect(wrong).toBeLessThanOrEqual(Math.ceil(0.05 * RUNS));
  });
});
