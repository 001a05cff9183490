import { isIP } from 'node:net';
import { KnownFile } from './known-file.ts';
import type { ResolvedAddress } from './network.ts';

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

const hostsFile = new KnownFile(HOSTS_FILE, parseHosts);

/** The addresses that the machine's own hosts file gives a name, in the file's order. */
export function hostsFileAddresses(host: string): ResolvedAddress[] {
  return hostsFile.get().get(host.toLowerCase()) ?? [];
}

/** Reads the text of a hosts file; invalid lines are skipped. */
export function parseHosts(text: string): Map<string, ResolvedAddress[]> {
  const hosts = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const version = isIP(address);
    if (version !== 4 && version !== 6) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family: version }]);
    }
  }
  return hosts;
}
