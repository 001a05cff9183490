/** The address of a DNS resolver and its port. */
export type ResolverAddress = { address: string; port: number };

const DNS_PORT = 53;
const V4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5}))?$/;
const V6_WITH_PORT = /^\[([0-9a-fA-F:.]+)\]:(\d{1,5})$/;
const V6 = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/;

/**
 * Reads ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT; port 53 where none is given. Null where the shape or the port is
 * wrong. Whether the digits make an address is for whoever has the means to tell (`net.isIP`, a schema).
 */
export function parseResolver(text: string): ResolverAddress | null {
  const [, address, port] = V4.exec(text) ?? V6_WITH_PORT.exec(text) ?? [];
  if (address !== undefined) {
    const number = port === undefined ? DNS_PORT : Number(port);
    return number >= 1 && number <= 65_535 ? { address, port: number } : null;
  }
  return V6.test(text) ? { address: text, port: DNS_PORT } : null;
}
