import ipaddr from 'ipaddr.js';

// What server and prober must agree on: which addresses may be reached for somebody else's target or webhook, and in which order.

/** Cloud metadata services on addresses that are public otherwise. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']);

const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)\.?$/i;

/**
 * Whether a host, a name or an address without brackets, is this machine or a private network as it stands. What a public
 * name resolves to is to be judged when it has been resolved.
 */
export function isPrivateHost(host: string): boolean {
  return LOCAL_NAME.test(host) || (ipaddr.isValid(host) && addressProblem(host) !== null);
}

/** Why an address must not be reached, or null where it is public unicast. */
export function addressProblem(address: string): string | null {
  if (!ipaddr.isValid(address)) return `${address} is not an address`;
  const parsed = unwrapped(ipaddr.parse(inHex(address)));
  if (METADATA.has(parsed.toString())) return `${address} is a cloud metadata service`;
  const range = rangeOf(parsed);
  return range === 'unicast' ? null : `${address} is not a public address (${NAMES[range] ?? range})`;
}

/** Networks as CIDR or as single addresses, such as `10.0.0.0/8`. */
export type Networks = readonly string[];

/** Says what is wrong with a network, or null. */
export function networkProblem(text: string): string | null {
  return ipaddr.isValidCIDR(text) || ipaddr.isValid(text)
    ? null
    : 'is neither an address nor a network such as 10.0.0.0/8';
}

/** Whether an address lies in one of the networks. An IPv4 address inside an IPv6 one counts as the IPv4 address. */
export function isInNetworks(address: string, networks: Networks): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = unwrapped(ipaddr.parse(inHex(address)));
  return networks.some((network) => {
    const [base, bits] = ipaddr.isValidCIDR(network) ? ipaddr.parseCIDR(network) : [ipaddr.parse(network), null];
    if (base.kind() !== parsed.kind()) return false;
    return parsed.match(base, bits ?? base.toByteArray().length * 8);
  });
}

const NAMES: Record<string, string> = {
  linkLocal: 'link-local',
  uniqueLocal: 'unique local',
  carrierGradeNat: 'carrier-grade NAT',
};

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

/** The families in turn (RFC 8305, section 4), beginning with that of the first address; otherwise in the given order. */
export function interleaved<Address extends { family: number }>(addresses: readonly Address[]): Address[] {
  const [first] = addresses;
  const same = addresses.filter(({ family }) => family === first?.family);
  const other = addresses.filter(({ family }) => family !== first?.family);
  const turns = Array.from({ length: Math.max(same.length, other.length) }, (_, turn) => [same[turn], other[turn]]);
  return turns.flat().filter((each) => each !== undefined);
}
