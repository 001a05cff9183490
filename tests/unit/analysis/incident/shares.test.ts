import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causeOfShares } from '#analysis/incident/cause.ts';
import type { Measurement, Sides } from '#analysis/incident/measurement.ts';
import { LEAST_EXCESS, type Shares, sharesOf } from '#analysis/incident/shares.ts';

const RTT = 28;

/** A handshake of one round trip with 2 ms of work, answered after 1 ms of work; `changed` by what is given. */
function measured(changed: Partial<Measurement> = {}): Measurement {
  const each: Measurement = {
    ms: Number.NaN,
    rttMs: RTT,
    trips: 1,
    expectedTrips: 1,
    resumed: false,
    helloRetry: false,
    lost: false,
    synRepeated: false,
    lateMs: 0,
    answerMs: 1,
    dimensions: {},
    ...changed,
  };
  return Number.isNaN(each.ms) ? { ...each, ms: (each.trips ?? 1) * (each.rttMs ?? RTT) + 2 } : each;
}

const many = (changed: Partial<Measurement> = {}, count = 10) => Array.from({ length: count }, () => measured(changed));
const series = (after: Partial<Measurement>, before: Partial<Measurement> = {}): Sides => ({
  before: many(before),
  after: many(after),
});

function shares(sides: Sides[], metric: 'tls' | 'tcp' | 'firstByte' = 'tls'): Shares {
  const found = sharesOf(metric, sides);
  if (found === null) throw new Error('there is something to say');
  return found;
}

/** The parts that are not nothing, to a tenth of a ms. */
const partsOf = (found: Shares) =>
  Object.fromEntries(
    Object.entries(found.parts).flatMap(([code, ms]) =>
      Math.abs(ms) < 0.05 ? [] : [[code, Math.round(ms * 10) / 10]],
    ),
  );

describe('the parts of an excess', () => {
  const cases: [name: string, sides: Sides, parts: Record<string, number>, cause: string][] = [
    ['one more round trip', series({ trips: 2 }), { round_trips: 28 }, 'tls'],
    ['a HelloRetryRequest', series({ trips: 2, helloRetry: true }), { hello_retry: 28 }, 'tls'],
    ['a longer path', series({ rttMs: 58 }), { path: 30 }, 'network'],
    ['a longer path of two round trips', series({ trips: 2, rttMs: 58 }, { trips: 2 }), { path: 60 }, 'network'],
    ['a busy server', series({ ms: 70, answerMs: 31 }), { server_work: 40 }, 'server'],
    ['work in the handshake alone', series({ ms: 70 }), { handshake_work: 40 }, 'tls'],
    ['a wait for the staple', series({ ms: 70, dimensions: { staple: 'good' } }), { staple: 40 }, 'tls'],
    ['a lost segment', series({ ms: 230, lost: true }), { loss: 200 }, 'network'],
    [
      'full handshakes in the place of resumed ones',
      series({ trips: 2, ms: 61 }, { resumed: true }),
      { resumption: 31 },
      'tls',
    ],
    ['one round trip less', series({ trips: 1 }, { trips: 2 }), { round_trips: -28 }, 'tls'],
  ];
  it.each(cases)('%s', (_name, sides, parts, cause) => {
    const found = shares([sides]);
    expect(partsOf(found)).toEqual(parts);
    expect(causeOfShares('tls', found)).toBe(cause);
  });

  it('are all told where several come together: 63 ms of a round trip, work and our own delay', () => {
    const found = shares([
      series({ trips: 2, ms: 58 * 2 + 2 + 3 + 2, rttMs: 58, lateMs: 2, answerMs: 4 }, { rttMs: 58 }),
    ]);
    expect(partsOf(found)).toEqual({ round_trips: 58, server_work: 3, own_delay: 2 });
    expect(found.roundTrips).toEqual({ before: 1, after: 2 });
  });

  it('of a connect are lost SYNs and the path', () => {
    const found = shares([series({ ms: 1_058, rttMs: 58, synRepeated: true }, { ms: 28 })], 'tcp');
    expect(partsOf(found)).toEqual({ path: 30, syn_loss: 1_000 });
    expect(causeOfShares('tcp', found)).toBe('network');
  });

  it('of a first byte are work and the path', () => {
    expect(partsOf(shares([series({ ms: 80 }, { ms: 30 })], 'firstByte'))).toEqual({ server_work: 50 });
  });

  it('count round trips as usual where a slow server makes the path seem no measure', () => {
    const before = { trips: 2, expectedTrips: 1, ms: 58 };
    const found = shares([series({ trips: null, expectedTrips: 1, ms: 358, answerMs: 200 }, before)]);
    expect(partsOf(found)).toEqual({ server_work: 300 });
  });

  it('take a pause inside the flight that is too long for a round trip for a lost segment', () => {
    expect(partsOf(shares([series({ trips: 2, ms: 295 })]))).toEqual({ loss: 265 });
    expect(partsOf(shares([series({ trips: 2, ms: 220 })]))).toEqual({ round_trips: 28, handshake_work: 162 });
  });

  it('take a pause that nothing shows to be a loss for one where others are', () => {
    const after = [...many({ ms: 240 }, 6), ...many({ ms: 240, lost: true }, 4)];
    expect(partsOf(shares([{ before: many(), after }]))).toEqual({ loss: 210 });
    const once = [...many({ ms: 240 }, 9), ...many({ ms: 240, lost: true }, 1)];
    expect(partsOf(shares([{ before: many(), after: once }])).handshake_work).toBeGreaterThan(180);
    const oneOfFour = [...many({ ms: 240 }, 3), ...many({ ms: 240, lost: true }, 1)];
    expect(partsOf(shares([{ before: many(), after: oneOfFour }])).handshake_work).toBeGreaterThan(180);
  });

  it('take no connect for a round trip that took longer than the whole handshake', () => {
    const after = [...many({ rttMs: 58 }, 7), ...many({ rttMs: 1_058, ms: 60 }, 3)];
    const found = shares([{ before: many(), after }]);
    expect(found.excessMs).toBeCloseTo(30, 6);
    expect(found.parts.path).toBeGreaterThan(29);
    expect(found.parts.handshake_work).toBe(0);
  });

  it('sum up to the excess, whatever was measured, in any order of series and results', () => {
    const result = fc.record({
      ms: fc.double({ min: 1, max: 2_000, noNaN: true }),
      rttMs: fc.double({ min: 0.5, max: 300, noNaN: true }),
      trips: fc.integer({ min: 1, max: 4 }),
      resumed: fc.boolean(),
      helloRetry: fc.boolean(),
      lost: fc.boolean(),
      synRepeated: fc.boolean(),
      lateMs: fc.double({ min: 0, max: 50, noNaN: true }),
      answerMs: fc.option(fc.double({ min: -10, max: 500, noNaN: true })),
    });
    const side = fc.array(result, { minLength: 3, maxLength: 8 }).map((all) => all.map((each) => measured(each)));
    const sides = fc.array(fc.record({ before: side, after: side }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(sides, fc.constantFrom('tls' as const, 'tcp' as const, 'firstByte' as const), (all, metric) => {
        const found = sharesOf(metric, all);
        if (found === null) return;
        const sum = Object.values(found.parts).reduce((total, ms) => total + ms, 0);
        expect(sum).toBeCloseTo(found.excessMs, 6);
        const turned = all.map(({ before, after }) => ({ before: before.toReversed(), after: after.toReversed() }));
        expect(sharesOf(metric, turned.toReversed())?.excessMs).toBeCloseTo(found.excessMs, 6);
      }),
    );
  });

  it('are not moved by a quarter of odd results, or of odd series', () => {
    const odd = { before: many({}, 12), after: [...many({ rttMs: 58 }, 10), ...many({ ms: 3_000 }, 2)] };
    expect(partsOf(shares([odd]))).toEqual({ path: 30 });
    const all = [...Array.from({ length: 7 }, () => series({ rttMs: 58 })), series({ ms: 900 })];
    expect(partsOf(shares(all))).toEqual({ path: 30 });
  });
});

describe('nothing is said', () => {
  it.each([
    ['of less than 3 ms', [series({ ms: RTT + 2 + LEAST_EXCESS.ms - 0.1 })]],
    ['of less than a twentieth', [series({ ms: 204, rttMs: 200 }, { ms: 200, rttMs: 198 })]],
    ['of two results before', [{ before: many({}, 2), after: many({ trips: 2 }) }]],
    ['of two results since', [{ before: many(), after: many({ trips: 2 }, 2) }]],
    [
      'where round trips are not told',
      [series({ trips: null, expectedTrips: null, ms: 90 }, { trips: null, expectedTrips: null })],
    ],
    ['where no round-trip time is', [series({ rttMs: null, ms: 90 })]],
    ['of nothing', []],
  ])('%s', (_name, sides) => {
    expect(sharesOf('tls', sides)).toBeNull();
  });
});

describe('the cause of shares', () => {
  const found = (parts: Partial<Shares['parts']>, syn = 0): Shares => ({
    ...shares([series({ trips: 2 })]),
    excessMs: 100,
    parts: { ...shares([series({ trips: 2 })]).parts, round_trips: 0, ...parts },
    synRepeated: { before: 0, after: syn, count: Math.round(syn * 10) },
  });

  it('is what half of the excess says, else none', () => {
    expect(causeOfShares('tls', found({ path: 30, loss: 25, server_work: 45 }))).toBe('network');
    expect(causeOfShares('tls', found({ path: 45, server_work: 45, other: 10 }))).toBeNull();
    expect(causeOfShares('tls', found({ own_delay: 80, path: 20 }))).toBeNull();
  });

  it('takes more to be corrected than to be found', () => {
    expect(causeOfShares('tls', found({ server_work: 60, path: 40 }), 'network')).toBe('network');
    expect(causeOfShares('tls', found({ server_work: 70, path: 30 }), 'network')).toBe('server');
  });

  it('is the network where SYNs are repeated in 15% of the connections, two at least', () => {
    expect(causeOfShares('tls', found({ other: 100 }, 0.2))).toBe('network');
    expect(causeOfShares('tls', found({ other: 100 }, 0.1))).toBeNull();
    const one = { before: 0, after: 0.25, count: 1 };
    expect(causeOfShares('tls', { ...found({ other: 100 }), synRepeated: one })).toBeNull();
  });
});
