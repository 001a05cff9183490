// Which form of the program to run. `roundtrip build` joins the files of each part (`ENTRIES`), types stripped, with the packages
// they use: a process then loads what it needs and nothing else, which halves its memory. Sources that have changed since
// are run as they are. Plain JavaScript: it is read before anything that needs Node's TypeScript.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = path.dirname(path.dirname(findSource()));

/** Next's own folder: `NEXT_DIST_DIR` (next.config.ts), else `.next`. */
export const DIST = process.env.NEXT_DIST_DIR || '.next';

// Beside Next's folder, which Next empties before it builds.
const folder = `${DIST}-bundles`;

/** Where the bundles are, all in one folder. */
export const BUNDLES = path.join(ROOT, folder);

/** The digest of what the bundles were made of. */
export const BUNDLES_STAMP = path.join(BUNDLES, '.digest');

/** What Node runs as a process or thread of its own: the name of its bundle, and its source. */
export const ENTRIES = {
  main: 'cli/main.ts',
  leash: 'cli/start/leash.ts',
  clerk: 'cli/start/clerk-main.ts',
  web: 'cli/start/web-main.ts',
  server: 'cli/start/server-main.ts',
  jobs: 'workers/jobs/main.ts',
  'jobs-thread': 'workers/jobs/thread.ts',
  prober: 'workers/prober/main.ts',
  'prober-thread': 'workers/prober/threads/thread.ts',
  'prober-watcher': 'probe/kernel/watcher-thread.ts',
  'probe-thread': 'cli/probe/worker.ts',
  demo: 'demo/main.ts',
  'demo-origins': 'demo/origins-worker.ts',
  'demo-past': 'cli/demo/past-main.ts',
  'demo-past-thread': 'cli/demo/past-worker.ts',
};

/** What the container of a prober runs: bundles of its own, since chunks that parts share would bring database code along. */
export const PROBER_ENTRIES = {
  prober: ENTRIES.prober,
  'prober-thread': ENTRIES['prober-thread'],
  'prober-watcher': ENTRIES['prober-watcher'],
  'prober-health': 'docker/prober-health.ts',
};

/** Where these are. */
export const PROBER_BUNDLES = `${BUNDLES}-prober`;

/** What the bundles are made of. */
export const BUNDLE_INPUTS = [
  ...['analysis', 'cli', 'contract', 'demo', 'i18n', 'probe', 'server', 'workers'],
  ...['prisma/schema.prisma', 'package.json', 'package-lock.json'],
];

/** Whether this very code runs from a bundle. */
export const isBundled = findSource() !== fileURLToPath(import.meta.url);

/**
 * The file that Node runs for an entry: its bundle where this process runs from one, else its source. Relative to the checkout.
 * @param {keyof typeof ENTRIES} name
 */
export function entryFile(name) {
  return isBundled ? path.join(folder, `${name}.mjs`) : ENTRIES[name];
}

/** Whether there are bundles, made of the sources as they are now. Reads all sources: 20 ms. */
export function bundlesAreFresh() {
  return existsSync(BUNDLES_STAMP) && readFileSync(BUNDLES_STAMP, 'utf8') === digestOf(ROOT, BUNDLE_INPUTS);
}

/**
 * A digest over the names and contents of files and folders under `root`; what is missing counts as missing.
 * @param {string} root
 * @param {readonly string[]} inputs
 */
export function digestOf(root, inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const input of inputs) addPath(hash, root, input);
  return hash.digest('hex');
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} root
 * @param {string} relative
 */
function addPath(hash, root, relative) {
  const file = path.join(root, relative);
  if (!existsSync(file)) return;
  if (statSync(file).isFile()) {
    hash.update(`\0${relative}\0`);
    addContent(hash, file);
    return;
  }
  const names = readdirSync(file)
    .filter((name) => name !== 'generated')
    .sort();
  for (const name of names) addPath(hash, root, path.join(relative, name));
}

// One for all: buffers of their own for hundreds of files would stay with the process.
const buffer = Buffer.alloc(64 * 1024);

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} file
 */
function addContent(hash, file) {
  const handle = openSync(file, 'r');
  try {
    for (let read = -1; read !== 0; ) {
      read = readSync(handle, buffer);
      if (read > 0) hash.update(buffer.subarray(0, read));
    }
  } finally {
    closeSync(handle);
  }
}

/** This file in the checkout: the bundler puts the checkout's `cli` in the place of `import.meta.dirname`. */
function findSource() {
  return path.join(import.meta.dirname, 'bundles.mjs');
}
