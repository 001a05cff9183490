import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adviceOf, sampleOf } from '#analysis/advice/advice.ts';
import { serverKindOf, snippetsOf } from '#analysis/advice/snippets.ts';
import { wasteOf } from '#analysis/advice/waste.ts';
import { ADVICE_CODES, AdviceFacts } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { adviseResult, type Changed, repeated, vantageAt, waitOf } from '../../support/advised.ts';

const tls12: Changed = {
  tls: { version: 'TLSv1.2', cipher: 'ECDHE-RSA-AES128-GCM-SHA256', group: 'X25519', falseStart: true },
  roundTrips: { tls: { took: 2, expected: 2 } },
};
const largeRecord: Changed = {
  http: { bytes: 24_000, firstBodyRecordBytes: 16_406, firstBodyPacketMs: 31 },
  phases: { firstBody: 61 },
  roundTrips: { firstBody: { took: 2, expected: 1 } },
};
const both: Changed = {
  ...tls12,
  ...largeRecord,
  roundTrips: { tls: { took: 2, expected: 2 }, firstBody: { took: 2, expected: 1 } },
};

/** The same server seen from a near and from a far place. */
const nearAndFar = (changed: Changed): Result[] => [
  ...repeated(5, { ...changed, rttMs: 20, vantage: vantageAt('CN-SH', 'telecom', 1) }),
  ...repeated(5, { ...changed, rttMs: 30, vantage: vantageAt('CN-BJ', 'unicom', 2) }),
  ...repeated(5, { ...changed, rttMs: 80, vantage: vantageAt('CN-XJ', 'mobile', 3), ...farTimes(changed) }),
];

/** The record's pause grows with the round-trip time. */
const farTimes = ({ phases }: Changed): Changed => (phases?.firstBody ? { phases: { firstBody: 120 } } : {});

const codesOf = (results: Result[]) => adviceOf(results).map(({ code }) => code);

/** How well-set servers look: each as it is installed with its records, sessions and chain in order. */
const WELL_SET: [string, Changed][] = [
  ['nginx with 4 kB records', { http: { server: 'nginx/1.22.1', bytes: 40_000, firstBodyRecordBytes: 4_118 } }],
  [
    'Apache with a body that the window holds',
    { http: { server: 'Apache/2.4.66 (Debian)', bytes: 8_000, firstBodyRecordBytes: 8_214, altSvc: null } },
  ],
  [
    'HAProxy with records of a segment',
    {
      http: { server: null, bytes: 40_000, firstBodyRecordBytes: 1_400, firstRecordBytes: 1_400 },
      tls: { group: 'X25519' },
    },
  ],
  [
    'Node with tickets and RSA 2048',
    { certificate: { keyType: 'rsa', keyBits: 2_048, chainBytes: 4_300 }, http: { server: null, altSvc: null } },
  ],
];

describe('a healthy server', () => {
  it('gets no advice', () => {
    expect(adviceOf(nearAndFar({}))).toEqual([]);
    expect(wasteOf(nearAndFar({}), [], 'browser')).toBeNull();
  });

  it.each(WELL_SET)('gets none where it is %s', (_name, changed) => {
    expect(codesOf(nearAndFar(changed))).toEqual([]);
    expect(adviceOf(nearAndFar(changed), { client: 'api' })).toEqual([]);
  });

  it('gets none from Results that show nothing: failed, lost packets, or none at all', () => {
    const failed = adviseResult({ ok: false });
    const unreachable: Result = { ...failed, tls: null, http: null, roundTrips: null };
    expect(adviceOf([])).toEqual([]);
    expect(adviceOf([unreachable])).toEqual([]);
    expect(codesOf(repeated(5, { ...largeRecord, network: { retransmits: 2 } }))).toEqual([]);
  });

  it('is not blamed for what one vantage of five alone shows', () => {
    const others = [1, 2, 3, 4].flatMap((number) => repeated(3, { vantage: vantageAt('CN-SH', 'telecom', number) }));
    const odd = repeated(3, { ...largeRecord, vantage: vantageAt('CN-BJ', 'unicom', 5) });
    expect(codesOf([...others, ...odd])).toEqual([]);
  });
});

describe('what few vantages show', () => {
  const fleet = (count: number, changed: Changed): Result[] =>
    Array.from({ length: 40 }, (_, n) =>
      repeated(3, { ...(n < count ? changed : {}), vantage: vantageAt('CN-SH', 'telecom', n + 1) }),
    ).flat();

  it('is said where it is read off the wire, and from a tenth of the vantages on where it is inferred', () => {
    expect(codesOf(fleet(2, tls12))).toEqual(['tls12']);
    expect(codesOf(fleet(3, largeRecord))).toEqual([]);
    expect(codesOf(fleet(4, largeRecord))).toEqual(['record_over_window']);
  });
});

describe('what is inferred from times', () => {
  const at = (number: number, count = 1, changed = largeRecord) =>
    repeated(count, { ...changed, vantage: vantageAt('CN-SH', 'telecom', number) });
  const said = (results: Result[], vantages: number) => adviceOf(results, { vantages }).map(({ code }) => code);

  it('is not said of a single result, nor of two vantages with one each, nor of one of many vantages', () => {
    expect(said(at(1), 93)).toEqual([]);
    expect(said([...at(1), ...at(2)], 93)).toEqual([]);
    expect(said(at(1, 20), 93)).toEqual([]);
    expect(said([...at(1, 2), ...at(2)], 93)).toEqual(['record_over_window']);
  });

  it('needs three results alone where one vantage probes the target, and none more where all is said with one', () => {
    expect(said(at(1, 2), 1)).toEqual([]);
    expect(said(at(1, 3), 1)).toEqual(['record_over_window']);
    expect(codesOf(at(1))).toEqual(['record_over_window']);
  });

  it('takes no number where it is read off the wire', () => {
    expect(said(at(1, 1, tls12), 93)).toEqual(['tls12']);
  });

  it('is absent for good only once the sample is enough', () => {
    const sample = (results: Result[]) => sampleOf(results, 93);
    expect(sample(at(1, 20, {}))).toEqual({ results: 20, vantages: 1, ofVantages: 93, enough: false });
    expect(sample([...at(1, 1, {}), ...at(2, 1, {})])).toMatchObject({ results: 2, enough: false });
    expect(sample([...at(1, 2, {}), ...at(2, 1, {}), ...at(3, 5, { prober: { clean: false } })])).toEqual({
      ...{ results: 3, vantages: 2, ofVantages: 93, enough: true },
    });
    expect(sampleOf(at(1, 3, {}), 1).enough).toBe(true);
    expect(sampleOf([], 0)).toEqual({ results: 0, vantages: 0, ofVantages: 0, enough: false });
  });
});

describe('what advice is worth', () => {
  it('is round trips at each vantage’s round-trip time, the largest gain first', () => {
    const [advice] = adviceOf(nearAndFar(tls12), { client: 'api' });
    expect(advice?.vantages.map(({ region, rttMs, savesMs }) => [region, rttMs, savesMs.total])).toEqual([
      ['CN-XJ', 80, 80],
      ['CN-BJ', 30, 30],
      ['CN-SH', 20, 20],
    ]);
    expect(advice?.gains.browser).toEqual({ handshake: 0, firstUsable: 0, firstBody: 0, total: 0 });
  });

  it('is round trips that are counted, also where all of them take less than the work between them', () => {
    const record = (direction: 'in' | 'out', atMs: number) => ({ direction, atMs, type: 'handshake', bytes: 400 });
    const wire = [record('out', 1), record('in', 1.1), record('out', 2.016), record('in', 2.1)];
    const loopback: Changed = {
      ...tls12,
      rttMs: 0.014,
      tls: { ...tls12.tls, wire },
      handshake: { records: 2, bytesIn: 800, expectedRoundTrips: 2 },
    };
    const results = repeated(3, loopback);
    const advice = adviceOf(results, { client: 'api' });
    expect(advice).toMatchObject([{ code: 'tls12', roundTrips: 1, savesMs: { handshake: 0.93, total: 0.01 } }]);
    expect(wasteOf(results, advice, 'api')).toMatchObject({ roundTrips: 4, wasted: 1 });
  });

  it('is the mean of all vantages, all alike', () => {
    const [advice] = adviceOf(nearAndFar(tls12), { client: 'api' });
    expect(advice?.savesMs.handshake).toBe(43.33);
  });

  it('is the mean by the weights of vantages where they are given', () => {
    const weightOf = (vantage: { region: string } | null) =>
      vantage?.region === 'CN-XJ' ? 0 : vantage?.region === 'CN-SH' ? 3 : 1;
    const [advice] = adviceOf(nearAndFar(tls12), { client: 'api', weightOf });
    expect(advice?.savesMs.handshake).toBe(22.5);
  });

  it('counts vantages that do not show it as gaining nothing', () => {
    const results = [
      ...repeated(3, { ...tls12, vantage: vantageAt('CN-SH', 'telecom', 1) }),
      ...repeated(3, { vantage: vantageAt('CN-BJ', 'telecom', 2) }),
    ];
    const [advice] = adviceOf(results, { client: 'api' });
    expect(advice?.savesMs.handshake).toBe(15);
    expect([advice?.shown, advice?.judged]).toEqual([
      { vantages: 1, results: 3 },
      { vantages: 2, results: 6 },
    ]);
  });

  it('ranks the largest first, and critical things before all', () => {
    const expired = { certificate: { notBefore: '2026-01-01T00:00:00.000Z', notAfter: '2026-11-25T00:00:00.000Z' } };
    expect(adviceOf(nearAndFar({ ...both, ...expired }), { client: 'api' }).map(({ code }) => code)).toEqual([
      'certificate_expiry',
      'tls12',
      'record_over_window',
    ]);
    expect(codesOf(nearAndFar(both))).toEqual(['record_over_window', 'tls12']);
  });

  it('is how sure it is: by the number of Results, and by vantages where it is inferred', () => {
    const confidence = (results: Result[]) => adviceOf(results, { client: 'api' })[0]?.confidence;
    expect(confidence(repeated(1, tls12))).toBe('low');
    expect(confidence(repeated(4, tls12))).toBe('medium');
    expect(confidence(repeated(12, tls12))).toBe('high');
    expect(confidence(repeated(12, largeRecord))).toBe('medium');
    expect(confidence(nearAndFar(largeRecord))).toBe('high');
  });

  it('does not depend on the order of Results', () => {
    const results = nearAndFar(both).map((result, index) => ({
      ...result,
      startedAt: new Date(Date.parse('2026-11-21T08:00:00.000Z') + index * 60_000).toISOString(),
    }));
    const expected = adviceOf(results);
    fc.assert(
      fc.property(fc.shuffledSubarray(results, { minLength: results.length }), (shuffled) => {
        expect(adviceOf(shuffled)).toEqual(expected);
      }),
    );
  });

  it('has the shape of the contract, whatever is wrong', () => {
    const results = [
      ...nearAndFar(both),
      ...repeated(3, { variant: 'reuse' }),
      ...repeated(3, { certificate: { keyType: 'rsa', keyBits: 4_096 }, roundTrips: { waits: [waitOf()] } }),
    ];
    for (const advice of adviceOf(results, { notices: true })) expect(AdviceFacts.parse(advice)).toEqual(advice);
  });
});

describe('the waste of a visit', () => {
  it('is round trips until the body, in the middle and at the worst place', () => {
    const results = nearAndFar(both);
    expect(wasteOf(results, adviceOf(results, { client: 'api' }), 'api')).toEqual({
      roundTrips: 5,
      wasted: 2,
      medianMs: 60,
      worst: { region: 'CN-XJ', ms: 160 },
      until: { firstBody: { ms: 60, ofMs: 94 }, total: { ms: 30, ofMs: 95 } },
    });
    // Browsers start early under TLS 1.2: their visit is a round trip shorter already.
    expect(wasteOf(results, adviceOf(results), 'browser')).toMatchObject({ roundTrips: 4, wasted: 1, medianMs: 30 });
  });
});

describe('snippets', () => {
  it.each([
    ['nginx/1.22.1', 'nginx'],
    ['openresty', 'nginx'],
    ['Apache/2.4.66 (Debian)', 'apache'],
    ['Caddy', 'caddy'],
    ['cloudflare', 'cdn'],
    ['AmazonS3', 'cdn'],
    ['gws', 'cdn'],
    ['Microsoft-IIS/10.0', null],
    [null, null],
  ])('the server header %s means %s', (header, kind) => {
    expect(serverKindOf(header)).toBe(kind);
  });

  it('are picked by what most responses say', () => {
    const results = [
      ...repeated(3, largeRecord),
      ...repeated(2, { ...largeRecord, http: { ...largeRecord.http, server: 'Caddy' } }),
    ];
    const [advice] = adviceOf(results.map((result, index) => (index < 3 ? withServer(result, 'nginx') : result)));
    expect(advice?.server).toBe('nginx');
    expect(advice?.snippets).toEqual(snippetsOf('record_over_window', {}));
  });

  it('never suggest what does not help: Fast Open, BBR, kTLS, short keys, and what Apache documents but does not do', () => {
    const all = JSON.stringify(ADVICE_CODES.map((code) => snippetsOf(code, {})));
    expect(all).not.toMatch(/fastopen|bbr|ktls|1024|H2TLSWarmUpSize|early_data/i);
    // Neither a list of ciphers nor one machine's cache cures these.
    expect(snippetsOf('no_false_start', { reason: 'alpn' })).toEqual({});
    expect(snippetsOf('no_resumption', { reason: 'refused' })).toEqual({});
    expect(snippetsOf('flight_over_window', { ecdsa: 'issuer' })).toEqual({});
    expect(snippetsOf('no_resumption', { reason: 'none' })).toHaveProperty('nginx');
    expect(serverKindOf('Apache-Coyote/1.1')).toBeNull();
    expect(serverKindOf('Apache/2.4.58 (Debian)')).toBe('apache');
    expect(snippetsOf('record_over_window', {}).apache).toBeUndefined();
  });
});

function withServer(result: Result, server: string): Result {
  return { ...result, http: result.http && { ...result.http, server } };
}
