import { v7 } from 'uuid';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { insertBatch } from '#server/results/insert.ts';
import { asEngineThree } from './engine-three.ts';

/** Where and when a made result belongs; `tls` in ms. */
export type MadeFrom = { targetId: string; vantage: VantageRef; startedAt: number; tls?: number };

const SHA256 = '5f'.repeat(32);

/** A healthy Result as the engine sends it, wire records and all; the times follow `tls` (ms). */
export function makeResult({ targetId, vantage, startedAt, tls = 29.031 }: MadeFrom): StorableResult {
  const rtt = thousandth(tls * 0.97);
  const connect = thousandth(1.2 + rtt);
  const appconnect = thousandth(connect + tls);
  const starttransfer = thousandth(appconnect + rtt + 0.4);
  const made: StorableResult = {
    id: v7({ msecs: startedAt }),
    engineVersion: 1,
    url: 'https://shop.example.org/',
    targetId,
    vantage,
    demo: false,
    startedAt: new Date(startedAt).toISOString(),
    ok: true,
    failure: null,
    phases: {
      dns: 1.2,
      tcp: rtt,
      tls: thousandth(tls),
      firstByte: thousandth(rtt + 0.3),
      download: 0.312,
      total: thousandth(starttransfer + 0.312),
    },
    marks: {
      namelookup: 1.2,
      connect,
      appconnect,
      pretransfer: thousandth(appconnect + 0.1),
      starttransfer,
      total: thousandth(starttransfer + 0.312),
    },
    network: {
      peerAddress: '203.0.113.7',
      peerPort: 443,
      localAddress: '192.0.2.10',
      localPort: 32_768 + (startedAt % 28_000),
      family: 4,
      resolver: '192.0.2.53',
      minRttMs: rtt,
      retransmits: 0,
      sndCwnd: 10,
    },
    tls: madeTls(tls, rtt, connect),
    http: {
      version: '2',
      status: 200,
      bytes: 20_480,
      firstRecordBytes: 4_096,
      maxRecordBytes: 16_384,
      records: 5,
      server: 'nginx',
    },
    prober: { loopDelayMs: 0.31, inFlight: 4, clean: true },
    findings: [],
  };
  return asEngineThree(made, rtt);
}

function madeTls(tls: number, rtt: number, connect: number): StorableResult['tls'] {
  return {
    version: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    group: 'X25519MLKEM768',
    alpn: 'h2',
    resumed: false,
    helloRetry: false,
    handshake: {
      roundTrips: 1,
      expectedRoundTrips: 1,
      rttRatio: thousandth(tls / rtt),
      wireMs: thousandth(tls - 0.6),
      localMs: 0.512,
      flights: 1,
      records: 6,
      bytesIn: 2_890,
      bytesOut: 1_700,
    },
    certificate: {
      subject: 'CN=shop.example.org',
      issuer: "C=US, O=Let's Encrypt, CN=E7",
      notBefore: '2026-10-01T00:00:00.000Z',
      notAfter: '2026-12-30T00:00:00.000Z',
      sha256: SHA256,
      keyType: 'ec',
      keyBits: 256,
      names: ['shop.example.org', 'www.shop.example.org'],
      chainLength: 2,
      chainBytes: 2_410,
      verified: true,
      mustStaple: false,
      ocspUrl: null,
    },
    staple: { status: 'not_applicable', producedAt: null, thisUpdate: null, nextUpdate: null, bytes: 0 },
    wire: [
      { atMs: thousandth(connect + 0.2), direction: 'out', type: 'handshake', bytes: 1_519 },
      { atMs: thousandth(connect + rtt), direction: 'in', type: 'handshake', bytes: 1_215 },
      { atMs: thousandth(connect + rtt + 0.05), direction: 'in', type: 'change_cipher_spec', bytes: 6 },
      { atMs: thousandth(connect + rtt + 0.06), direction: 'in', type: 'application_data', bytes: 41 },
      { atMs: thousandth(connect + rtt + 0.07), direction: 'in', type: 'application_data', bytes: 2_478 },
      { atMs: thousandth(connect + rtt + 0.11), direction: 'in', type: 'application_data', bytes: 281 },
      { atMs: thousandth(connect + rtt + 0.9), direction: 'out', type: 'application_data', bytes: 90 },
    ],
  };
}

function thousandth(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

const ANY_NUMBER = { strings: Number.POSITIVE_INFINITY, certificates: Number.POSITIVE_INFINITY };

/** Stores results as ingest does, without its limits; says how many were new, and throws where one can't be stored. */
export async function insertResults(results: StorableResult[]): Promise<{ accepted: number; duplicates: number }> {
  const { fresh, refused } = await insertBatch(results, { ...ANY_NUMBER });
  const [first] = refused.values();
  if (first) throw new Error(`a result ${first.message}`);
  return { accepted: fresh.length, duplicates: results.length - fresh.length };
}
