import type { Result } from '#contract/result.ts';
import type { ResultTls } from '#contract/tls.ts';

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

/** What engine 2 tells beyond engine 1, of a healthy handshake over a line with this round-trip time (ms). */
export function withEngineTwo<Made extends Result>(result: Made, rtt: number): Made {
  const { network, tls, http, prober } = result;
  return {
    ...result,
    engineVersion: 2,
    variant: 'main',
    mainId: null,
    network: { ...network, rttMs: rtt, synRetransmits: 0, segmentsIn: 14, segmentsOut: 11, outOfOrder: 0 },
    tls: tls && {
      ...tls,
      certificate: tls.certificate && {
        ...tls.certificate,
        signature: 'ecdsa_secp256r1_sha256',
        sent: CHAIN,
      },
      hellos: HELLOS,
      session: { tickets: 2, lifetimeSeconds: 86_400, earlyDataBytes: 0 },
    },
    http: http && { ...http, firstPacketMs: rtt, firstUsableMs: Math.round((rtt + 0.21) * 1_000) / 1_000 },
    roundTrips: {
      tcp: { took: 1, expected: 1 },
      tls: { took: 1, expected: 1 },
      firstByte: { took: 1, expected: 1 },
      firstPacket: { took: 1, expected: 1 },
      waits: [],
    },
    prober: { ...prober, lateMs: 0.08, stampedBy: 'watcher' },
  };
}
