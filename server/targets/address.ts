import { isPrivateHost } from '#contract/public-address.ts';
import { parseResolver } from '#contract/resolver.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { howToAllowPrivate } from '#server/access/private-addresses.ts';
import { invalidField } from '#server/environment/errors.ts';

/**
 * Refuses a target, or a resolver for it, that is this machine or a private network by its very name or address. What a public name resolves
 * to is checked by the prober, which alone knows it. The caller asks `allowsPrivateAddresses`
 * first. Throws `invalid`.
 */
export function refusePrivateTarget(url: string, settings: Pick<ProbeSettings, 'address' | 'resolver'>): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isPrivateHost(host)) throw refusal('url', host);
  const { address, resolver } = settings;
  if (address && isPrivateHost(address)) throw refusal('settings.address', address);
  const resolverAddress = resolver && parseResolver(resolver)?.address;
  if (resolverAddress && isPrivateHost(resolverAddress)) throw refusal('settings.resolver', resolverAddress);
}

type Destination = { url: string; settings: Pick<ProbeSettings, 'address' | 'resolver'> };

/** Whether a target's requests go to another server after a change: another origin, fixed address or resolver. */
export function sendsElsewhere(before: Destination, after: Destination): boolean {
  const destinationOf = ({ url, settings }: Destination) =>
    [new URL(url).origin, settings.address, settings.resolver].join(' ');
  return destinationOf(before) !== destinationOf(after);
}

const refusal = (field: string, address: string) =>
  invalidField(field, `is loopback or private (${address}): ${howToAllowPrivate()}`);
