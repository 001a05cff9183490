// Makes `dist/` (dist.mjs): `node cli/build.ts PRODUCT...`, a process of its own, since a bundler's memory is not given back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Plugin } from 'rolldown';
import { type Holder, type Lock, takeLock } from '#probe/kernel/file-lock.ts';
import { bundleOf, ENTRIES, newestOf, PRODUCTS, ROOT, WEB_BUILD, whyBuild } from './dist.mjs';
import { openTerminal } from './start/terminal.ts';
import { StartError } from './start-error.ts';

type Product = keyof typeof PRODUCTS;

const WORK: Record<Product, (signal?: AbortSignal) => Promise<void>> = {
  'database client': (signal) => runTool('prisma', 'build/index.js', ['generate', '--no-hints'], signal),
  program: bundle,
  'web application': buildWeb,
};

/**
 * Builds a product where it is missing or older than its sources, one process at a time in a checkout. Says so on standard error:
 * standard output belongs to the command that needs it.
 */
export async function build(product: Product, signal?: AbortSignal): Promise<void> {
  if (whyBuild(product) === null) return;
  if (product !== 'database client') await build('database client', signal);
  const terminal = openTerminal(process.stderr);
  const unlock = await lockCheckout((text) => terminal.progress('Build', text), signal);
  const [why, startedAt] = [whyBuild(product), performance.now()];
  const what = () => `${product}, since ${why}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  const timer = setInterval(() => terminal.progress('Build', what()), 1_000);
  try {
    if (why === null) return;
    const stamp = path.join(ROOT, PRODUCTS[product].stamp);
    // Of a file from the future, as a wrong clock makes it, the time is not taken: what is edited until then would go unseen.
    const at = Math.min(newestOf(PRODUCTS[product].sources).at, Date.now()) / 1_000;
    rmSync(stamp, { force: true });
    await WORK[product](signal);
    writeFileSync(stamp, '');
    utimesSync(stamp, at, at);
    terminal.line('Build', what());
  } finally {
    clearInterval(timer);
    unlock();
  }
}

const LOCK_POLL_MS = 100;

async function lockCheckout(tell: (text: string) => void, signal: AbortSignal | undefined): Promise<() => void> {
  for (;;) {
    const taken = await tryLock(signal);
    if ('release' in taken) return taken.release;
    tell(`waiting for process ${taken.pid} on host ${taken.host}, which is building here`);
    await pause(LOCK_POLL_MS, undefined, { signal });
  }
}

async function tryLock(signal: AbortSignal | undefined): Promise<Lock | Holder> {
  const folder = path.join(ROOT, 'node_modules/.cache');
  try {
    mkdirSync(folder, { recursive: true });
    return await takeLock(path.join(folder, 'build.lock'), { signal, mode: 0o666 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The checkout ${ROOT} cannot be written to (${code}), which a build requires: run \`npx roundtrip build\` as its owner first, or use your own checkout.`,
    );
  }
}

/** How long files of earlier bundles stay once there are newer ones, ms. */
const KEPT_MS = 86_400_000;
/** The names of the files that the last build made. */
const MADE = '.made.json';

/** The files of each entry: its source and its bundle. */
const BUNDLES = Object.entries(ENTRIES).map(([entry, source]) => ({
  source: path.join(ROOT, source),
  file: path.join(ROOT, bundleOf(entry as keyof typeof ENTRIES)),
}));

/** Joins the files of each entry, types stripped, with the packages they use; what lies in one folder shares what it has in common. */
async function bundle(): Promise<void> {
  for (const [folder, entries] of Map.groupBy(BUNDLES, ({ file }) => path.dirname(file)))
    await bundleInto(folder, entries);
}

async function bundleInto(folder: string, entries: typeof BUNDLES): Promise<void> {
  const { rolldown } = await import('rolldown');
  const bundles = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: Object.fromEntries(entries.map(({ source, file }) => [path.basename(file, '.mjs'), source])),
    // Loads a library of the system's kind by its own path; a driver that is not there.
    external: ['koffi', 'pg-native'],
    plugins: [placesFor(folder)],
    onLog(level, log) {
      if (level === 'warn' && log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
  });
  endLast(folder);
  const names = { entryFileNames: '[name].mjs', chunkFileNames: 'chunk-[name]-[hash].mjs' };
  const { output } = await bundles.write({ dir: folder, format: 'esm', ...names, sourcemap: true });
  await bundles.close();
  removeOld(
    folder,
    output.map(({ fileName }) => fileName),
  );
}

/** Our own sources name files relative to themselves; a bundle lies elsewhere, beside all others. */
function placesFor(folder: string): Plugin {
  const from = (file: string) => path.relative(folder, file).split(path.sep).join('/');
  return {
    name: 'places',
    transform(code, id) {
      if (!id.startsWith(ROOT) || id.includes('/node_modules/')) return null;
      const moved = code
        .replace(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g, (_, source: string) => {
          const started = BUNDLES.find((each) => each.source === path.join(path.dirname(id), source));
          if (!started) throw new Error(`${id} starts ${source}, which is not among ENTRIES of cli/dist.mjs`);
          return `new URL('./${from(started.file)}', import.meta.url)`;
        })
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${from(path.dirname(id))}`)})`);
      return moved === code ? null : { code: moved, map: null };
    },
  };
}

/** The files that the last build made get the time from which on nothing new loads them. */
function endLast(folder: string): void {
  const list = path.join(folder, MADE);
  const last: string[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const now = Date.now() / 1_000;
  for (const file of last.map((name) => path.join(folder, name))) if (existsSync(file)) utimesSync(file, now, now);
}

/** A Roundtrip that runs here from earlier bundles may still load a part of them. Those of this build are all new. */
function removeOld(folder: string, made: string[]): void {
  for (const file of globSync('*.{mjs,mjs.map}', { cwd: folder }).map((name) => path.join(folder, name)))
    if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
  writeFileSync(path.join(folder, MADE), JSON.stringify(made));
}

/**
 * Next's standalone server serves files from beside itself, yet the build leaves them out. It loads its pages when they are asked for: one
 * that runs keeps its folder, and the next start takes the new one.
 */
async function buildWeb(signal?: AbortSignal): Promise<void> {
  await runTool('next', 'dist/bin/next', ['build'], signal);
  const made = path.join(ROOT, '.next/standalone');
  cpSync(path.join(ROOT, '.next/static'), path.join(made, '.next/static'), { recursive: true });
  cpSync(path.join(ROOT, 'public'), path.join(made, 'public'), { recursive: true });
  const dist = path.dirname(WEB_BUILD);
  const folder = `web-${Date.now()}`;
  mkdirSync(dist, { recursive: true });
  renameSync(made, path.join(dist, folder));
  const link = path.join(dist, '.web');
  rmSync(link, { force: true });
  symlinkSync(folder, link);
  renameSync(link, WEB_BUILD);
  const before = readdirSync(dist).filter((name) => /^web-\d+$/.test(name) && name !== folder);
  for (const name of before.sort().slice(0, -1)) rmSync(path.join(dist, name), { recursive: true });
}

/** Runs a package's command under this very Node; the end of its output goes into the error message. */
async function runTool(name: string, file: string, args: string[], signal: AbortSignal | undefined): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const child = spawn(process.execPath, [path.join(path.dirname(manifest), file), ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      CHECKPOINT_DISABLE: '1',
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'close');
  if (code === 0) return;
  const lines = (await said).join('').trim().split('\n').slice(-40);
  throw new StartError(`\`${name} ${args[0]}\` failed with exit status ${code}; its output:\n${lines.join('\n')}`);
}

if (import.meta.main) {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  try {
    for (const product of process.argv.slice(2)) await build(product as Product, stop.signal);
  } catch (error) {
    const { name, message, stack } = error as Error;
    if (!stop.signal.aborted) process.stderr.write(`roundtrip: ${name === 'StartError' ? message : stack}\n`);
    process.exitCode = stop.signal.aborted ? 130 : 2;
  }
}
