import { z } from 'zod';

export const IpAddress = z.union([z.ipv4(), z.ipv6()]);

/** The address of a DNS resolver and its port. */
export type ResolverAddress = { address: string; port: number };

const DNS_PORT = 53;
const WITH_PORT = /^(?:([\d.]+)|\[([0-9a-fA-F:.]+)\]):(\d{1,5})$/;

/** Reads ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT; port 53 where none is given. Null where address or port is none. */
export function parseResolver(text: string): ResolverAddress | null {
  const [, v4, v6, digits] = WITH_PORT.exec(text) ?? [];
  const address = v4 ?? v6 ?? text;
  const port = digits === undefined ? DNS_PORT : Number(digits);
  return IpAddress.safeParse(address).success && port >= 1 && port <= 65_535 ? { address, port } : null;
}
