import { isIP } from 'node:net';
import { interleaved } from '#contract/public-address.ts';
import { parseResolver } from '#contract/resolver.ts';
import { dnsFailure, ProbeFailure } from '../failure.ts';
import { stampLateness } from '../load/lateness.ts';
import type { Family, ResolvedAddress } from '../network/network.ts';
import { hostOf, refuseAddress } from '../request.ts';
import { withinPhase } from './deadline.ts';
import type { Resolved, Run, Started } from './stages.ts';

/**
 * Finds the addresses to try, in order. A literal or fixed one needs no look-up, and then there is no dns phase. Of those
 * that a look-up finds IPv4 comes first and the families take turns: the same is measured each time, and everywhere.
 */
export async function resolve(started: Started, run: Run): Promise<Resolved> {
  const { settings, otherAddresses = [] } = run.request;
  const host = hostOf(run.url);
  const literals = settings.address === null ? [host] : [settings.address, ...otherAddresses];
  if (literals.every((literal) => isIP(literal) !== 0)) {
    return run.keep({ ...started, addresses: ofFamily(literals, settings.family), lookup: null });
  }
  return lookUp(host, started, run);
}

async function lookUp(host: string, started: Started, run: Run): Promise<Resolved> {
  const { clock, network } = run.environment;
  const { settings } = run.request;
  // A chosen resolver is reached over the network as a target is.
  const resolverAddress = settings.resolver && (parseResolver(settings.resolver)?.address ?? settings.resolver);
  if (resolverAddress) refuseAddress(resolverAddress, run.request, 'dns');
  const onAsked = (resolver: string) => void run.keep({ ...started, resolver });
  const found = await withinPhase(clock, 'dns', settings.timeouts.dns, run.overall, (signal) =>
    network.resolve(host, settings.family, signal, onAsked, settings.resolver),
  ).catch((error: unknown) => {
    throw error instanceof ProbeFailure ? error : dnsFailure(error);
  });
  const asked = run.keep({ ...started, resolver: found.resolver });
  const fitting = found.addresses.filter(({ family }) => settings.family === null || settings.family === family);
  if (fitting.length === 0) {
    const kind = settings.family === null ? 'address to connect to' : `IPv${settings.family} address`;
    throw new ProbeFailure('dns', 'dns_no_address', 'target', `${host} has no ${kind}`);
  }
  const endedAt = clock.now();
  return run.keep({
    ...asked,
    addresses: interleaved(fitting),
    lookup: { endedAt, lateMs: stampLateness(endedAt), name: found.name ?? host },
  });
}

function ofFamily(literals: string[], wanted: Family | null): ResolvedAddress[] {
  const found = literals.map((address): ResolvedAddress => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  const fitting = found.filter(({ family }) => wanted === null || wanted === family);
  if (fitting.length > 0) return fitting;
  const what = literals.length === 1 ? `${literals[0]} is no` : `none of ${literals.join(', ')} is an`;
  throw new ProbeFailure('dns', 'dns_no_address', 'target', `${what} IPv${wanted} address`);
}
