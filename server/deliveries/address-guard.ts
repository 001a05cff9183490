import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { environment } from '../environment.ts';
import { invalidField } from '../errors.ts';

// As probe/address-guard.ts does for targets, which a server must not import. An endpoint's name is resolved once, the address
// judged, and the connection goes to that very address: a name that changes in between gains nothing.

/** An address that must not be reached for a webhook; the message says which and why. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** Cloud metadata services on addresses that are public otherwise. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']);

/** Why an address must not be reached, or null where it is public unicast. */
export function addressProblem(address: string): string | null {
  if (!ipaddr.isValid(address)) return `${address} is not an address`;
  const parsed = unwrapped(ipaddr.parse(inHex(address)));
  if (METADATA.has(parsed.toString())) return `${address} is a cloud metadata service`;
  const range = rangeOf(parsed);
  return range === 'unicast' ? null : `${address} is not a public address (${range})`;
}

/** The library reads `::10.0.0.1` as `::ffff:10.0.0.1`, which is another address; in hexadecimal it does not. */
const inHex = (address: string) =>
  address.replace(/(?<=:)(\d+)\.(\d+)\.(\d+)\.(\d+)/, (_, ...parts) =>
    Buffer.from(parts.slice(0, 4).map(Number)).toString('hex').replace(/^.{4}/, '$&:'),
  );

/** Global unicast is 2000::/3; nothing outside it is public, such as IPv4-compatible `::/96`, whatever a list leaves out. */
const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** Within it, IETF protocol assignments (RFC 6890), Teredo among them, and addresses of documentation (RFC 9637). */
const RESERVED: [ipaddr.IPv6, number][] = [
  [ipaddr.IPv6.parse('2001::'), 23],
  [ipaddr.IPv6.parse('3fff::'), 20],
];

function rangeOf(parsed: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = parsed.range();
  if (range !== 'unicast' || !(parsed instanceof ipaddr.IPv6)) return range;
  const isPublic = parsed.match(GLOBAL) && !RESERVED.some((block) => parsed.match(block));
  return isPublic ? range : 'reserved';
}

const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** The IPv4 address inside an IPv6 one is what is reached. */
function unwrapped(parsed: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(parsed instanceof ipaddr.IPv6)) return parsed;
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address();
  const bytes = parsed.toByteArray();
  // Not of 64:ff9b:1::/48, which each network uses as it likes, and where the IPv4 address may be elsewhere.
  if (parsed.match(NAT64) || isIsatap(bytes)) return ipaddr.fromByteArray(bytes.slice(12));
  if (parsed.range() === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6));
  return parsed;
}

/** A tunnel to the IPv4 address in the last four bytes (RFC 5214), under any prefix. */
const isIsatap = (bytes: number[]) =>
  (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;

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

const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)\.?$/i;

/** Refuses a host that is this machine or a private network by its very name. Throws `invalid` for this field. */
export function refusePrivateHost(field: string, host: string): void {
  if (environment().ROUNDTRIP_ALLOW_PRIVATE_TARGETS) return;
  const bare = host.replace(/^\[|\]$/g, '');
  const isPrivate = LOCAL_NAME.test(bare) || (ipaddr.isValid(bare) && addressProblem(bare) !== null);
  if (!isPrivate) return;
  throw invalidField(
    field,
    `is loopback or private (${bare}): the server sends to such addresses only with ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1`,
  );
}
