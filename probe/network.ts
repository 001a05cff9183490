import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseResolver } from '#contract/resolver.ts';
import { codeOf } from './failure.ts';
import { hostsFileAddresses } from './hosts-file.ts';
import type { Family, Network, Resolution, ResolvedAddress } from './interfaces.ts';
import { connectTcp } from './tcp.ts';

export type NetworkOptions = {
  /** Addresses of resolvers to ask instead of the system's. */
  servers?: string[];
};

/** How long one query waits for a resolver before it is sent again (ms); the phase's time-out bounds the whole. */
const QUERY_MS = 2_000;

/** So many chosen resolvers are kept ready; a thread rarely asks more than a few. */
const KEPT = 64;

/** The machine's own network: DNS by queries of our own, TCP by one connect to one address. */
export function systemNetwork(options: NetworkOptions = {}): Network {
  const system = resolverOf(options.servers);
  const chosen = new ChosenResolvers();
  const resolve: Network['resolve'] = async (host, family, signal, onAsked = () => {}, resolver = null) => {
    const asked =
      resolver === null
        ? resolveAsSystem(system, host, family, onAsked)
        : ask(chosen.of(resolver), host, family, onAsked);
    return unlessAborted(signal, asked);
  };
  return { resolve, connect: connectTcp };
}

function resolverOf(servers: string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 4 });
  if (servers) resolver.setServers(servers);
  return resolver;
}

/** Resolvers that targets name, each made once: its sockets are then open for the next look-up. */
class ChosenResolvers {
  readonly #kept = new Map<string, Resolver>();

  /** Throws where the text is no address of a resolver. */
  of(text: string): Resolver {
    const known = this.#kept.get(text);
    if (known) return known;
    const parsed = parseResolver(text);
    const version = parsed ? isIP(parsed.address) : 0;
    if (!parsed || version === 0) throw new Error(`${text} is no address of a resolver`);
    const made = resolverOf([`${version === 6 ? `[${parsed.address}]` : parsed.address}:${parsed.port}`]);
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(text, made);
    return made;
  }
}

/** As programs of this machine would: its hosts file, its search list, and the resolver that it names. */
async function resolveAsSystem(
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
  return ask(resolver, host, family, onAsked);
}

/** One resolver's own word, whatever this machine says of the name. */
async function ask(
  resolver: Resolver,
  host: string,
  family: Family | null,
  onAsked: (resolver: string) => void,
): Promise<Resolution> {
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

/** A query of the resolver cannot be taken back; its answer is then of no interest. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((settle, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the look-up was given up')), { once: true });
    work.then(settle, reject);
  });
}
