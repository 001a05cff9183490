import type { Result } from '#contract/result.ts';
import type { ResultTls } from '#contract/tls.ts';

/** The round trips of a fetch over TLS 1.3 with none to spare, from a server whose first window holds ten segments. */
export const FEWEST_TRIPS: NonNullable<Result['roundTrips']> = {
  tcp: { took: 1, expected: 1 },
  tls: { took: 1, expected: 1 },
  firstByte: { took: 1, expected: 1 },
  firstPacket: { took: 1, expected: 1 },
  firstBody: { took: 1, expected: 1 },
  download: { took: 0, expected: 0 },
  serverWindow: { segments: 10, bytes: 14_480, exact: true },
  waits: [],
};

const CHAIN: NonNullable<NonNullable<ResultTls['certificate']>['sent']> = {
  certificates: [
    {
      subject: 'CN=shop.example.org',
      issuer: "C=US, O=Let's Encrypt, CN=E7",
      notBefore: '2026-10-01T00:00:00.000Z',
      notAfter: '2026-12-30T00:00:00.000Z',
      sha256: '5f'.repeat(32),
      keyType: 'ec',
      keyBits: 256,
      bytes: 1_210,
    },
    {
      subject: "C=US, O=Let's Encrypt, CN=E7",
      issuer: 'C=US, O=Internet Security Research Group, CN=ISRG Root X1',
      notBefore: '2024-03-13T00:00:00.000Z',
      notAfter: '2027-03-12T23:59:59.000Z',
      sha256: '6e'.repeat(32),
      keyType: 'ec',
      keyBits: 384,
      bytes: 1_200,
    },
  ],
  messageBytes: 2_432,
  problems: [],
};

const HELLOS: NonNullable<ResultTls['hellos']> = {
  clientBytes: 1_514,
  offeredVersions: ['TLSv1.3', 'TLSv1.2'],
  offeredGroups: ['X25519MLKEM768', 'x25519', 'secp256r1', 'secp384r1'],
  keyShares: ['X25519MLKEM768', 'x25519'],
  offeredAlpn: ['h2', 'http/1.1'],
  serverLegacyVersion: 'TLSv1.2',
};

/** What engines 2 and 3 tell beyond engine 1, of a healthy handshake over a line with this round-trip time (ms). */
export function asEngineThree<Made extends Result>(result: Made, rtt: number): Made {
  const { phases, marks, network, tls, http, prober } = result;
  // The body's first record comes right behind that of the headers.
  const later = (ms: number | null) => (ms === null ? null : Math.round((ms + 0.05) * 1_000) / 1_000);
  return {
    ...result,
    engineVersion: 3,
    variant: 'main',
    mainId: null,
    phases: { ...phases, firstBody: later(phases.firstByte) },
    marks: { ...marks, firstBody: later(marks.starttransfer) },
    network: { ...network, rttMs: rtt, synRetransmits: 0, segmentsIn: 14, segmentsOut: 11, outOfOrder: 0, mss: 1_448 },
    tls: tls && {
      ...tls,
      handshake: { ...tls.handshake, workMs: 0.8 },
      certificate: tls.certificate && {
        ...tls.certificate,
        signature: 'ecdsa_secp256r1_sha256',
        sent: CHAIN,
      },
      hellos: HELLOS,
      session: { tickets: 2, lifetimeSeconds: 86_400, earlyDataBytes: 0 },
      keyExchange: 'ECDHE',
      falseStart: null,
      flightBytes: 2_890,
      certificateCompression: null,
    },
    http: http && {
      ...http,
      firstPacketMs: rtt,
      firstUsableMs: Math.round((rtt + 0.21) * 1_000) / 1_000,
      firstBodyPacketMs: rtt,
      firstBodyRecordBytes: 16_384,
      encoding: null,
      altSvc: 'h3=":443"; ma=86400',
      keepAlive: true,
      workMs: 0.4,
    },
    roundTrips: structuredClone(FEWEST_TRIPS),
    prober: { ...prober, lateMs: 0.08, stampedBy: 'watcher' },
  };
}
