import ipaddr from 'ipaddr.js';

/** The addresses whose word about others is taken: addresses and networks, or `none`. */
export type TrustedProxies = readonly string[];

/**
 * Whose request it is: the socket's peer, or, as far as proxies that are trusted hand it on, whom they saw.
 * `forwarded` is the header `X-Forwarded-For`, the nearest last; what stands before an untrusted address is anybody's word.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  trusted: TrustedProxies,
): string {
  const hops = (forwarded ?? '').split(',').map((hop) => parseAddress(hop.trim()));
  let client = parseAddress(peer ?? '');
  while (client !== null && isTrusted(client, trusted) && hops.length > 0) {
    const before = hops.pop() ?? null;
    if (before === null) break;
    client = before;
  }
  return client?.toString() ?? 'unknown';
}

/** Whether the socket's peer is a proxy whose headers are trusted. */
export function isTrustedPeer(peer: string | undefined, trusted: TrustedProxies): boolean {
  const address = parseAddress(peer ?? '');
  return address !== null && isTrusted(address, trusted);
}

/** Whether a host name or an address, in brackets or bare, is this machine itself. */
export function isThisMachine(host: string): boolean {
  const address = parseAddress(host);
  return host === 'localhost' || address?.range() === 'loopback';
}

/** What a client's attempts are counted by: its IPv4 address, or its IPv6 /64, of which one subscriber has all. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null) return 'unknown';
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

/** The block that a site or a provider's customers have together: of IPv4 the /24, of IPv6 the /48. Null for no address. */
export function siteOf(network: string): string | null {
  const parsed = parseAddress(network.replace(/\/\d+$/, ''));
  if (parsed === null) return null;
  if (!(parsed instanceof ipaddr.IPv6)) return `${parsed.octets.slice(0, 3).join('.')}.0/24`;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 3), 0, 0, 0, 0, 0])}/48`;
}

/** IPv4 in IPv6 becomes IPv4; some proxies add a port or brackets. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = text.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  return ipaddr.isValid(bare) ? ipaddr.process(bare.replace(/%.*$/, '')) : null;
}

function isTrusted(address: ipaddr.IPv4 | ipaddr.IPv6, trusted: TrustedProxies): boolean {
  return trusted.some((entry) => {
    if (entry === 'none') return false;
    const [network, bits] = ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : [ipaddr.parse(entry), null];
    if (network.kind() !== address.kind()) return false;
    return bits === null ? network.toString() === address.toString() : address.match(network, bits);
  });
}
