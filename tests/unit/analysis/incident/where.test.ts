import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Measurement } from '#analysis/incident/measurement.ts';
import { type Unit, unitsOf, whereOf } from '#analysis/incident/where.ts';

const CARRIERS = ['telecom', 'unicom', 'mobile'];
const REGIONS = Array.from({ length: 31 }, (_, i) => `CN-${i}`);

/** Every region and carrier, each with one address of the target; affected where `is` says so. */
const places = (is: (dimensions: Record<string, string>) => boolean, more: Record<string, string>[] = [{}]): Unit[] =>
  CARRIERS.flatMap((carrier) =>
    REGIONS.flatMap((region) =>
      more.map((rest) => {
        const dimensions = { carrier, region, family: '4', ...rest };
        const affected = is(dimensions);
        const excess = affected ? 30 / more.length : 0;
        return { dimensions, weight: 1 / more.length, affected, usual: !affected, excess };
      }),
    ),
  );

describe('where an excess is', () => {
  it('is a carrier; the others are spared', () => {
    expect(whereOf(places(({ carrier }) => carrier === 'unicom'))).toEqual({
      fixed: [{ dimension: 'carrier', values: ['unicom'] }],
      explains: 1,
      spared: [{ dimension: 'carrier', values: ['mobile', 'telecom'] }],
    });
  });

  it('is a carrier in some regions', () => {
    const eight = REGIONS.slice(0, 8);
    const found = whereOf(places(({ carrier, region }) => carrier === 'unicom' && eight.includes(region ?? '')));
    expect(found?.fixed).toEqual([
      { dimension: 'carrier', values: ['unicom'] },
      { dimension: 'region', values: eight.toSorted() },
    ]);
    expect(found?.spared[0]).toEqual({ dimension: 'carrier', values: ['mobile', 'telecom'] });
  });

  it('is one address of two', () => {
    const addresses = ['192.0.2.7', '192.0.2.8'].map((peerAddress) => ({ peerAddress }));
    expect(whereOf(places(({ peerAddress }) => peerAddress === '192.0.2.7', addresses))).toEqual({
      fixed: [{ dimension: 'peerAddress', values: ['192.0.2.7'] }],
      explains: 1,
      spared: [{ dimension: 'peerAddress', values: ['192.0.2.8'] }],
    });
  });

  it('is everywhere, or nowhere that could be named', () => {
    expect(whereOf(places(() => true))).toEqual({ fixed: [], explains: 1, spared: [] });
    expect(whereOf(places(() => false))).toBeNull();
    // Every place with an even number of both: no values of region and carrier hold these alone.
    const scattered = places(
      ({ carrier = '', region = '' }) => (REGIONS.indexOf(region) + CARRIERS.indexOf(carrier)) % 2 === 0,
    );
    expect(whereOf(scattered)).toBeNull();
  });

  it('spares only what is as usual: another carrier that moved less is no such', () => {
    const units = places(({ carrier }) => carrier === 'unicom');
    for (const unit of units) if (unit.dimensions.carrier === 'telecom') unit.usual = false;
    expect(whereOf(units)).toMatchObject({
      fixed: [{ dimension: 'carrier', values: ['unicom'] }],
      spared: [{ dimension: 'carrier', values: ['mobile'] }],
    });
  });

  it('is not another event of the same time: what is named holds the series of its own', () => {
    const all = places(({ carrier, region }) => carrier === 'unicom' || (carrier === 'mobile' && region === 'CN-5'));
    const isOwn = ({ dimensions: { carrier, region } }: Unit) => carrier === 'mobile' && region === 'CN-5';
    const [own, others] = [all.filter(isOwn), all.filter((unit) => !isOwn(unit))];
    expect(whereOf(all)?.fixed).toEqual([{ dimension: 'carrier', values: ['unicom'] }]);
    expect(whereOf(own, others)).toBeNull();
    // What moved likewise belongs to it where it is of the same places.
    const congested = places(({ carrier }) => carrier === 'unicom');
    const known = (unit: Unit) => unit.affected && REGIONS.indexOf(unit.dimensions.region ?? '') < 10;
    expect(
      whereOf(
        congested.filter(known),
        congested.filter((unit) => !known(unit)),
      )?.fixed,
    ).toEqual([{ dimension: 'carrier', values: ['unicom'] }]);
  });

  it('stays the same with one odd series inside and one outside', () => {
    const units = places(({ carrier }) => carrier === 'unicom');
    const [inside, outside] = [units.find(({ affected }) => affected), units.find(({ affected }) => !affected)];
    Object.assign(inside ?? {}, { affected: false, excess: 0 });
    Object.assign(outside ?? {}, { affected: true, excess: 30 });
    expect(whereOf(units)?.fixed).toEqual([{ dimension: 'carrier', values: ['unicom'] }]);
  });

  it('holds nine tenths of the excess and little else, and is as small as what was planted', () => {
    const planted = fc.record({
      carrier: fc.option(fc.constantFrom(...CARRIERS)),
      region: fc.option(fc.constantFrom(...REGIONS.slice(0, 6))),
      family: fc.option(fc.constantFrom('4', '6')),
    });
    fc.assert(
      fc.property(planted, fc.infiniteStream(fc.nat(1_000)), (truth, order) => {
        const wanted = Object.entries(truth).filter(([, value]) => value !== null);
        const is = (dimensions: Record<string, string>) => wanted.every(([name, value]) => dimensions[name] === value);
        const units = places(is, [{ family: '4' }, { family: '6' }]).filter(
          ({ dimensions }) => REGIONS.indexOf(dimensions.region ?? '') < 6,
        );
        const shuffled = units.map((unit) => ({ unit, key: order.next().value })).sort((a, b) => a.key - b.key);
        const found = whereOf(shuffled.map(({ unit }) => unit));
        expect(found?.explains).toBeGreaterThanOrEqual(0.9);
        expect(found?.fixed.map(({ dimension, values }) => [dimension, ...values])).toEqual(
          wanted.map(([name, value]) => [name, value]),
        );
        for (const { dimension, values } of found?.spared ?? [])
          for (const value of values)
            expect(found?.fixed.find((each) => each.dimension === dimension)?.values).not.toContain(value);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the units of series', () => {
  const measured = (ms: number, peerAddress: string): Measurement => ({
    ms,
    rttMs: 28,
    trips: 1,
    expectedTrips: 1,
    resumed: false,
    helloRetry: false,
    lost: false,
    synRepeated: false,
    lateMs: 0,
    answerMs: null,
    dimensions: { peerAddress },
  });
  const of = (ms: number, peerAddress: string) => [1, 2, 3].map(() => measured(ms, peerAddress));

  it('are compared with the same address before, or with the series where that was not seen', () => {
    const sides = {
      before: [...of(30, 'a'), ...of(90, 'b')],
      after: [...of(62, 'a'), ...of(92, 'b'), ...of(120, 'c')],
    };
    const units = unitsOf([sides], { beforeMs: 30, excessMs: 30 });
    expect(units.map(({ dimensions, affected }) => [dimensions.peerAddress, affected])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
    expect(units.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1);
  });

  it('are left out where there are fewer than two results on a side', () => {
    const units = (before: number, after: number) =>
      unitsOf([{ before: of(30, 'a').slice(0, before), after: of(62, 'a').slice(0, after) }], {
        ...{ beforeMs: 30, excessMs: 30 },
      }).length;
    expect([units(1, 3), units(3, 1), units(2, 2)]).toEqual([0, 0, 1]);
    const sides = { before: of(30, 'a'), after: [...of(62, 'a'), measured(90, 'b')] };
    expect(unitsOf([sides], { beforeMs: 30, excessMs: 30 }).map(({ dimensions }) => dimensions.peerAddress)).toEqual([
      'a',
    ]);
  });

  it('are affected by half of the change, in ms or in the logarithm, in its direction', () => {
    const unit = (before: number, after: number, excessMs = 30) =>
      unitsOf([{ before: of(before, 'a'), after: of(after, 'a') }], { beforeMs: 100, excessMs })[0]?.affected;
    expect(unit(100, 116)).toBe(true);
    expect(unit(100, 112)).toBe(false);
    expect(unit(20, 24)).toBe(true);
    expect(unit(100, 84)).toBe(false);
    expect(unit(100, 84, -30)).toBe(true);
  });
});
