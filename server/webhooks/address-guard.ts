import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { addressProblem, isPrivateHost } from '#contract/public-address.ts';
import { environment } from '#server/environment/environment.ts';
import { invalidField } from '#server/environment/errors.ts';

// An endpoint's name is resolved once, the address judged, and the connection goes to that very address: a name that changes in between gains nothing.

/** An address that must not be reached for a webhook; the message says which and why. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** Asks DNS, as `dns.lookup` with `all` does. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, verbatim: true });

export type CheckedAddress = { address: string; family: number };

/**
 * The address to connect to for this host: the first of its addresses that may be reached, any with `allowPrivate`. Throws
 * AddressError where none may, and what `resolve` throws.
 */
export async function checkedAddress(
  host: string,
  resolve: Resolve = resolveBySystem,
  { allowPrivate = false } = {},
): Promise<CheckedAddress> {
  const bare = host.replace(/^\[|\]$/g, '');
  const found = ipaddr.isValid(bare)
    ? [{ address: bare, family: ipaddr.parse(bare).kind() === 'ipv6' ? 6 : 4 }]
    : await resolve(bare);
  const [first] = found;
  if (!first) throw new AddressError(`${bare} has no address`);
  if (allowPrivate || environment().ROUNDTRIP_ALLOW_PRIVATE_TARGETS) return first;
  const allowed = found.find(({ address }) => addressProblem(address) === null);
  if (allowed) return allowed;
  const why = addressProblem(first.address);
  throw new AddressError(`${why}: the server sends there only with ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1`);
}

/** Refuses a host that is this machine or a private network by its very name. Throws `invalid` for this field. */
export function refusePrivateHost(field: string, host: string): void {
  if (environment().ROUNDTRIP_ALLOW_PRIVATE_TARGETS) return;
  const bare = host.replace(/^\[|\]$/g, '');
  if (!isPrivateHost(bare)) return;
  throw invalidField(
    field,
    `is loopback or private (${bare}): the server sends to such addresses only with ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1`,
  );
}
