import { v7 as uuidv7 } from 'uuid';
import type { Result, VantageRef, Wait } from '#contract/result.ts';
import { FEWEST_TRIPS } from './engine-three.ts';

type Tls = NonNullable<Result['tls']>;
type Certificate = NonNullable<Tls['certificate']>;
type Http = NonNullable<Result['http']>;
type Trips = NonNullable<Result['roundTrips']>;

/** What a Result of a well-set server is to be changed by. */
export type Changed = {
  rttMs?: number;
  engineVersion?: number;
  variant?: NonNullable<Result['variant']>;
  url?: string;
  ok?: boolean;
  startedAt?: string;
  vantage?: VantageRef | null;
  phases?: Partial<Result['phases']>;
  marks?: Partial<Result['marks']>;
  network?: Partial<Result['network']>;
  tls?: Partial<Tls>;
  handshake?: Partial<Tls['handshake']>;
  hellos?: Partial<NonNullable<Tls['hellos']>>;
  certificate?: Partial<Certificate>;
  staple?: Partial<Tls['staple']>;
  http?: Partial<Http>;
  roundTrips?: Partial<Trips>;
  prober?: Partial<Result['prober']>;
  findings?: Result['findings'];
};

/** When the Results of tests began: no rule looks at the clock. */
const STARTED_AT = '2026-11-21T08:00:00.000Z';
const DAY_MS = 86_400_000;

/** A vantage of a region and carrier; its number makes it another one. */
export function vantageAt(region: string, carrier = 'telecom', number = 1): VantageRef {
  const digits = String(number).padStart(12, '0');
  return {
    id: `00000000-0000-4000-8000-${digits}`,
    name: `${region} ${carrier} ${number}`,
    country: region.slice(0, 2),
    region,
    city: null,
    carrier,
    asn: null,
    access: 'idc',
  };
}

/** A Result of a well-set server (TLS 1.3, a small ECDSA chain, HTTP/2, a body that the window holds) at 30 ms, changed. */
export function adviseResult(changed: Changed = {}): Result {
  const rttMs = changed.rttMs ?? 30;
  const startedAt = changed.startedAt ?? STARTED_AT;
  const at = (days: number) => new Date(Date.parse(startedAt) + days * DAY_MS).toISOString();
  const tls: Tls = {
    version: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    group: 'X25519MLKEM768',
    alpn: 'h2',
    resumed: false,
    helloRetry: false,
    handshake: {
      roundTrips: 1,
      expectedRoundTrips: 1,
      rttRatio: 1,
      wireMs: rttMs + 1,
      localMs: 0.5,
      workMs: 1,
      flights: 1,
      records: 6,
      bytesIn: 3_900,
      bytesOut: 1_700,
      ...changed.handshake,
    },
    certificate: {
      subject: 'CN=a.example',
      issuer: 'CN=Issuer,O=Authority',
      notBefore: at(-10),
      notAfter: at(80),
      sha256: 'ab'.repeat(32),
      keyType: 'ec',
      keyBits: 256,
      names: ['a.example'],
      chainLength: 2,
      chainBytes: 2_000,
      verified: true,
      mustStaple: false,
      ocspUrl: null,
      sent: null,
      ...changed.certificate,
    },
    staple: {
      status: 'not_applicable',
      producedAt: null,
      thisUpdate: null,
      nextUpdate: null,
      bytes: 0,
      ...changed.staple,
    },
    hellos: {
      clientBytes: 1_700,
      offeredVersions: ['TLSv1.3', 'TLSv1.2'],
      offeredGroups: ['X25519MLKEM768', 'X25519', 'secp256r1'],
      keyShares: ['X25519MLKEM768', 'X25519'],
      offeredAlpn: ['h2', 'http/1.1'],
      serverLegacyVersion: 'TLSv1.2',
      ...changed.hellos,
    },
    session: { tickets: 2, lifetimeSeconds: 7_200, earlyDataBytes: 16_384 },
    keyExchange: 'ECDHE',
    falseStart: null,
    flightBytes: 3_900,
    certificateCompression: null,
    ...changed.tls,
  };
  const http: Http = {
    version: '2',
    status: 200,
    bytes: 9_000,
    firstRecordBytes: 157,
    maxRecordBytes: 4_118,
    records: 4,
    server: 'nginx/1.22.1',
    firstPacketMs: rttMs + 1,
    firstUsableMs: rttMs + 1,
    firstBodyPacketMs: rttMs + 1,
    firstBodyRecordBytes: 4_118,
    encoding: null,
    altSvc: 'h3=":443"; ma=86400',
    keepAlive: true,
    ...changed.http,
  };
  const result: Result = {
    id: uuidv7(),
    variant: changed.variant ?? 'main',
    engineVersion: changed.engineVersion ?? 3,
    url: changed.url ?? 'https://a.example/',
    targetId: null,
    vantage: changed.vantage ?? null,
    demo: false,
    startedAt,
    ok: changed.ok ?? true,
    failure: null,
    phases: {
      dns: 1,
      tcp: rttMs,
      tls: rttMs + 2,
      firstByte: rttMs + 1,
      firstBody: rttMs + 1,
      download: 1,
      total: 3 * rttMs + 5,
      ...changed.phases,
    },
    marks: {
      namelookup: 1,
      connect: 31,
      appconnect: 63,
      pretransfer: 63,
      starttransfer: 94,
      total: 95,
      ...changed.marks,
    },
    network: {
      peerAddress: '192.0.2.1',
      peerPort: 443,
      localAddress: null,
      localPort: null,
      family: 4,
      resolver: null,
      minRttMs: rttMs,
      retransmits: 0,
      sndCwnd: 10,
      synRetransmits: 0,
      outOfOrder: 0,
      mss: 1_448,
      ...changed.network,
    },
    tls,
    http,
    roundTrips: {
      ...FEWEST_TRIPS,
      ...changed.roundTrips,
    },
    prober: { loopDelayMs: 0, inFlight: 1, clean: true, lateMs: 0, ...changed.prober },
    findings: changed.findings ?? [],
  };
  return result;
}

/** So many Results of one kind. */
export const repeated = (count: number, changed: Changed = {}): Result[] =>
  Array.from({ length: count }, () => adviseResult(changed));

/** A pause of about a round trip in the server's bytes, as engine 3 judges it. */
export function waitOf(changed: Partial<Wait> = {}): Wait {
  return { phase: 'tls', atMs: 60, waitMs: 30, afterBytes: 14_480, segments: 10, heldBy: 'window', ...changed };
}
