import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { addressProblem, interleaved, isPrivateHost } from '#contract/public-address.ts';
import { MOST_ATTEMPTS } from '#contract/result.ts';
import { howToAllowPrivate } from '#server/access/private-addresses.ts';
import { invalidField } from '#server/environment/errors.ts';

// An endpoint's name is resolved once, its addresses judged, and the connection goes to one of them: a name that changes in between gains nothing.

/** An address that must not be reached for a webhook; the message says which and why. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** Asks DNS, as `dns.lookup` with `all` does. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, verbatim: true });

export type CheckedAddress = { address: string; family: number };

/**
 * The addresses to connect to for this host, in the order in which they are tried: those that may be reached, all with `allowPrivate`.
 * The families take turns, so that a broken one costs little. Throws AddressError where none may be reached, and what `resolve` throws.
 */
export async function checkedAddresses(
  host: string,
  resolve: Resolve = resolveBySystem,
  { allowPrivate = false } = {},
): Promise<CheckedAddress[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  const found = ipaddr.isValid(bare)
    ? [{ address: bare, family: ipaddr.parse(bare).kind() === 'ipv6' ? 6 : 4 }]
    : await resolve(bare);
  const [first] = found;
  if (!first) throw new AddressError(`${bare} has no address`);
  const allowed = allowPrivate ? found : found.filter(({ address }) => addressProblem(address) === null);
  if (allowed.length > 0) return interleaved(allowed).slice(0, MOST_ATTEMPTS);
  const why = addressProblem(first.address);
  throw new AddressError(`${why}: ${howToAllowPrivate()}`);
}

/** Refuses a host that is this machine or a private network by its very name. The caller asks `allowsPrivateAddresses` first. Throws `invalid` for this field. */
export function refusePrivateHost(field: string, host: string): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (!isPrivateHost(bare)) return;
  throw invalidField(field, `is loopback or private (${bare}): ${howToAllowPrivate()}`);
}
