import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ResolvedAddress } from './network.ts';

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const CHECK_EVERY_MS = 5_000;

let known = new Map<string, ResolvedAddress[]>();
let modifiedAt = Number.NaN;
let checkedAt = Number.NEGATIVE_INFINITY;

/**
 * The addresses that the machine's own hosts file gives a name, in the file's order. Read at once and rarely: through
 * the thread pool a file of a few lines would cost the look-up more than the query of a resolver.
 */
export function hostsFileAddresses(host: string): ResolvedAddress[] {
  if (performance.now() - checkedAt > CHECK_EVERY_MS) refresh();
  return known.get(host.toLowerCase()) ?? [];
}

function refresh(): void {
  checkedAt = performance.now();
  try {
    const { mtimeMs } = statSync(HOSTS_FILE);
    if (mtimeMs === modifiedAt) return;
    known = parseHosts(readFileSync(HOSTS_FILE, 'utf8'));
    modifiedAt = mtimeMs;
  } catch {
    known = new Map();
    modifiedAt = Number.NaN;
  }
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
