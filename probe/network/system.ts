import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseResolver } from '#contract/resolver.ts';
import { codeOf } from '../failure.ts';
import { hostsFileAddresses } from './hosts-file.ts';
import { type Family, type Network, type Resolution, type ResolvedAddress, SYSTEM_LOOKUP } from './network.ts';
import { namesToAsk } from './search-list.ts';
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
  const system = new KeptResolver(resolverOf(options.servers));
  const chosen = new ChosenResolvers();
  const resolve: Network['resolve'] = async (host, family, signal, onAsked = () => {}, resolver = null) => {
    const asked =
      resolver === null
        ? resolveAsSystem(system, host, family, onAsked, signal)
        : ask(chosen.of(resolver), host, family, onAsked, signal);
    return unlessAborted(signal, asked);
  };
  return { resolve, connect: connectTcp };
}

function resolverOf(servers: string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 4 });
  if (servers) resolver.setServers(servers);
  return resolver;
}

/**
 * A resolver that stays ready between look-ups. Cancelling is for all its queries at once: those that were given up are
 * cancelled when no other look-up waits any more, so that none of them keeps the process alive.
 */
class KeptResolver {
  readonly resolver: Resolver;
  #waiting = 0;
  #givenUp = false;

  constructor(resolver: Resolver) {
    this.resolver = resolver;
  }

  async use<T>(signal: AbortSignal, work: (resolver: Resolver) => Promise<T>): Promise<T> {
    this.#waiting += 1;
    let counted = true;
    const over = (givenUp: boolean) => {
      if (!counted) return;
      counted = false;
      this.#waiting -= 1;
      this.#givenUp ||= givenUp;
      if (this.#waiting > 0 || !this.#givenUp) return;
      this.#givenUp = false;
      this.resolver.cancel();
    };
    const onAbort = () => over(true);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await work(this.resolver);
    } finally {
      signal.removeEventListener('abort', onAbort);
      over(signal.aborted);
    }
  }
}

/** Resolvers that targets name, each made once: its sockets are then open for the next look-up. */
class ChosenResolvers {
  readonly #kept = new Map<string, KeptResolver>();

  /** Throws where the text is no address of a resolver. */
  of(text: string): KeptResolver {
    const known = this.#kept.get(text);
    if (known) return known;
    const parsed = parseResolver(text);
    const version = parsed ? isIP(parsed.address) : 0;
    if (!parsed || version === 0) throw new Error(`${text} is no address of a resolver`);
    const address = version === 6 ? `[${parsed.address}]` : parsed.address;
    const made = new KeptResolver(resolverOf([`${address}:${parsed.port}`]));
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(text, made);
    return made;
  }
}

/** As programs of this machine would: its hosts file, the resolver that it names, by its search list, and its other sources. */
async function resolveAsSystem(
  resolver: KeptResolver,
  host: string,
  family: Family | null,
  onAsked: (resolver: string) => void,
  signal: AbortSignal,
): Promise<Resolution> {
  const name = host.replace(/\.$/, '');
  const listed = hostsFileAddresses(name)
    .filter((each) => family === null || each.family === family)
    .sort((a, b) => a.family - b.family);
  if (listed.length > 0) return { addresses: listed, resolver: null };
  // No resolver is asked for it (RFC 6761).
  if (/(^|\.)localhost$/.test(name)) return systemLookup(name, family);
  try {
    const found = await askInTurn(resolver, namesToAsk(host), family, onAsked, signal);
    // It may exist here without an address, and have one there.
    return found.addresses.length > 0 || family !== null ? found : ((await lookUpElsewhere(host, family)) ?? found);
  } catch (error) {
    if (signal.aborted || !MAY_BE_ELSEWHERE.includes(codeOf(error))) throw error;
    const found = await lookUpElsewhere(host, family);
    if (found) return found;
    throw error;
  }
}

/** Other sources are waited for so long (ms): one that does not answer makes no time-out of a name that does not exist. */
const ELSEWHERE_MS = 1_500;

/** By the machine's library; null where that does not have the name either, or not in time. */
async function lookUpElsewhere(host: string, family: Family | null): Promise<Resolution | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(() => settle(null), ELSEWHERE_MS);
  });
  const found = await Promise.race([systemLookup(host, family).catch(() => null), late]);
  clearTimeout(timer);
  return found;
}

/** What a resolver says of a name that another source (mDNS, NetBIOS, a directory) may have, or that there is no resolver. */
const MAY_BE_ELSEWHERE = ['ENOTFOUND', 'EBADNAME', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED'];

/** How a resolver says that it has no such name, or cannot find out: the next one may still be there. */
const GOES_ON = ['ENOTFOUND', 'EBADNAME', 'ESERVFAIL'];

/**
 * The first of the names that has an address. Where none has, that one exists says more than that one could not be found out,
 * and that more than that there is none.
 */
async function askInTurn(
  resolver: KeptResolver,
  names: string[],
  family: Family | null,
  onAsked: (resolver: string) => void,
  signal: AbortSignal,
): Promise<Resolution> {
  let without: Resolution | null = null;
  let failed: unknown = null;
  for (const name of names) {
    try {
      const found = await ask(resolver, name, family, onAsked, signal);
      if (found.addresses.length > 0) return { ...found, name: `${name}.` };
      without = found;
    } catch (error) {
      if (!GOES_ON.includes(codeOf(error)) || signal.aborted) throw error;
      if (codeOf(failed) !== 'ESERVFAIL') failed = error;
    }
  }
  if (without) return without;
  throw failed;
}

/** One resolver's own word, whatever this machine says of the name. */
async function ask(
  kept: KeptResolver,
  host: string,
  family: Family | null,
  onAsked: (resolver: string) => void,
  signal: AbortSignal,
): Promise<Resolution> {
  const [asked = null] = kept.resolver.getServers();
  if (asked !== null) onAsked(asked);
  return { addresses: await kept.use(signal, (resolver) => query(resolver, host, family)), resolver: asked };
}

async function systemLookup(host: string, family: Family | null): Promise<Resolution> {
  const found = await lookup(host, { family: family ?? 0, all: true });
  const addresses = found.map(
    ({ address, family: version }): ResolvedAddress => ({
      address,
      family: version === 6 ? 6 : 4,
    }),
  );
  return { addresses: addresses.sort((a, b) => a.family - b.family), resolver: SYSTEM_LOOKUP };
}

/**
 * IPv4 first, and IPv6 where a name has no IPv4: most vantages have no IPv6, and a fixed order compares. Empty where the
 * name has no address of the kind.
 */
async function query(resolver: Resolver, host: string, family: Family | null): Promise<ResolvedAddress[]> {
  const four = family === 6 ? [] : labelled(await unlessWithout(resolver.resolve4(host)), 4);
  if (family === 4 || four.length > 0) return four;
  return labelled(await unlessWithout(resolver.resolve6(host)), 6);
}

/** A name without the record is an error, an alias (CNAME) of such a name an answer without addresses: to us both are the latter. */
function unlessWithout(answer: Promise<string[]>): Promise<string[]> {
  return answer.catch((error: unknown) => {
    if (codeOf(error) === 'ENODATA') return [];
    throw error;
  });
}

function labelled(addresses: string[], family: Family): ResolvedAddress[] {
  return addresses.map((address) => ({ address, family }));
}

/** Rejects at once on abort: a look-up through the machine's own library cannot be cancelled. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((settle, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the look-up was given up')), { once: true });
    work.then(settle, reject);
  });
}
