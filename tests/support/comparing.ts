import type { Posture, Sample } from '#analysis/comparison/sample.ts';
import { Random } from '#analysis/synthetic/random.ts';
import { WEDNESDAY } from './instants.ts';

export const MINUTE = 60_000;

/** A server as probes see it: round trips after the connect until each milestone, and ms of its own work. */
export type MadeServer = {
  handshake: number;
  firstUsable: number;
  firstBody: number;
  total: number;
  workMs: number;
  posture?: Partial<Posture>;
};

export const HEALTHY: MadeServer = { handshake: 1, firstUsable: 2, firstBody: 2, total: 2, workMs: 3 };

const POSTURE: Posture = {
  version: 'TLSv1.3',
  alpn: 'h2',
  group: 'X25519MLKEM768',
  helloRetry: 'no',
  cipher: 'TLS_AES_256_GCM_SHA384',
  keyExchange: 'ECDHE',
  keyType: 'ec 256',
  certificate: '5f5f',
  issuer: 'CN=E7',
  chainBytes: 2_410,
  certificateCompression: 'none',
  staple: 'none',
  resumed: 'no',
  tickets: 'tickets',
  recordBytes: 1_400,
  serverWindow: 10,
  nagle: 'no',
  encoding: 'none',
  keepAlive: 'yes',
  altSvc: 'none',
  server: 'nginx',
  peerAddress: '203.0.113.7',
};

const REGIONS = ['CN-BJ', 'CN-SH', 'CN-GD', 'CN-SC', 'CN-XJ', 'CN-HL', 'CN-YN', 'CN-ZJ', 'CN-HB', 'CN-SN'] as const;
const CARRIERS = ['telecom', 'unicom', 'mobile'] as const;

/** RTTs (ms) of vantages, spread over the country. */
export const RTTS = [12, 28, 41, 55, 76] as const;

export type MadeWorld = {
  seed: number;
  rtts?: readonly number[];
  /** Deviation of a result's own noise, ms. */
  noiseMs?: number;
  /** Deviation and length (ms) of what disturbs all vantages together, and each by itself. */
  driftMs?: number;
  driftLength?: number;
  everyMs?: number;
};

/**
 * Probes of a server from vantages with these RTTs, one every `everyMs` each: `serverAt` says how the server is set at a time.
 * Disturbances come and go (an autoregressive process), as a busy machine's or a queue's do.
 */
export function madeSamples(
  { seed, rtts = RTTS, noiseMs = 1, driftMs = 0, driftLength = 5 * MINUTE, everyMs = MINUTE }: MadeWorld,
  { from, to }: { from: number; to: number },
  serverAt: (at: number) => MadeServer,
): Sample[] {
  const random = new Random(seed);
  const kept = Math.exp(-everyMs / driftLength);
  const step = Math.sqrt(1 - kept * kept);
  const wander = (value: number) => kept * value + step * random.normal();
  let common = random.normal();
  const own = rtts.map(() => random.normal());
  const samples: Sample[] = [];
  for (let round = from; round < to; round += everyMs) {
    common = wander(common);
    for (const [v, rtt] of rtts.entries()) {
      own[v] = wander(own[v] as number);
      const at = round + Math.floor((everyMs * v) / rtts.length);
      if (at >= to) continue;
      const slow = driftMs * (common + (own[v] as number) / 2);
      samples.push(sampleAt(v, at, rtt, slow, noiseMs, serverAt(at), random));
    }
  }
  return samples;
}

function sampleAt(
  v: number,
  at: number,
  rtt: number,
  slow: number,
  noiseMs: number,
  server: MadeServer,
  random: Random,
): Sample {
  // Now and then one takes much longer.
  const noise = () => Math.abs(noiseMs * random.normal()) * (random.chance(0.03) ? 20 : 1);
  const tcp = rtt + noise();
  const reached = (trips: number) => tcp + trips * rtt + slow + noise();
  const handshake = reached(server.handshake);
  const firstUsable = reached(server.firstUsable) + server.workMs;
  const firstBody = Math.max(firstUsable, reached(server.firstBody) + server.workMs);
  const total = Math.max(firstBody, reached(server.total) + server.workMs) + 0.3;
  return {
    at,
    vantage: {
      id: `vantage-${v}`,
      name: `Vantage ${v}`,
      country: 'CN',
      region: REGIONS[v % REGIONS.length] as string,
      carrier: CARRIERS[Math.floor(v / REGIONS.length) % CARRIERS.length] as string,
    },
    milestones: { handshake, firstUsable, firstBody, total },
    phases: {
      dns: 1,
      tcp,
      tls: handshake - tcp,
      firstByte: firstUsable - handshake,
      firstBody: firstBody - handshake,
      download: total - firstUsable,
      total: total + 1,
    },
    rttMs: tcp,
    posture: { ...POSTURE, ...server.posture },
  };
}

/** When the change of a made comparison happens; windows lie on either side of it. */
export const CHANGED_AT = WEDNESDAY;
