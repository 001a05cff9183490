import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_REDIRECTS } from '#analysis/what-if/facts.ts';
import {
  type Change,
  type Client,
  countedTrips,
  type Facts,
  fittingChain,
  type Milestones,
  whatIf,
} from '#analysis/what-if/what-if.ts';

const R = 50;

/** TLS 1.2 with RSA, two certificates of 2,600 bytes, a page of 40 kB in records of 16 kB. */
const LEGACY: Facts = {
  measured: { handshake: 154, firstUsable: 259, firstBody: 259, total: 262 },
  exchange: {
    rttMs: R,
    window: 10,
    segmentBytes: 1_448,
    noDelay: true,
    flightWrites: 'buffered',
    answerWrites: 'records',
    handshake: [
      [100, 2_614, 338, 9],
      [202, 6, 45],
    ],
    falseStart: true,
    greeting: [],
    answer: [16_413, 16_413, 7_700],
    firstBodyIndex: 0,
  },
  version: 'TLSv1.2',
  http2: false,
  recordOverheadBytes: 29,
  chain: { bytes: 2_600, certificates: [rsa(2_048), rsa(2_048)] },
  stapleBytes: 0,
  bodyBytes: 40_000,
  signatureMs: 0.55,
  turnaroundMs: 0,
  redirects: NO_REDIRECTS,
  dnsMs: 0,
};
/** The same with a chain that overflows the window, and a staple in it. */
const LONG: Facts = {
  ...LEGACY,
  exchange: {
    ...LEGACY.exchange,
    handshake: [
      [100, 12_000, 1_300, 338, 9],
      [202, 6, 45],
    ],
  },
  measured: { handshake: 205, firstUsable: 258, firstBody: 258, total: 311 },
  chain: { bytes: 11_986, certificates: [rsa(4_096), rsa(4_096)] },
  stapleBytes: 1_290,
};

function rsa(keyBits: number) {
  return { keyType: 'rsa', keyBits };
}

/** Round trips that the changes take off each milestone. */
function spared(facts: Facts, client: Client, ...changes: Change[]): Milestones {
  const { before, after } = whatIf(facts, changes, client);
  const trips = (milestone: keyof Milestones) => Math.round(((before[milestone] - after[milestone]) / R) * 10) / 10;
  return {
    handshake: trips('handshake'),
    firstUsable: trips('firstUsable'),
    firstBody: trips('firstBody'),
    total: trips('total'),
  };
}
const all = (trips: number): Milestones => ({
  handshake: trips,
  firstUsable: trips,
  firstBody: trips,
  total: trips,
});

describe('what a change would be worth', () => {
  it('starts from what was measured; for a browser, from what False Start would have made of it', () => {
    expect(whatIf(LEGACY, [], 'api').before).toEqual(LEGACY.measured);
    const { handshake, total } = whatIf(LEGACY, [], 'browser').before;
    expect([handshake, total]).toEqual([104, 212]);
  });

  it('TLS 1.3: one round trip for API clients; none for a browser that starts early, one for any that does not', () => {
    expect(spared(LEGACY, 'api', { kind: 'tls13' })).toEqual(all(1));
    expect(spared(LEGACY, 'browser', { kind: 'tls13' })).toEqual(all(0));
    const refused = { ...LEGACY, exchange: { ...LEGACY.exchange, falseStart: false } };
    expect(spared(refused, 'browser', { kind: 'tls13' })).toEqual(all(1));
  });

  it("TLS 1.3 and False Start: the client's work between two flights comes after the handshake", () => {
    const slow = { ...LEGACY, turnaroundMs: 3 };
    const { before, after } = whatIf(slow, [{ kind: 'tls13' }], 'api');
    expect(before).toEqual(LEGACY.measured);
    expect(before.handshake - after.handshake).toBeCloseTo(R + 3, 6);
    expect(before.total - after.total).toBeCloseTo(R, 6);
    expect(whatIf(slow, [], 'browser').before.handshake).toBeCloseTo(LEGACY.measured.handshake - R - 3, 6);
  });

  it('a shorter chain: a round trip of handshake and first byte, of which the download takes one back', () => {
    expect(spared(LONG, 'api', { kind: 'chain', bytes: 2_500 })).toEqual({
      handshake: 1,
      firstUsable: 0,
      firstBody: 0,
      total: 1,
    });
    expect(spared(LEGACY, 'api', { kind: 'chain', bytes: 1_024 })).toEqual(all(0));
  });

  it('a chain of two records is one message: cut anew, it takes the writes that a server makes of it', () => {
    // As nginx 1.22 and HAProxy 2.6 sent it, and what came of it at 28, 115 and 380 ms.
    const records = [127, 6, 37, 16_406, 2_181, 102, 74];
    const certificates = [
      { keyType: 'ec', keyBits: 256 },
      { keyType: 'ec', keyBits: 256 },
    ];
    const huge: Facts = {
      ...LEGACY,
      version: 'TLSv1.3',
      recordOverheadBytes: 22,
      exchange: { ...LEGACY.exchange, handshake: [records], falseStart: false, answer: [9_222] },
      measured: { handshake: 151, firstUsable: 201, firstBody: 201, total: 201 },
      chain: { bytes: 18_518, certificates },
    };
    expect(spared(huge, 'api', { kind: 'chain', bytes: 12_865 })).toEqual(all(0));
    expect(spared(huge, 'api', { kind: 'chain', bytes: 13_200 })).toEqual(all(0));
    expect(spared(huge, 'api', { kind: 'chain', bytes: 12_465 })).toEqual(all(1));
    expect(fittingChain(huge)).toBe(12_400);
    const longer = whatIf(
      huge,
      [
        { kind: 'chain', bytes: 12_865 },
        { kind: 'chain', bytes: 18_518 },
      ],
      'api',
    );
    expect(longer.after).toEqual(longer.before);
  });

  it('no staple, an ECDSA chain, a compressed one: what they take out of the flight', () => {
    expect(spared(LONG, 'api', { kind: 'noStaple' }).handshake).toBe(1);
    expect(spared(LONG, 'api', { kind: 'compressCertificate' }).handshake).toBe(0);
    // RFC 8879: there is none under TLS 1.2.
    expect(spared(LONG, 'browser', { kind: 'compressCertificate' }).handshake).toBe(0);
    const long13 = (...more: Change[]) => whatIf(LONG, [{ kind: 'tls13' }, ...more], 'browser').after.handshake;
    expect(long13()).toBeGreaterThan(long13({ kind: 'compressCertificate' }) + 1);
    const { before, after } = whatIf(LEGACY, [{ kind: 'ecdsa' }], 'api');
    expect(before.handshake - after.handshake).toBeCloseTo(0.55, 6);
  });

  it('records that fit the window: the first byte a round trip earlier, and the end when it was', () => {
    expect(spared(LEGACY, 'api', { kind: 'records', bytes: 4_096 })).toEqual({
      handshake: 0,
      firstUsable: 1,
      firstBody: 1,
      total: 0,
    });
  });

  it('a compressed body: fewer flights of it', () => {
    expect(spared(LEGACY, 'api', { kind: 'compressBody', ratio: 0.2 })).toEqual({
      handshake: 0,
      firstUsable: 1,
      firstBody: 1,
      total: 1,
    });
  });

  it('HTTP/2: headers of their own come sooner, the body does not', () => {
    expect(spared(LEGACY, 'api', { kind: 'http2' })).toEqual({
      handshake: 0,
      firstUsable: 1,
      firstBody: 0,
      total: 0,
    });
  });

  it('a larger window: whatever waited for the smaller one', () => {
    const small = { ...LEGACY, exchange: { ...LEGACY.exchange, window: 2 } };
    expect(spared(small, 'api', { kind: 'window', segments: 10 })).toMatchObject({ handshake: 1, total: 2 });
  });

  it('no Nagle: the write that was held back', () => {
    const exchange = { ...LEGACY.exchange, noDelay: false, handshake: [[100, 4_600, 338, 9], [253]] };
    expect(spared({ ...LEGACY, exchange }, 'api', { kind: 'noDelay' }).handshake).toBe(1);
  });

  it('resumption: a round trip under TLS 1.2, and the signature', () => {
    const { before, after } = whatIf(LEGACY, [{ kind: 'resume' }], 'api');
    expect(before.handshake - after.handshake).toBeCloseTo(R + 0.55, 6);
  });

  it('an edge: each round trip as short as its own, the work as long as it was', () => {
    const { before, after } = whatIf(LEGACY, [{ kind: 'edge', rttMs: 10 }], 'api');
    expect(before.total - after.total).toBeCloseTo(5 * 40, 6);
    expect(after.total).toBeCloseTo(5 * 10 + 12, 6);
  });

  it('no redirect: what it took before this connection, and on it', () => {
    const redirects = { ...NO_REDIRECTS, beforeMs: 200, onConnectionMs: 51, beforeTrips: 4, onConnectionTrips: 1 };
    const redirected = { ...LEGACY, redirects };
    const { before, after } = whatIf(redirected, [{ kind: 'noRedirect' }], 'api');
    expect(before).toEqual({ handshake: 354, firstUsable: 510, firstBody: 510, total: 513 });
    expect(after).toEqual(LEGACY.measured);
    expect(spared(redirected, 'browser', { kind: 'noRedirect' })).toMatchObject({ handshake: 4, total: 5 });
    const counted = countedTrips(redirected, [], 'api');
    expect(counted).toEqual({ handshake: 7, firstUsable: 10, firstBody: 10, total: 10 });
    const without = countedTrips(redirected, [{ kind: 'noRedirect' }], 'api');
    expect(without).toEqual({ handshake: 3, firstUsable: 5, firstBody: 5, total: 5 });
  });

  it('takes changes together', () => {
    const both: Change[] = [{ kind: 'tls13' }, { kind: 'chain', bytes: 1_024 }];
    expect(spared(LONG, 'api', ...both).handshake).toBe(2);
    expect(spared(LONG, 'browser', ...both).handshake).toBe(1);
  });
});

/** Any exchange that a server might make. */
const anyFacts: fc.Arbitrary<Facts> = fc
  .record({
    tls13: fc.boolean(),
    chainBytes: fc.integer({ min: 600, max: 24_000 }),
    bodyBytes: fc.integer({ min: 1, max: 120_000 }),
    recordBytes: fc.constantFrom(1_400, 4_096, 8_192, 16_384),
    rttMs: fc.integer({ min: 2, max: 400 }),
    window: fc.constantFrom(1, 2, 3, 4, 10, 32),
    noDelay: fc.boolean(),
    falseStart: fc.boolean(),
    http2: fc.boolean(),
    stapleBytes: fc.constantFrom(0, 500, 1_300),
  })
  .map(({ tls13, chainBytes, bodyBytes, recordBytes, rttMs, window, noDelay, falseStart, http2, stapleBytes }) => {
    const overhead = tls13 ? 22 : 29;
    const certificate = chainBytes + stapleBytes + 20;
    const records = Array.from({ length: Math.ceil(bodyBytes / recordBytes) }, (_, index) =>
      Math.min(recordBytes, bodyBytes - index * recordBytes),
    ).map((bytes) => bytes + overhead);
    return {
      measured: { handshake: 3 * rttMs, firstUsable: 4 * rttMs, firstBody: 4 * rttMs, total: 6 * rttMs },
      exchange: {
        rttMs,
        window,
        segmentBytes: 1_448,
        noDelay,
        flightWrites: 'buffered',
        answerWrites: 'records',
        handshake: tls13 ? [[127, 6, 32, certificate, 101, 74]] : [[100, certificate, 338, 9], [253]],
        falseStart: falseStart && !tls13,
        greeting: tls13 ? [255, 255] : [],
        answer: http2 ? [157, ...records] : records,
        firstBodyIndex: http2 ? 1 : 0,
      },
      version: tls13 ? 'TLSv1.3' : 'TLSv1.2',
      http2,
      recordOverheadBytes: overhead,
      chain: { bytes: chainBytes, certificates: [{ keyType: 'ec', keyBits: 256 }] },
      stapleBytes,
      bodyBytes,
      signatureMs: 0,
      turnaroundMs: 0,
      redirects: NO_REDIRECTS,
      dnsMs: 0,
    };
  });
const anyClient = fc.constantFrom<Client>('browser', 'api');
const EACH = ['handshake', 'firstUsable', 'firstBody', 'total'] as const;

describe('any prediction', () => {
  it('of no change is what was measured', () => {
    fc.assert(
      fc.property(anyFacts, anyClient, (facts, client) => {
        const chainAsItIs: Change = { kind: 'chain', bytes: facts.chain?.bytes ?? 0 };
        const asItIs: Change = { kind: 'window', segments: facts.exchange.window };
        const { before, after } = whatIf(facts, [chainAsItIs, asItIs], client);
        expect(after).toEqual(before);
        if (client === 'api')
          for (const milestone of EACH) expect(before[milestone]).toBeCloseTo(facts.measured[milestone], 6);
      }),
    );
  });

  it('has its milestones in order, before and after', () => {
    const anyChange = fc.constantFrom<Change>(
      { kind: 'tls13' },
      { kind: 'chain', bytes: 1_024 },
      { kind: 'records', bytes: 4_096 },
      { kind: 'window', segments: 10 },
      { kind: 'resume' },
      { kind: 'http2' },
      { kind: 'compressBody', ratio: 0.3 },
    );
    fc.assert(
      fc.property(anyFacts, anyClient, anyChange, (facts, client, change) => {
        const still = { ...facts, measured: whatIf({ ...facts, measured: replayed(facts) }, [], 'api').before };
        for (const { handshake, firstUsable, firstBody, total } of Object.values(whatIf(still, [change], client))) {
          expect(handshake).toBeLessThan(firstUsable);
          expect(firstUsable).toBeLessThanOrEqual(firstBody);
          expect(firstBody).toBeLessThanOrEqual(total);
        }
      }),
    );
  });

  it('of a smaller chain, of TLS 1.3, of a larger window, of no Nagle is never a later handshake', () => {
    const better = fc.constantFrom<(facts: Facts) => Change>(
      ({ chain }) => ({ kind: 'chain', bytes: (chain?.bytes ?? 0) * 0.7 }),
      () => ({ kind: 'tls13' }),
      ({ exchange }) => ({ kind: 'window', segments: exchange.window * 2 }),
      () => ({ kind: 'noDelay' }),
    );
    fc.assert(
      fc.property(anyFacts, anyClient, better, (facts, client, change) => {
        const { before, after } = whatIf(facts, [change(facts)], client);
        expect(after.handshake).toBeLessThanOrEqual(before.handshake + 1e-6);
      }),
    );
  });

  // A larger answer may wait once more: the acknowledgements of a long chain open the window, as they do in Linux.
  it('of a smaller chain is never later at all, where the answer fits the window', () => {
    const short = anyFacts.filter(
      ({ bodyBytes, exchange }) => bodyBytes < 5_000 && exchange.window >= 10 && exchange.noDelay,
    );
    fc.assert(
      fc.property(short, anyClient, fc.double({ min: 0.02, max: 1, noNaN: true }), (facts, client, share) => {
        const bytes = Math.ceil((facts.chain?.bytes ?? 0) * share);
        const { before, after } = whatIf(facts, [{ kind: 'chain', bytes }], client);
        for (const milestone of EACH) expect(after[milestone]).toBeLessThanOrEqual(before[milestone] + 1e-6);
      }),
    );
  });
});

/** Milestones as the model has them, in the order that real ones have. */
function replayed({ exchange }: Facts): Milestones {
  const { rttMs } = exchange;
  return { handshake: rttMs, firstUsable: rttMs * 1e3, firstBody: rttMs * 1e6, total: rttMs * 1e9 };
}
