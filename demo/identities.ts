import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Authority, createAuthority, issue, restoreAuthority } from './pki.ts';

const Pair = z.object({ certPem: z.string(), keyPem: z.string() });
const Leaf = Pair.extend({ chainPem: z.string() });
const Store = z.object({
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  root: Pair,
  ecAuthority: Pair,
  rsaAuthority: Pair,
  leaves: z.record(z.string(), Leaf),
  ports: z.record(z.string(), z.number().int()),
});
type Store = z.infer<typeof Store>;

export type DemoLeaf = z.infer<typeof Leaf> & { der: Buffer; authority: Authority };
export type LeafOrder = { key: string; host: string; kind: 'ec' | 'rsa'; bloatBytes: number; ocsp: boolean };

/** Certificates last a year; they are renewed well before. */
const RENEW_AFTER_MS = 300 * 86_400_000;
const OCSP_URL = 'http://ocsp.demo.roundtrip.test/';

/** The demo's certificates and ports, kept in a folder so that a restart mints nothing and serves at the same addresses. */
export type Identities = { rootPem: string; leaves: Map<string, DemoLeaf>; ports: Record<string, number> };

/** Reads the store from `folder`, or makes it. A store that is damaged, old or lacks an order is recreated, the ports kept. */
export async function loadIdentities(folder: string, orders: readonly LeafOrder[]): Promise<Identities> {
  const path = join(folder, 'identities.json');
  const found = await read(path);
  const current = found && isCurrent(found, orders) ? found : await mint(orders, found?.ports ?? {});
  if (current !== found) await write(path, current);
  return revive(current, orders);
}

/** Remembers the ports that the origins were given. */
export async function savePorts(folder: string, ports: Record<string, number>): Promise<void> {
  const path = join(folder, 'identities.json');
  const store = await read(path);
  if (store) await write(path, { ...store, ports });
}

async function revive(store: Store, orders: readonly LeafOrder[]): Promise<Identities> {
  const root = await restoreAuthority(store.root.certPem, store.root.keyPem);
  const ec = await restoreAuthority(store.ecAuthority.certPem, store.ecAuthority.keyPem, root);
  const rsa = await restoreAuthority(store.rsaAuthority.certPem, store.rsaAuthority.keyPem, root);
  const leaves = new Map<string, DemoLeaf>();
  for (const { key, kind } of orders) {
    const leaf = store.leaves[key];
    if (!leaf) continue;
    const der = Buffer.from(leaf.certPem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    leaves.set(key, { ...leaf, der, authority: kind === 'rsa' ? rsa : ec });
  }
  return { rootPem: root.certPem, leaves, ports: store.ports };
}

async function mint(orders: readonly LeafOrder[], ports: Record<string, number>): Promise<Store> {
  const root = await createAuthority({ name: 'Roundtrip demo root', key: 'ec' });
  const ecAuthority = await createAuthority({ name: 'Roundtrip demo ECDSA', key: 'ec', parent: root });
  const rsaAuthority = await createAuthority({ name: 'Roundtrip demo RSA', key: 'rsa', parent: root });
  const leaves: Store['leaves'] = {};
  for (const { key, host, kind, bloatBytes, ocsp } of orders) {
    const { certPem, keyPem, chainPem } = await issue(kind === 'rsa' ? rsaAuthority : ecAuthority, {
      names: [host],
      key: kind === 'rsa' ? 'rsa2048' : 'ec',
      bloatBytes,
      ...(ocsp ? { ocspUrl: OCSP_URL } : {}),
    });
    leaves[key] = { certPem, keyPem, chainPem };
  }
  return {
    version: 1,
    createdAt: new Date().toISOString(),
    root: pair(root),
    ecAuthority: pair(ecAuthority),
    rsaAuthority: pair(rsaAuthority),
    leaves,
    ports,
  };
}

const pair = ({ certPem, keyPem }: Authority) => ({ certPem, keyPem });

function isCurrent(store: Store, orders: readonly LeafOrder[]): boolean {
  const age = Date.now() - Date.parse(store.createdAt);
  return age >= 0 && age < RENEW_AFTER_MS && orders.every(({ key }) => key in store.leaves);
}

async function read(path: string): Promise<Store | null> {
  try {
    return Store.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null; // missing or damaged: both are recreated
  }
}

async function write(path: string, store: Store): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(store), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
