import { lookup, Resolver } from 'node:dns/promises';
import { connect as netConnect, type Socket } from 'node:net';
import { codeOf } from './failure.ts';
import { hostsFileAddresses } from './hosts-file.ts';
import type { Connection, Family, Network, Resolution, ResolvedAddress } from './interfaces.ts';

export type NetworkOptions = {
  /** Addresses of resolvers to ask instead of the system's. */
  servers?: string[];
};

/** How long one query waits for a resolver before it is sent again (ms); the phase's time-out bounds the whole. */
const QUERY_MS = 2_000;

/** The machine's own network: DNS by queries of our own, TCP by one connect to one address. */
export function systemNetwork(options: NetworkOptions = {}): Network {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 4 });
  if (options.servers) resolver.setServers(options.servers);
  return {
    resolve: (host, family, signal, onAsked = () => {}) =>
      unlessAborted(signal, resolve(resolver, host, family, onAsked)),
    connect: connectOnce,
  };
}

async function resolve(
  resolver: Resolver,
  host: string,
  family: Family | null,
  onAsked: (resolver: string) => void,
): Promise<Resolution> {
  const name = host.replace(/\.$/, '');
  const listed = hostsFileAddresses(name)
    .filter((each) => family === null || each.family === family)
    .sort((a, b) => a.family - b.family);
  if (listed.length > 0) return { addresses: listed, resolver: null };
  // Names without a dot, and localhost, follow the machine's search list, which only its own library knows.
  if (!host.includes('.') || /(^|\.)localhost$/.test(name)) return systemLookup(name, family);
  const [asked = null] = resolver.getServers();
  if (asked !== null) onAsked(asked);
  return { addresses: await query(resolver, host, family), resolver: asked };
}

async function systemLookup(host: string, family: Family | null): Promise<Resolution> {
  const found = await lookup(host, { family: family ?? 0, all: true });
  const addresses = found.map(
    ({ address, family: version }): ResolvedAddress => ({
      address,
      family: version === 6 ? 6 : 4,
    }),
  );
  return { addresses: addresses.sort((a, b) => a.family - b.family), resolver: null };
}

/** IPv4 first, and IPv6 where a name has no IPv4: most vantages have no IPv6, and a fixed order compares. */
async function query(resolver: Resolver, host: string, family: Family | null): Promise<ResolvedAddress[]> {
  if (family === 6) return labelled(await resolver.resolve6(host), 6);
  try {
    return labelled(await resolver.resolve4(host), 4);
  } catch (error) {
    if (family === 4 || codeOf(error) !== 'ENODATA') throw error;
    return labelled(await resolver.resolve6(host), 6);
  }
}

function labelled(addresses: string[], family: Family): ResolvedAddress[] {
  return addresses.map((address) => ({ address, family }));
}

function connectOnce(address: string, port: number, family: Family, signal: AbortSignal): Promise<Connection> {
  return new Promise((settle, reject) => {
    const socket = netConnect({ host: address, port, family, autoSelectFamily: false, noDelay: true });
    const abort = () => socket.destroy(new Error('the connect was given up'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', reject);
      // Between here and the tap nobody else listens, and an error without a listener would end the process.
      socket.on('error', () => {});
      settle(described(socket, family));
    });
  });
}

function described(socket: Socket, family: Family): Connection {
  return {
    stream: socket,
    peerAddress: socket.remoteAddress ?? null,
    peerPort: socket.remotePort ?? null,
    localAddress: socket.localAddress ?? null,
    localPort: socket.localPort ?? null,
    family,
  };
}

/** A query of the resolver cannot be taken back; its answer is then of no interest. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((settle, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the look-up was given up')), { once: true });
    work.then(settle, reject);
  });
}
