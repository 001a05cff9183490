import { describe, expect, it } from 'vitest';
import { adviceOf } from '#analysis/advice/advice.ts';
import type { AdviceClient, AdviceCode } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { adviseResult, type Changed, repeated, vantageAt, waitOf } from '../../support/advised.ts';

type Options = { client?: AdviceClient; settings?: Partial<ProbeSettings>; notices?: boolean };

const codesOf = (results: Result[], options: Options = {}) => adviceOf(results, options).map(({ code }) => code);
const find = (code: AdviceCode, results: Result[], options: Options = {}) => {
  const found = adviceOf(results, options).find((each) => each.code === code);
  if (!found) throw new Error(`no advice ${code}, but ${codesOf(results, options).join(', ') || 'none'}`);
  return found;
};
const trips = (code: AdviceCode, results: Result[], options: Options = {}) => {
  const { handshake, firstUsable, firstBody, total } = find(code, results, options).savesMs;
  // At 30 ms a round trip; what is no round trip (work, a download) is little.
  return [handshake, firstUsable, firstBody, total].map((ms) => Math.round(ms / 30));
};

const tls12: Changed = {
  tls: { version: 'TLSv1.2', cipher: 'ECDHE-RSA-AES128-GCM-SHA256', group: 'X25519', falseStart: true },
  handshake: { roundTrips: 2, expectedRoundTrips: 2, wireMs: 61 },
  phases: { tls: 62 },
};
const rsaExchange: Changed = { ...tls12, tls: { ...tls12.tls, keyExchange: 'RSA', falseStart: false } };
/** 16 kB in one record over HTTP/2, of which the rest came a round trip after the first packet. */
const largeRecord: Changed = {
  http: { bytes: 24_000, firstBodyRecordBytes: 16_406, maxRecordBytes: 16_406, firstBodyPacketMs: 31 },
  phases: { firstBody: 61 },
};
const overWindow: Changed = {
  handshake: { bytesIn: 17_000 },
  tls: { flightBytes: 17_000 },
  certificate: { keyType: 'rsa', keyBits: 2_048, chainBytes: 15_500 },
  roundTrips: { tls: { took: 2, expected: 1 }, waits: [waitOf()] },
};
/** A chain of 20 kB that came as 3 kB. */
const compressed: Changed = {
  tls: { certificateCompression: 'brotli' },
  hellos: { offeredCompression: ['brotli', 'zlib', 'zstd'] },
  certificate: {
    chainBytes: 20_000,
    sent: { certificates: [], messageBytes: 3_000, uncompressedBytes: 20_020, problems: [] },
  },
};
/** A flight of two writes, each of which ends in a small segment: 4,096 bytes and 848. */
const heldBack: Changed = {
  handshake: { bytesIn: 4_944 },
  tls: {
    wire: [127, 6, 37, 4_600, 100, 74].map((bytes) => ({
      atMs: 60,
      direction: 'in' as const,
      type: 'handshake',
      bytes,
    })),
  },
  roundTrips: { waits: [waitOf({ heldBy: 'nagle', afterBytes: 4_096, segments: 3 })] },
};
/** A flight of 9,000 bytes, which a window of 3 or 4 segments sends in two parts. */
const ofWindow = (segments: number): Changed => ({
  handshake: { roundTrips: 2, bytesIn: 9_000, wireMs: 61 },
  tls: { flightBytes: 9_000 },
  certificate: { chainBytes: 7_500 },
  marks: { connect: 31, appconnect: 91, pretransfer: 91, starttransfer: 121, total: 122 },
  roundTrips: {
    serverWindow: { segments, bytes: segments * 1_448, exact: true },
    waits: [waitOf({ afterBytes: segments * 1_448, segments })],
  },
});
const tiny: Changed = {
  http: { bytes: 4_000, records: 40, firstBodyRecordBytes: 129, firstRecordBytes: 129 },
  roundTrips: { waits: [waitOf({ phase: 'download', afterBytes: 1_290 })] },
};
const bodyWaits: Changed = {
  http: { bytes: 60_000, records: 16 },
  roundTrips: { waits: [waitOf({ phase: 'download' }), waitOf({ phase: 'download', afterBytes: 43_440 })] },
};
const asked: Options = { settings: { compression: true } };
const elsewhere: Changed = { http: { status: 301, location: 'https://www.a.example/' } };
const refusedTicket: Changed = {
  variant: 'resumed',
  findings: [
    { code: 'tickets_do_not_resume', severity: 'warning', savesRoundTrips: null, savesMs: null, evidence: '' },
  ],
};
const withResponder = { ocspUrl: 'http://ocsp.example/' };
const mustStaple = { ...withResponder, mustStaple: true };
const largeKey = { keyType: 'rsa', keyBits: 4_096 };
const ticket = (earlyDataBytes: number) => ({ session: { tickets: 2, lifetimeSeconds: 300, earlyDataBytes } });

/** A certificate that began so many days ago and ends in so many. */
function expiring(since: number, left: number): Changed {
  const at = (days: number) => new Date(Date.parse('2026-11-21T08:00:00.000Z') + days * 86_400_000).toISOString();
  return { certificate: { notBefore: at(-since), notAfter: at(left) } };
}

function withProblem(problem: 'missing_intermediate' | 'wrong_order' | 'root_sent'): Changed {
  return { certificate: { sent: { certificates: [], messageBytes: 1_900, problems: [problem] } } };
}

/** Three Results at a vantage of each carrier, whose lookups take so many milliseconds. */
function dnsAt(carriers: string[], dns: number): Result[] {
  return carriers.flatMap((carrier, index) =>
    [dns, dns, 4].map((took) =>
      adviseResult({ vantage: vantageAt('CN-BJ', carrier, index + 1), phases: { dns: took } }),
    ),
  );
}

/** So many vantages of a region at a round-trip time. */
function spread(rttMs: number, count: number, region: string): Result[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1 + (region === 'CN-XJ' ? 100 : 0);
    return repeated(3, { rttMs, vantage: vantageAt(region, 'telecom', number) });
  }).flat();
}

/** Each row of the table: when it is given, and what it saves (handshake, first usable, first body, total) in round trips. */
const GIVEN: [AdviceCode, string, Result[], number[], Options?][] = [
  ['tls12', 'TLS 1.2, to clients without False Start', repeated(3, tls12), [1, 1, 1, 1], { client: 'api' }],
  ['tls12', 'TLS 1.2, but nothing to browsers that start early', repeated(3, tls12), [0, 0, 0, 0]],
  ['tls12', 'TLS 1.2 with RSA key exchange, to browsers as well', repeated(3, rsaExchange), [1, 1, 1, 1]],
  ['no_false_start', 'RSA key exchange, to browsers', repeated(3, rsaExchange), [1, 1, 1, 1]],
  [
    'no_false_start',
    'a CBC cipher, as an older engine reports it',
    repeated(3, { ...tls12, tls: { version: 'TLSv1.2', cipher: 'ECDHE-RSA-AES256-SHA384', falseStart: null } }),
    [1, 1, 1, 1],
  ],
  ['flight_over_window', 'certificates of 15.5 kB', repeated(3, overWindow), [1, 1, 1, 1]],
  // The largest chain that fits opens the window for them; a short one does not.
  [
    'flight_over_window',
    'certificates of 15.5 kB before a body of 24 kB',
    repeated(3, { ...overWindow, http: { bytes: 24_000 } }),
    [1, 1, 1, 0],
  ],
  [
    'compressed_flight',
    'certificates that fit compressed alone',
    repeated(3, compressed),
    [1, 1, 1, 1],
    { client: 'api' },
  ],
  ['compressed_flight', 'but nothing to browsers, which offer it', repeated(3, compressed), [0, 0, 0, 0]],
  ['nagle', 'a pause after 4,096 bytes', repeated(3, heldBack), [1, 1, 1, 1]],
  ['small_window', 'a window of 3 segments', repeated(3, ofWindow(3)), [1, 1, 1, 1]],
  ['small_window', 'a window of 4 segments', repeated(3, ofWindow(4)), [1, 1, 1, 1]],
  [
    'small_window',
    'a window of 3 segments, which other results are too small to fill',
    [
      ...repeated(1, ofWindow(3)),
      ...repeated(2, { tls: { flightBytes: 2_900 }, http: { bytes: 400 }, roundTrips: { serverWindow: null } }),
    ],
    [1, 1, 1, 1],
  ],
  ['record_over_window', '16 kB records over HTTP/2', repeated(3, largeRecord), [0, 0, 1, 0]],
  [
    'record_over_window',
    '16 kB records over HTTP/1.1, of which the first byte waits too',
    repeated(3, { ...largeRecord, http: { ...largeRecord.http, version: '1.1', firstRecordBytes: 16_406 } }),
    [0, 1, 1, 0],
  ],
  [
    'record_over_window',
    'the first record, as an older engine reports it',
    repeated(3, {
      engineVersion: 2,
      http: {
        bytes: 24_000,
        firstRecordBytes: 16_406,
        firstPacketMs: 31,
        firstUsableMs: 61,
        firstBodyRecordBytes: null,
      },
      phases: { firstBody: null },
    }),
    [0, 1, 1, 0],
  ],
  ['tiny_records', 'a pause after 1,290 bytes', repeated(3, tiny), [0, 0, 0, 1]],
  [
    'tiny_records',
    '40 records of 100 bytes, for the work alone',
    repeated(3, { ...tiny, roundTrips: {} }),
    [0, 0, 0, 0],
  ],
  // Compressed to a quarter 60 kB are a little more than a window: one wait is left.
  ['body_over_window', 'two waits in a body', repeated(3, bodyWaits), [0, 0, 0, 1], asked],
  ['hello_retry', 'a HelloRetryRequest', repeated(3, { tls: { helloRetry: true, group: 'secp256r1' } }), [1, 1, 1, 1]],
  [
    'no_post_quantum',
    'X25519, as a notice',
    repeated(3, { tls: { group: 'X25519' } }),
    [0, 0, 0, 0],
    { notices: true },
  ],
  ['no_resumption', 'tickets that are not taken back', [...repeated(3), ...repeated(3, refusedTicket)], [0, 0, 0, 0]],
  [
    'no_resumption',
    'no session under TLS 1.2, on a return',
    repeated(3, { ...tls12, tls: { ...tls12.tls, session: null } }),
    [1, 1, 1, 1],
    { client: 'api' },
  ],
  [
    'early_data',
    'tickets without early data, as a notice',
    repeated(3, { tls: ticket(0) }),
    [0, 1, 1, 1],
    { notices: true },
  ],
  [
    'staple_missing',
    'no staple where the certificate demands one',
    repeated(3, { certificate: mustStaple, staple: { status: 'missing' } }),
    [0, 0, 0, 0],
  ],
  [
    'staple_stale',
    'a staple out of date',
    repeated(3, { certificate: withResponder, staple: { status: 'stale', nextUpdate: '2026-11-01T00:00:00.000Z' } }),
    [0, 0, 0, 0],
  ],
  ['no_http2', 'HTTP/1.1 alone', repeated(3, { http: { version: '1.1' } }), [0, 0, 0, 0]],
  [
    'no_keep_alive',
    'a further request that connects again',
    [...repeated(3), ...repeated(3, { variant: 'reuse' })],
    [2, 2, 2, 2],
  ],
  [
    'redirect',
    'a redirect to the same origin',
    repeated(3, { http: { status: 301, location: '/home' } }),
    [0, 1, 1, 1],
  ],
  ['redirect', 'a redirect to another origin', repeated(3, { ...elsewhere, phases: { dns: 0 } }), [3, 3, 3, 3]],
  ['no_http3', 'no Alt-Svc, as a notice', repeated(3, { http: { altSvc: null } }), [0, 0, 0, 0], { notices: true }],
  ['certificate_expiry', 'less than a third of the lifetime left', repeated(3, expiring(61, 29)), [0, 0, 0, 0]],
  ['chain_problem', 'a missing intermediate', repeated(3, withProblem('missing_intermediate')), [0, 0, 0, 0]],
];

/** The conditions under which each must not be given: the column "never when". */
const NEVER: [AdviceCode, string, Result[], Options?][] = [
  ['tls12', 'the check offers 1.2 alone', repeated(3, { ...tls12, hellos: { offeredVersions: ['TLSv1.2'] } })],
  ['tls12', 'the handshake was resumed', repeated(3, { ...tls12, tls: { ...tls12.tls, resumed: true } })],
  ['no_false_start', '1.3 was negotiated', repeated(3)],
  [
    'no_false_start',
    'the check offers 1.2 alone',
    repeated(3, {
      tls: { ...tls12.tls, falseStart: false, keyExchange: 'RSA' },
      hellos: { offeredVersions: ['TLSv1.2'] },
    }),
  ],
  [
    'no_false_start',
    'the check offers no ALPN',
    repeated(3, { ...tls12, tls: { ...tls12.tls, falseStart: false, alpn: null }, hellos: { offeredAlpn: [] } }),
  ],
  [
    'compressed_flight',
    'they would fit uncompressed as well',
    repeated(3, {
      ...compressed,
      certificate: {
        chainBytes: 5_000,
        sent: { certificates: [], messageBytes: 3_000, uncompressedBytes: 5_020, problems: [] },
      },
    }),
  ],
  [
    'compressed_flight',
    'no compression was offered',
    repeated(3, { ...compressed, hellos: { offeredCompression: [] } }),
  ],
  ['flight_over_window', 'packets were lost', repeated(3, { ...overWindow, network: { retransmits: 1 } })],
  ['flight_over_window', 'segments came out of order', repeated(3, { ...overWindow, network: { outOfOrder: 2 } })],
  ['flight_over_window', 'the handshake was resumed', repeated(3, { ...overWindow, tls: { resumed: true } })],
  ['flight_over_window', 'Nagle held it back', repeated(3, { ...overWindow, ...heldBack })],
  ['flight_over_window', 'the window is what is small', repeated(3, ofWindow(3))],
  ['flight_over_window', 'the prober was delayed', repeated(3, { ...overWindow, prober: { clean: false } })],
  [
    'nagle',
    'the pause comes after full segments',
    repeated(3, { roundTrips: { waits: [waitOf({ heldBy: 'nagle', afterBytes: 10 * 1_448 })] } }),
  ],
  ['small_window', 'packets were lost', repeated(3, { ...ofWindow(3), network: { retransmits: 1 } })],
  [
    'small_window',
    'the path loses packets now and then',
    [...repeated(10, ofWindow(3)), adviseResult({ ...ofWindow(3), network: { retransmits: 1 } })],
  ],
  [
    'small_window',
    'the round-trip time rises',
    [30, 30, 30, 55, 60, 70].map((rttMs) => adviseResult({ ...ofWindow(3), rttMs })),
  ],
  ['small_window', 'it holds 10 segments', repeated(3, ofWindow(10))],
  [
    'small_window',
    'nothing larger was sent',
    repeated(3, { roundTrips: { serverWindow: { segments: 3, bytes: 3_900, exact: false } } }),
  ],
  [
    'small_window',
    'as large a flight came without a pause as often',
    [...repeated(1, ofWindow(3)), ...repeated(2, { ...ofWindow(3), roundTrips: { serverWindow: null } })],
  ],
  [
    'small_window',
    'as large an answer came without a pause as often',
    [
      ...repeated(1, {
        roundTrips: {
          ...ofWindow(3).roundTrips,
          waits: [waitOf({ phase: 'firstByte', afterBytes: 4_344, segments: 3 })],
        },
      }),
      ...repeated(2, { roundTrips: { serverWindow: null } }),
    ],
  ],
  [
    'record_over_window',
    'it is a big download',
    repeated(3, { ...largeRecord, http: { ...largeRecord.http, bytes: 2_000_000 } }),
  ],
  [
    'record_over_window',
    'the download was cut at the limit',
    repeated(3, { ...largeRecord, http: { ...largeRecord.http, bodyCut: { by: 'limit', expectedBytes: null } } }),
  ],
  ['record_over_window', 'the processor is busy', repeated(3, { ...largeRecord, handshake: { workMs: 40 } })],
  [
    'record_over_window',
    'the body fits the window',
    repeated(3, { ...largeRecord, http: { ...largeRecord.http, bytes: 9_000 } }),
  ],
  [
    'record_over_window',
    'the pause is the delay of the prober',
    repeated(3, { ...largeRecord, prober: { lateMs: 25 } }),
  ],
  [
    'record_over_window',
    'the record is small',
    repeated(3, { ...largeRecord, http: { ...largeRecord.http, firstBodyRecordBytes: 2_000 } }),
  ],
  [
    'record_over_window',
    'Nagle held it back',
    repeated(3, {
      ...largeRecord,
      roundTrips: { waits: [waitOf({ phase: 'firstByte', heldBy: 'nagle', afterBytes: 4_096 })] },
    }),
  ],
  [
    'tiny_records',
    'each piece of a stream is awaited',
    repeated(3, {
      ...tiny,
      marks: { total: 94 + 2 * 100 },
      roundTrips: {
        waits: [1, 2].map((each) => waitOf({ phase: 'download', heldBy: 'unknown', afterBytes: each * 100 })),
      },
    }),
  ],
  [
    'tiny_records',
    'its pieces come without a wait of a round trip between them',
    repeated(3, { ...tiny, marks: { total: 94 + 40 }, roundTrips: {} }),
  ],
  ['tiny_records', 'there are few, and none waited', repeated(3, { http: { bytes: 900, records: 4 } })],
  ['body_over_window', 'it is a file', repeated(3, { ...bodyWaits, url: 'https://a.example/film.mp4' }), asked],
  ['body_over_window', 'it is a big download', repeated(3, { ...bodyWaits, http: { bytes: 2_000_000 } }), asked],
  ['body_over_window', 'we did not ask for compression', repeated(3, bodyWaits), { settings: { compression: false } }],
  [
    'hello_retry',
    'the check offers few groups',
    repeated(3, { tls: { helloRetry: true }, hellos: { offeredGroups: ['secp384r1'] } }),
  ],
  ['no_post_quantum', 'latency is asked about', repeated(3, { tls: { group: 'X25519' } })],
  [
    'no_post_quantum',
    'we offered none',
    repeated(3, { tls: { group: 'X25519' }, hellos: { offeredGroups: ['X25519'] } }),
    { notices: true },
  ],
  [
    'no_resumption',
    'sessions are taken back',
    [...repeated(3), ...repeated(3, { variant: 'resumed', tls: { resumed: true } })],
  ],
  ['no_resumption', 'the probe ended before tickets could come', repeated(3, { tls: { session: undefined } })],
  ['early_data', 'advice for today is asked for', repeated(3, { tls: ticket(0) })],
  [
    'staple_missing',
    'the certificate names no responder',
    repeated(3, { staple: { status: 'missing' } }),
    { notices: true },
  ],
  [
    'staple_missing',
    'nothing demands a staple',
    repeated(3, { certificate: withResponder, staple: { status: 'missing' } }),
  ],
  [
    'staple_missing',
    'two handshakes lacked it',
    repeated(2, { certificate: mustStaple, staple: { status: 'missing' } }),
  ],
  [
    'staple_missing',
    'the first handshake after a start lacked it',
    [
      adviseResult({ certificate: mustStaple, staple: { status: 'missing' } }),
      ...repeated(5, { certificate: mustStaple, staple: { status: 'good' } }),
    ],
  ],
  [
    'staple_stale',
    'the staple is good',
    repeated(3, { certificate: withResponder, staple: { status: 'good', bytes: 900 } }),
  ],
  ['staple_stale', 'the certificate names no responder', repeated(3)],
  ['large_rsa_key', 'the key has 2,048 bits', repeated(3, { certificate: { keyType: 'rsa', keyBits: 2_048 } })],
  ['large_rsa_key', 'the check asks for RSA', repeated(3, { certificate: largeKey }), { settings: { sigalgs: 'RSA' } }],
  [
    'large_rsa_key',
    'clients that know ECDSA get it',
    [...repeated(3, { certificate: largeKey }), adviseResult({ variant: 'ecdsa' })],
  ],
  ['no_http2', 'it is an API of single requests', repeated(3, { http: { version: '1.1' } }), { client: 'api' }],
  [
    'no_http2',
    'the check does not offer it',
    repeated(3, { http: { version: '1.1' }, hellos: { offeredAlpn: ['http/1.1'] } }),
  ],
  [
    'no_keep_alive',
    'the connection was kept',
    [...repeated(3), ...repeated(3, { variant: 'reuse', phases: { tcp: 0, tls: 0 } })],
  ],
  ['redirect', 'it leads to a sign-in', repeated(3, { http: { status: 302, location: 'https://login.a.example/' } })],
  ['redirect', 'it leads to a language', repeated(3, { http: { status: 302, location: '/zh-CN/' } })],
  [
    'redirect',
    'it leads to the host of a language',
    repeated(3, { http: { status: 302, location: 'https://de.a.example/' } }),
  ],
  ['no_http3', 'UDP was not measured', repeated(3, { http: { altSvc: null } })],
  ['slow_dns', 'a lookup takes less than a round trip or 50 ms', dnsAt(['telecom', 'mobile'], 45)],
  ['slow_dns', 'one carrier alone is slow', [...dnsAt(['telecom'], 400), ...dnsAt(['mobile', 'unicom'], 5)]],
  ['slow_dns', 'one carrier alone is measured', dnsAt(['telecom'], 400)],
  ['far_away', 'a single vantage is far', [...spread(30, 4, 'CN-SH'), ...spread(90, 1, 'CN-XJ')]],
  ['far_away', 'it is less than 30 ms over the median', [...spread(30, 4, 'CN-SH'), ...spread(55, 2, 'CN-XJ')]],
  ['certificate_expiry', 'a private one of ten years ends in three', repeated(3, expiring(2_555, 1_095))],
  ['certificate_expiry', 'it has ended', repeated(3, expiring(93, -3))],
  ['certificate_expiry', 'more than a third of a short lifetime is left', repeated(3, expiring(3.9, 2.1))],
  [
    'certificate_expiry',
    'it was replaced meanwhile',
    [...repeated(3, expiring(88, 2)), adviseResult({ startedAt: '2026-11-21T09:00:00.000Z' })],
  ],
  ['chain_problem', 'the chain could not be read', repeated(3, { certificate: { sent: null } })],
];

describe('advice is given', () => {
  it.each(GIVEN)('%s: %s', (code, _when, results, expected, options) => {
    expect(trips(code, results, options)).toEqual(expected);
  });

  it('large_rsa_key: milliseconds of the server’s work, no more than it took', () => {
    const savedWith = (workMs: number) =>
      find('large_rsa_key', repeated(3, { certificate: largeKey, handshake: { workMs } })).savesMs.handshake;
    expect([savedWith(9), savedWith(3)]).toEqual([4.4, 3]);
    expect(find('large_rsa_key', repeated(3, { certificate: largeKey })).roundTrips).toBe(0);
  });

  it('slow_dns: what lookups take over the quickest ones, where several carriers are slow', () => {
    const found = find('slow_dns', dnsAt(['telecom', 'mobile'], 400));
    expect(found.savesMs).toEqual({ handshake: 396, firstUsable: 396, firstBody: 396, total: 396 });
  });

  it('far_away: each round trip of a visit is shorter at the country’s median', () => {
    const found = find('far_away', [...spread(30, 4, 'CN-SH'), ...spread(90, 2, 'CN-XJ')]);
    // Connect, TLS and answer, 60 ms each, at two of six vantages.
    expect(found.vantages.map(({ savesMs }) => savesMs.total)).toEqual([180, 180]);
    expect(found.savesMs.total).toBe(60);
  });

  it('redirect: a lookup of the other name as well', () => {
    expect(find('redirect', repeated(3, { ...elsewhere, phases: { dns: 12 } })).savesMs.total).toBe(106);
  });

  it('certificate_expiry: a warning from a third of the lifetime left, critical from a sixth, whatever the days', () => {
    const severityOf = (since: number, left: number) =>
      find('certificate_expiry', repeated(1, expiring(since, left))).severity;
    expect(severityOf(61, 29)).toBe('warning');
    expect(severityOf(180, 20)).toBe('critical');
    expect(severityOf(4.1, 1.9)).toBe('warning');
    expect(severityOf(5.5, 0.5)).toBe('critical');
  });

  it('chain_problem: critical without the intermediate, information of what is sent in vain', () => {
    const severityOf = (...problem: Parameters<typeof withProblem>) =>
      find('chain_problem', repeated(1, withProblem(...problem))).severity;
    expect(severityOf('missing_intermediate')).toBe('critical');
    expect(severityOf('wrong_order')).toBe('warning');
    expect(severityOf('root_sent')).toBe('info');
  });

  it.each([
    ['the first', false],
    ['the last', true],
  ])('certificate_expiry and chain_problem: of nodes that differ the worst, be it that of %s vantages', (_, last) => {
    const seenBy = (worst: Changed, better: Changed) => {
      const seen = [...Array<Changed>(4).fill(worst), ...Array<Changed>(6).fill(better)];
      return (last ? seen.toReversed() : seen).flatMap((changed, index) =>
        repeated(1, { ...changed, vantage: vantageAt('CN-BJ', 'telecom', index + 1) }),
      );
    };
    const ends = find('certificate_expiry', seenBy(expiring(87, 3), expiring(65, 25)));
    expect(ends).toMatchObject({ severity: 'critical', values: { days: 3 }, shown: { vantages: 10 } });
    const sooner = find('certificate_expiry', seenBy(expiring(87, 3), expiring(80, 10)));
    expect(sooner.values.days).toBe(3);
    const chain = find('chain_problem', seenBy(withProblem('missing_intermediate'), withProblem('root_sent')));
    expect(chain).toMatchObject({ severity: 'critical', values: { problem: 'missing_intermediate' } });
  });
});

describe('advice is not given', () => {
  it.each(NEVER)('%s where %s', (code, _when, results, options) => {
    expect(codesOf(results, options)).not.toContain(code);
  });

  it('has a test of each row of the table', () => {
    const apart: AdviceCode[] = ['large_rsa_key', 'slow_dns', 'far_away'];
    const given = new Set([...GIVEN.map(([code]) => code), ...apart]);
    const never = new Set(NEVER.map(([code]) => code));
    expect({ given: given.size, never: never.size }).toEqual({ given: 24, never: 24 });
  });
});
