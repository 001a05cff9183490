import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection, Family, Network, Resolution } from '#probe/network/network.ts';
import { Path } from './path.ts';
import { type LineConditions, pathBetween, type Site } from './places.ts';
import { heavyTailed, type Random } from './random.ts';

/** An origin of the demo as the emulated network sees it: a name, the real loopback port, and where it pretends to stand. */
export type Destination = { host: string; port: number; site: Site };

export type EmulatedNetworkOptions = {
  vantage: Site;
  destinations: readonly Destination[];
  random: Random;
  /** The path to an origin at this time (epoch ms); tests give a path without loss and jitter. */
  conditions?: (vantage: Site, origin: Site, atMs: number) => LineConditions;
  jitter?: boolean;
};

const LOOPBACK = '127.0.0.1';
/** What `resolver` says in a demo result: no resolver was asked. */
export const EMULATED_RESOLVER = 'emulated';
const SYN_TIMEOUT_MS = 1_000;
const CACHE_MISS = 0.04;

/**
 * A network in which only the demo's origins exist, as far away as they are from the vantage. A name takes the time of a
 * look-up, a connection one round trip (and a second more for a lost SYN), and its bytes go through an emulated path.
 */
export function emulatedNetwork(options: EmulatedNetworkOptions): Network {
  const { vantage, destinations, random, jitter = true, conditions = pathBetween } = options;
  const conditionsTo = (site: Site) => conditions(vantage, site, Date.now());

  async function resolve(host: string, family: Family | null, signal: AbortSignal): Promise<Resolution> {
    const destination = destinations.find((known) => known.host === host);
    const missMs = conditionsTo(destination?.site ?? vantage).rttMs * 1.5 + heavyTailed(random, 8, 0.8);
    const hitMs = heavyTailed(random, 2.5, 0.6);
    await wait(random() < CACHE_MISS ? missMs : hitMs, undefined, { signal });
    if (!destination || family === 6) throw systemError('getaddrinfo', 'ENOTFOUND', host);
    return { addresses: [{ address: LOOPBACK, family: 4 }], resolver: EMULATED_RESOLVER };
  }

  async function openPath(address: string, port: number, _family: Family, signal: AbortSignal): Promise<Connection> {
    const destination = destinations.find((known) => address === LOOPBACK && known.port === port);
    if (!destination) throw systemError('connect', 'EHOSTUNREACH', `${address}:${port}`);
    const { rttMs: baseMs, loss } = conditionsTo(destination.site);
    const rttMs = baseMs + (jitter ? heavyTailed(random, 0.2 + 0.02 * baseMs, 0.9) : 0);
    const far = connect({ host: LOOPBACK, port, noDelay: true });
    try {
      const [local] = await Promise.all([opened(far), wait(rttMs + synDelay(random, loss), undefined, { signal })]);
      const burstJitter = () => (jitter ? heavyTailed(random, 0.15, 0.8) : 0);
      const stream = new Path(far, { rttMs, lost: () => random() < loss, jitterMs: burstJitter });
      return { stream, peerAddress: address, peerPort: port, ...local, family: 4 };
    } catch (error) {
      far.destroy();
      throw error;
    }
  }

  return { resolve, connect: openPath };
}

/** A lost SYN or its lost answer is repeated after 1 s, then after 2 s more. */
function synDelay(random: Random, loss: number): number {
  const lost = () => random() < 2 * loss;
  if (!lost()) return 0;
  return lost() ? 3 * SYN_TIMEOUT_MS : SYN_TIMEOUT_MS;
}

/** The real socket's local end, once it is open. It opens at once: the emulated round trip is waited for beside it. */
function opened(socket: Socket): Promise<{ localAddress: string | null; localPort: number | null }> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      socket.on('error', () => {}); // until the path listens; its own handler speaks for later errors
      resolve({ localAddress: socket.localAddress ?? null, localPort: socket.localPort ?? null });
    });
  });
}

function systemError(syscall: string, code: string, subject: string): Error {
  return Object.assign(new Error(`${syscall} ${code} ${subject}`), { code, syscall });
}
