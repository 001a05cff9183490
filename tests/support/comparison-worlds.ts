import { Random } from '#analysis/synthetic/random.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { WEDNESDAY } from './instants.ts';
import { makeResult } from './results.ts';
import { makeVantage } from './vantages.ts';

const MINUTE = 60_000;

/** What a server does for a probe: round trips of each phase, its own work (ms) in each of the two last, and how it is set. */
export type WorldServer = { tls: number; firstByte: number; download: number; workMs: number; tls12?: boolean };

/** A region, a carrier, and the RTT (ms) when the network is idle. */
export type WorldPlace = { region: string; carrier: string; rttMs: number };

export type World = {
  seed: number;
  places: readonly WorldPlace[];
  /** How the server that a probe meets is set, minutes since the change. */
  serverAt: (minute: number, random: Random, place: WorldPlace) => WorldServer;
  /** What each round trip takes longer, ms: the mean of a queue. `jitter` is the share of it that differs from trip to trip. */
  queueAt?: (place: WorldPlace, minute: number) => number;
  jitter?: number;
  /** Deviation of a disturbance of all probes of the server alike, and of the RTT of each vantage, ms, and how long it lasts, minutes. */
  serverDriftMs?: number;
  rttDriftMs?: number;
  driftMinutes?: number;
  /** Share of the offered sessions that the server takes; there are no resumed handshakes where it is left out. */
  resumesAt?: (minute: number) => number;
  /** Whether results count their round trips. */
  counted?: boolean;
  minutes?: number;
};

export const TLS13: WorldServer = { tls: 1, firstByte: 1, download: 1, workMs: 3 };
export const TLS12: WorldServer = { ...TLS13, tls: 2, tls12: true };

const REGIONS = ['CN-BJ', 'CN-SH', 'CN-GD', 'CN-SC', 'CN-XJ'] as const;
const CARRIERS = ['telecom', 'mobile', 'unicom'] as const;

/** Five regions on three carriers, Unicom's the farthest. */
export const FIFTEEN: readonly WorldPlace[] = CARRIERS.flatMap((carrier, c) =>
  REGIONS.map((region, r) => ({ region, carrier, rttMs: 8 + 11 * r + 14 * c })),
);

/** So many vantages on different carriers. */
export const fewPlaces = (count: number): WorldPlace[] =>
  Array.from({ length: count }, (_, i) => ({
    region: REGIONS[i % REGIONS.length] as string,
    carrier: CARRIERS[i % CARRIERS.length] as string,
    rttMs: 12 + 17 * i,
  }));

/** The instant of the change; as many minutes of results lie before as after it. */
export const WORLD_CHANGED_AT = WEDNESDAY;

/** Results of a world, a probe a minute and vantage, with the resumed handshakes that follow. Of one seed they are always the same. */
export function worldResults(world: World, targetId: string): { vantages: VantageRef[]; results: StorableResult[] } {
  const { seed, places, serverAt, minutes = 20, resumesAt, driftMinutes = 30 } = world;
  const random = new Random(seed);
  const vantages = places.map(({ region, carrier }) => makeVantage(region, carrier));
  const kept = Math.exp(-1 / driftMinutes);
  const wander = (value: number) => kept * value + Math.sqrt(1 - kept * kept) * random.normal();
  let disturbed = random.normal();
  const moved = places.map(() => random.normal());
  const results: StorableResult[] = [];
  for (let minute = -minutes; minute < minutes; minute++) {
    disturbed = wander(disturbed);
    for (const [v, place] of places.entries()) {
      moved[v] = wander(moved[v] as number);
      const vantage = vantages[v] as VantageRef;
      const startedAt = WORLD_CHANGED_AT + minute * MINUTE + v * 500;
      const rttMs = place.rttMs + Math.max(0, (world.rttDriftMs ?? 0) * (1 + (moved[v] as number)));
      const server = serverAt(minute, random, place);
      const workMs = server.workMs + Math.max(0, (world.serverDriftMs ?? 0) * (1 + disturbed));
      const made = { targetId, vantage, startedAt, server: { ...server, workMs }, rttMs };
      const main = resultOf(world, made, place, minute, random, true);
      results.push(main);
      if (!resumesAt) continue;
      const resumed = random.chance(resumesAt(minute));
      const trips = resumed ? 1 : server.tls;
      const next = { ...made, startedAt: startedAt + 250, server: { ...made.server, tls: trips } };
      const follower = resultOf(world, next, place, minute, random, !resumed);
      results.push({ ...follower, variant: 'resumed', mainId: main.id });
    }
  }
  return { vantages, results };
}

type Made = { targetId: string; vantage: VantageRef; startedAt: number; server: WorldServer; rttMs: number };

function resultOf(
  { queueAt, jitter = 0, counted = true }: World,
  { server, rttMs, ...made }: Made,
  place: WorldPlace,
  minute: number,
  random: Random,
  isFull: boolean,
): StorableResult {
  const queue = queueAt?.(place, minute) ?? 0;
  const queues: number[] = [];
  const trip = () => {
    const waits = queue * (1 - jitter + (jitter > 0 ? random.exponential(jitter) : 0));
    queues.push(waits);
    return rttMs + waits;
  };
  const noise = () => Math.abs(0.4 * random.normal()) * (random.chance(0.03) ? 20 : 1);
  const phase = (trips: number, workMs: number) =>
    Array.from({ length: trips }, trip).reduce((sum, each) => sum + each, 0) + workMs + noise();
  const [tcp, tls] = [phase(1, 0), phase(server.tls, 1)];
  const [firstByte, download] = [phase(server.firstByte, server.workMs), phase(server.download, 0.2)];
  const base = makeResult({ ...made, tls });
  const at = (ms: number) => Math.round((1 + ms) * 1_000) / 1_000;
  const marks = {
    namelookup: 1,
    connect: at(tcp),
    appconnect: at(tcp + tls),
    pretransfer: at(tcp + tls),
    starttransfer: at(tcp + tls + firstByte),
    firstBody: at(tcp + tls + firstByte),
    total: at(tcp + tls + firstByte + download),
  };
  const old = server.tls12 ? { version: 'TLSv1.2', cipher: 'ECDHE-ECDSA-AES128-GCM-SHA256', group: 'X25519' } : {};
  const took = (trips: number) => ({ took: trips, expected: trips });
  return {
    ...base,
    phases: { dns: 1, tcp, tls, firstByte, firstBody: firstByte, download, total: marks.total },
    marks,
    network: { ...base.network, minRttMs: rttMs + Math.min(...queues), rttMs: tcp },
    tls: base.tls && { ...base.tls, ...old, resumed: !isFull, ...(isFull ? {} : { certificate: null }) },
    roundTrips: counted
      ? {
          ...{ tcp: took(1), tls: took(server.tls), firstPacket: took(1), firstByte: took(server.firstByte) },
          ...{ firstBody: took(server.firstByte), download: { took: server.download, expected: 0 }, waits: [] },
        }
      : null,
  };
}
