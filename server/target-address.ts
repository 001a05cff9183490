import ipaddr from 'ipaddr.js';
import { parseResolver } from '#contract/resolver.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { environment } from './environment.ts';
import { invalidField } from './errors.ts';

const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)\.?$/i;

/**
 * Refuses a target, or a resolver for it, that is this machine or a private network by its very name or address. What a public name resolves
 * to is checked by the prober, which alone knows it. Throws `invalid`.
 */
export function refusePrivateTarget(url: string, settings: Pick<ProbeSettings, 'address' | 'resolver'>): void {
  if (environment().ROUNDTRIP_ALLOW_PRIVATE_TARGETS) return;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (LOCAL_NAME.test(host) || isPrivateAddress(host)) throw refusal('url', host);
  const { address, resolver } = settings;
  if (address && isPrivateAddress(address)) throw refusal('settings.address', address);
  const resolverAddress = resolver && parseResolver(resolver)?.address;
  if (resolverAddress && isPrivateAddress(resolverAddress)) throw refusal('settings.resolver', resolverAddress);
}

type Place = { url: string; settings: Pick<ProbeSettings, 'address' | 'resolver'> };

/** Whether a target's requests go to another server after a change: another origin, fixed address or resolver. */
export function sendsElsewhere(before: Place, after: Place): boolean {
  const placeOf = ({ url, settings }: Place) => [new URL(url).origin, settings.address, settings.resolver].join(' ');
  return placeOf(before) !== placeOf(after);
}

/** Only what the public internet routes is public: loopback, private, link-local, multicast, tunnels etc. are not. */
function isPrivateAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() !== 'unicast';
}

const refusal = (field: string, address: string) =>
  invalidField(
    field,
    `is loopback or private (${address}): the server watches such addresses only with ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1`,
  );
