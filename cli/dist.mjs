// What `dist/` holds, which all but tests runs (docs/decisions/0047-one-build.md), and whether it is that of the sources. Plain
// JavaScript: it is read before anything that needs Node's TypeScript.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The checkout, or where it is installed. */
export const ROOT = path.resolve(import.meta.dirname, '..');

/** The built web application, `server.js` and all that it serves: a link to the folder of the newest build. */
export const WEB_BUILD = path.join(ROOT, 'dist/web');

/**
 * What Node runs as a process or thread of its own: its name, and its source. Those below `prober/` are all that a prober's image
 * has: they share no code with the others, which would bring that of the database along.
 */
export const ENTRIES = {
  main: 'cli/main.ts',
  leash: 'cli/start/leash.ts',
  clerk: 'cli/start/clerk-main.ts',
  web: 'cli/start/web-main.ts',
  'web-health': 'docker/web-health.ts',
  server: 'cli/start/server-main.ts',
  jobs: 'workers/jobs/main.ts',
  'jobs-thread': 'workers/jobs/thread.ts',
  'jobs-health': 'docker/jobs-health.ts',
  'probe-thread': 'cli/probe/worker.ts',
  demo: 'demo/main.ts',
  'demo-origins': 'demo/origins-worker.ts',
  'demo-past': 'cli/demo/past-main.ts',
  'prober/main': 'workers/prober/main.ts',
  'prober/thread': 'workers/prober/threads/thread.ts',
  'prober/watcher': 'probe/kernel/watcher-thread.ts',
  'prober/health': 'docker/prober-health.ts',
};

/**
 * The file that Node runs for an entry, relative to the checkout.
 * @param {keyof typeof ENTRIES} entry
 */
export const bundleOf = (entry) => `dist/${entry}.mjs`;

/** The packages as they are wanted, and as npm installed them. */
const PACKAGES = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'];

/** What is built: of which sources, and the file whose time is that of the newest of them. */
export const PRODUCTS = {
  'database client': { stamp: 'prisma/generated/.built', sources: ['prisma/schema.prisma', 'package-lock.json'] },
  program: {
    stamp: 'dist/.built',
    sources: [
      ...['analysis', 'cli', 'contract', 'demo', 'docker', 'i18n', 'probe', 'server', 'workers'],
      ...['prisma/schema.prisma', ...PACKAGES],
    ],
  },
  'web application': {
    stamp: 'dist/web/.built',
    sources: [
      ...['app', 'components', 'i18n', 'server', 'contract', 'analysis', 'public', 'proxy.ts', 'instrumentation.ts'],
      ...['prisma/schema.prisma', 'prisma/migrations', 'next.config.ts', 'postcss.config.mjs', 'tsconfig.json'],
      ...PACKAGES,
    ],
  },
};

/**
 * Why a product is to be built, in words; null where it is there and no older than its sources. What came without sources (an image) is
 * taken as it is.
 * @param {keyof typeof PRODUCTS} product
 */
export function whyBuild(product) {
  const { stamp, sources } = PRODUCTS[product];
  if (!existsSync(path.join(ROOT, stamp))) return 'there is none';
  if (!existsSync(path.join(ROOT, 'server'))) return null;
  const { file, at } = newestOf(sources);
  return at > newestOf([stamp]).at ? `${file} has changed` : null;
}

/**
 * The file or folder that was changed last, of these and all in them, and when (epoch ms). Of a file that is gone its folder tells.
 * @param {readonly string[]} files relative to the checkout
 */
export function newestOf(files) {
  let newest = { file: '', at: 0 };
  for (const file of files) {
    const stats = statSync(path.join(ROOT, file), { throwIfNoEntry: false });
    if (!stats) continue;
    const at = Math.round(stats.mtimeMs);
    if (at > newest.at) newest = { file, at };
    if (!stats.isDirectory()) continue;
    const inside = newestOf(readdirSync(path.join(ROOT, file)).map((name) => path.join(file, name)));
    if (inside.at > newest.at) newest = inside;
  }
  return newest;
}
