import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type Holder, type Lock, takeLock } from '#probe/kernel/file-lock.ts';
import { BUNDLE_INPUTS, BUNDLES_STAMP, DIST, digestOf, ROOT } from './bundles.mjs';
import { StartError } from './start-error.ts';

export { ROOT };

/** The built web application: `server.js` and all that it serves. */
export const WEB_BUILD = path.join(ROOT, DIST, 'standalone');

const CLIENT_INPUTS = ['prisma/schema.prisma', 'package-lock.json'];
const WEB_INPUTS = [
  ...['app', 'components', 'i18n', 'server', 'contract', 'analysis', 'public', 'proxy.ts', 'instrumentation.ts'],
  ...['prisma/schema.prisma', 'prisma/migrations', 'next.config.ts', 'postcss.config.mjs', 'tsconfig.json'],
  'package-lock.json',
];

/** Hears about work under way: a state in words. */
export type Progress = (text: string) => void;

/** Generates the Prisma client where it is missing or older than the schema. Returns whether it did. */
export async function prepareClient(progress: Progress, signal?: AbortSignal): Promise<boolean> {
  const stamp = path.join(ROOT, 'prisma/generated/.digest');
  return whenStale({ stamp, inputs: CLIENT_INPUTS, progress, signal }, async () => {
    progress('generating the database client');
    await runTool('prisma', 'build/index.js', ['generate', '--no-hints'], { signal });
  });
}

/** Bundles what Node runs (`bundles.mjs`) where that is missing or older than its sources. Returns whether it did. */
export async function prepareBundles(progress: Progress, signal?: AbortSignal): Promise<boolean> {
  return whenStale({ stamp: BUNDLES_STAMP, inputs: BUNDLE_INPUTS, progress, signal }, async () => {
    progress('bundling');
    // In a process of its own: the bundler's memory is not given back.
    await runScript('bundling', [path.join(ROOT, 'cli/bundle-main.ts')], { signal });
  });
}

/** Builds the web application where it is missing or older than its sources. Returns whether it did. */
export async function prepareWeb(progress: Progress, signal?: AbortSignal): Promise<boolean> {
  const stamp = path.join(WEB_BUILD, '.digest');
  return whenStale({ stamp, inputs: WEB_INPUTS, progress, signal }, async () => {
    const startedAt = performance.now();
    let stage = 'compiling';
    const tell = () => progress(`building, ${Math.round((performance.now() - startedAt) / 1_000)} s: ${stage}`);
    const timer = setInterval(tell, 1_000);
    tell();
    try {
      const onLine = (line: string) => {
        stage = line.replace(/^[^\p{L}]+/u, '').trim() || stage;
      };
      await runTool('next', 'dist/bin/next', ['build'], { onLine, signal });
    } finally {
      clearInterval(timer);
    }
    copyStaticFiles();
  });
}

/** The standalone server serves files from beside itself, yet the build leaves them out. */
function copyStaticFiles(): void {
  cpSync(path.join(ROOT, DIST, 'static'), path.join(WEB_BUILD, DIST, 'static'), { recursive: true });
  const files = path.join(ROOT, 'public');
  if (existsSync(files)) cpSync(files, path.join(WEB_BUILD, 'public'), { recursive: true });
}

type Made = { stamp: string; inputs: readonly string[]; progress: Progress; signal: AbortSignal | undefined };

/** Does the work where the stamp is not that of the inputs; one process at a time in a checkout, the others wait. */
async function whenStale({ stamp, inputs, progress, signal }: Made, work: () => Promise<void>): Promise<boolean> {
  const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOf(ROOT, inputs);
  if (isFresh()) return false;
  const unlock = await lockCheckout(progress, signal);
  try {
    if (isFresh()) return false;
    const digest = digestOf(ROOT, inputs);
    rmSync(stamp, { force: true });
    await work();
    mkdirSync(path.dirname(stamp), { recursive: true });
    writeFileSync(stamp, digest);
    return true;
  } finally {
    unlock();
  }
}

const LOCK_POLL_MS = 100;

async function lockCheckout(progress: Progress, signal: AbortSignal | undefined): Promise<() => void> {
  const folder = path.join(ROOT, 'node_modules/.cache');
  for (;;) {
    const taken = await tryLock(folder, signal);
    if ('release' in taken) return taken.release;
    progress(`waiting for process ${taken.pid} on host ${taken.host}, which is building here`);
    await pause(LOCK_POLL_MS, undefined, { signal });
  }
}

async function tryLock(folder: string, signal: AbortSignal | undefined): Promise<Lock | Holder> {
  try {
    mkdirSync(folder, { recursive: true });
    return await takeLock(path.join(folder, 'build.lock'), { signal });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The checkout ${ROOT} cannot be written to (${code}), which a build requires: run \`npx roundtrip build\` as its owner first, or use your own checkout.`,
    );
  }
}

type ToolOptions = { onLine?: (line: string) => void; signal?: AbortSignal | undefined };

/** Runs a package's command under this very Node. */
async function runTool(name: string, file: string, args: string[], options: ToolOptions): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  await runScript(`\`${name} ${args[0]}\``, [path.join(path.dirname(manifest), file), ...args], options);
}

/** Runs a script under this very Node; the end of its output goes into the error message. */
async function runScript(title: string, args: string[], { onLine, signal }: ToolOptions): Promise<void> {
  const child = spawn(process.execPath, args, {
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
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      onLine?.(line);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  const said = lines.slice(-40).join('\n');
  throw new StartError(`${title} failed with exit status ${code}; its output:\n${said}`);
}
