import { describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import { findingsOf } from '#probe/findings/findings.ts';
import { type Flights, flightsOf } from '#probe/round-trips/flights.ts';
import { adviseResult, type Changed } from '../../support/advised.ts';

const NOW = '2026-11-21T08:00:00.000Z';
type Tls = NonNullable<Result['tls']>;
type Certificate = NonNullable<Tls['certificate']>;

const certificate: Certificate = {
  subject: 'CN=a.example',
  issuer: 'CN=Issuer',
  notBefore: '2026-10-01T00:00:00.000Z',
  notAfter: '2027-02-01T00:00:00.000Z',
  sha256: 'ab'.repeat(32),
  keyType: 'ec',
  keyBits: 256,
  names: ['a.example'],
  chainLength: 2,
  chainBytes: 20_000,
  verified: true,
  mustStaple: false,
  ocspUrl: null,
};

/** Without what the kernel says. */
const network = { minRttMs: null, retransmits: null, sndCwnd: null, synRetransmits: null, outOfOrder: null };
const resultWith = (tls: Partial<Tls>, http: Changed['http'] = {}): Result =>
  adviseResult({ rttMs: 28, startedAt: NOW, network, tls: { certificate, ...tls }, http });

/** Server bytes arriving after a ClientHello at 0: pairs of instant and size. */
function arriving(...chunks: [number, number][]): Flights | null {
  const seen = chunks.map(([at, bytes]) => ({ direction: 'in' as const, at, bytes }));
  return flightsOf([{ direction: 'out', at: 0, bytes: 300 }, ...seen], 28, Number.POSITIVE_INFINITY);
}

const codesOf = (result: Result, flights = arriving([28, 3_000])) =>
  findingsOf(result, flights).map(({ code }) => code);
const staple = (status: Tls['staple']['status']) => ({ ...resultWith({}).tls?.staple, status }) as Tls['staple'];

describe('findings', () => {
  it('are none for a server in order', () => {
    expect(codesOf(resultWith({}))).toEqual([]);
  });

  it('show a chain that exceeds the window, by the pause the records show', () => {
    const [finding] = findingsOf(resultWith({}), arriving([28, 14_600], [56, 5_400]));
    expect(finding).toMatchObject({ code: 'chain_exceeds_window', savesRoundTrips: 1, savesMs: 28 });
    expect(finding?.evidence).toContain('after 14600 bytes');
    expect(finding?.evidence).toContain('consistent with');
  });

  it('do not blame the chain where nothing paused, or where the pause is none of a window', () => {
    expect(codesOf(resultWith({}), arriving([28, 14_600], [28.2, 5_400]))).toEqual([]);
    expect(codesOf(resultWith({}), arriving([28, 1_200], [56, 3_000]))).toEqual(['extra_round_trip']);
    expect(codesOf(resultWith({}), arriving([28, 14_600], [120, 5_400]))).toEqual(['extra_round_trip']);
  });

  it('name lost packets, and then blame no pause on the window', () => {
    expect(codesOf(resultWith({}), arriving([28, 14_600], [260, 5_400]))).toEqual(['loss']);
    const kernel = { minRttMs: 28, synRetransmits: 0, retransmits: 0, outOfOrder: 3 };
    const result = resultWith({});
    const lossy = { ...result, network: { ...result.network, ...kernel } };
    expect(codesOf(lossy, arriving([28, 4_000], [56, 5_400]))).toEqual(['loss']);
  });

  it('name packets that were lost before there was a connection', () => {
    const failure = { phase: 'tcp', reason: 'tcp_timeout', source: 'target', message: 'not over' } as const;
    const failed = { ...resultWith({}), ok: false, failure, tls: null, http: null };
    const repeated = { ...failed.network, synRetransmits: 2, retransmits: 2 };
    expect(codesOf({ ...failed, network: repeated }, null)).toEqual(['loss']);
    expect(codesOf(failed, null)).toEqual([]);
    expect(codesOf({ ...failed, network: repeated, failure: { ...failure, phase: 'dns' } }, null)).toEqual([]);
  });

  it('say what TLS 1.2 costs, but not of a resumed handshake', () => {
    const handshake = { ...resultWith({}).tls?.handshake, expectedRoundTrips: 2 } as Tls['handshake'];
    expect(codesOf(resultWith({ version: 'TLSv1.2', handshake }))).toEqual(['tls12_full_handshake']);
    expect(codesOf(resultWith({ version: 'TLSv1.2', handshake, resumed: true }))).toEqual([]);
  });

  it('flag a ratio that cannot be instead of counting by it', () => {
    const codes = codesOf(resultWith({ version: 'TLSv1.3' }), arriving([400, 3_000], [440, 3_000]));
    expect(codes).toEqual(['implausible_ratio']);
  });

  it.each([
    ['stale', 'staple_stale'],
    ['missing', 'staple_missing'],
    ['invalid', 'staple_invalid'],
    ['malformed', 'staple_invalid'],
    ['revoked', 'staple_revoked'],
  ] as const)('name a staple that is %s', (status, code) => {
    expect(codesOf(resultWith({ staple: staple(status) }))).toEqual([code]);
  });

  it('are critical where the certificate demands a staple', () => {
    const demanding = { certificate: { ...certificate, mustStaple: true }, staple: staple('missing') };
    const found = findingsOf(resultWith(demanding), arriving([28, 3_000]));
    expect(found.map(({ code, severity }) => [code, severity])).toEqual([
      ['staple_missing', 'critical'],
      ['must_staple_violated', 'critical'],
    ]);
  });

  it.each([
    // Seen on 2026-11-21 at 8: of these lifetimes are left
    ['a third of 90 days and some', '2026-09-25', '2026-12-24', undefined],
    ['a little less than a third of 90 days', '2026-09-21', '2026-12-20', 'warning'],
    ['less than a sixth of 90 days', '2026-09-05', '2026-12-04', 'critical'],
    ['three of six days', '2026-11-18', '2026-11-24', undefined],
    ['less than two of six days', '2026-11-16', '2026-11-22', 'critical'],
    ['half a year of ten, taken for 398 days', '2017-05-20', '2027-05-20', undefined],
    ['four months of ten years', '2017-03-20', '2027-03-20', 'warning'],
  ])('judge an expiry by the share of the lifetime: %s', (_, notBefore, notAfter, severity) => {
    const instant = (day: string) => `${day}T00:00:00.000Z`;
    const dated = { ...certificate, notBefore: instant(notBefore), notAfter: instant(notAfter) };
    const [finding] = findingsOf(resultWith({ certificate: dated }), arriving([28, 3_000]));
    expect(finding?.severity).toBe(severity);
    expect(finding?.code).toBe(severity && 'cert_expires_soon');
  });

  it('take a missing staple for information, unless the certificate demands one', () => {
    const [finding] = findingsOf(resultWith({ staple: staple('missing') }), arriving([28, 3_000]));
    expect(finding).toMatchObject({ code: 'staple_missing', severity: 'info' });
  });

  it.each([
    ['RSA', 'TLS_RSA_WITH_AES_128_GCM_SHA256', 'h2', 'key exchange RSA'],
    ['ECDHE', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'h2', 'cipher TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA'],
    ['ECDHE', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', null, 'no ALPN'],
  ] as const)('say why browsers cannot start early: %s, %s, ALPN %s', (keyExchange, cipher, alpn, reason) => {
    const handshake = { ...resultWith({}).tls?.handshake, expectedRoundTrips: 2 } as Tls['handshake'];
    const tls = { version: 'TLSv1.2', handshake, keyExchange, cipher, alpn, falseStart: false };
    const found = findingsOf(resultWith(tls), arriving([28, 3_000]));
    expect(found.map(({ code }) => code)).toEqual(['tls12_full_handshake', 'no_false_start']);
    expect(found[1]?.evidence).toContain(reason);
    expect(found[1]).toMatchObject({ savesRoundTrips: 1, values: { keyExchange } });
  });

  it('say that browsers gain nothing by TLS 1.3 where they can start early', () => {
    const handshake = { ...resultWith({}).tls?.handshake, expectedRoundTrips: 2 } as Tls['handshake'];
    const found = findingsOf(resultWith({ version: 'TLSv1.2', handshake, falseStart: true }), arriving([28, 3_000]));
    expect(found).toMatchObject([{ code: 'tls12_full_handshake', values: { falseStart: 'yes' } }]);
    expect(found[0]?.evidence).toContain('gain none');
  });

  it('mention HTTP/1.1 only where HTTP/2 was offered', () => {
    const result = resultWith({}, { version: '1.1' });
    expect(findingsOf(result, null, true).map(({ code }) => code)).toEqual(['http1_only']);
    expect(findingsOf(result, null, false)).toEqual([]);
  });
});
