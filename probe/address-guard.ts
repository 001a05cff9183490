import ipaddr from 'ipaddr.js';

/** Ranges beside unicast that carry an IPv4 address inside, which is then judged in its place. */
function unwrapped(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed;
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address();
  const bytes = parsed.toByteArray();
  const range = parsed.range();
  if (range === 'rfc6052') return ipaddr.fromByteArray(bytes.slice(12));
  if (range === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6));
  return parsed;
}

/** The cloud metadata services that live on addresses otherwise public. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']);

/**
 * Why an address must not be reached for somebody else's target, or null where it is public unicast. Called with
 * addresses after resolution, so that a name cannot smuggle one in.
 */
export function addressProblem(address: string): string | null {
  if (!ipaddr.isValid(address)) return `${address} is not an address`;
  const parsed = unwrapped(address);
  if (METADATA.has(parsed.toString())) return `${address} is a cloud metadata service`;
  const range = parsed.range();
  return range === 'unicast' ? null : `${address} is ${ARTICLE[range] ?? `a ${range}`} address`;
}

const ARTICLE: Record<string, string> = {
  unspecified: 'the unspecified',
  linkLocal: 'a link-local',
  uniqueLocal: 'a private (unique local)',
  carrierGradeNat: 'a carrier-grade NAT',
  reserved: 'a reserved',
  broadcast: 'the broadcast',
  multicast: 'a multicast',
  loopback: 'a loopback',
  private: 'a private',
};
