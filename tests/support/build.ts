import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = path.resolve(import.meta.dirname, '../..');
const distDir = process.env.NEXT_DIST_DIR ?? '.next';
const SOURCES = [
  'analysis',
  'app',
  'components',
  'contract',
  'i18n',
  'server',
  'prisma/schema.prisma',
  'instrumentation.ts',
];
const SETTINGS = ['next.config.ts', 'package.json', 'postcss.config.mjs'];

/**
 * The folder of the standalone build, made anew where it is missing or older than its sources. Test files that start at
 * once build once: the others wait.
 */
export async function ensureBuild(): Promise<string> {
  const standalone = path.join(root, distDir, 'standalone');
  const lock = path.join(root, 'node_modules/.cache', `build${distDir}.lock`);
  await mkdir(path.dirname(lock), { recursive: true });
  await takeLock(lock);
  try {
    if ((await newest([path.join(standalone, 'server.js')])) < (await newest([...SOURCES, ...SETTINGS].map(inRoot)))) {
      await build(standalone);
    }
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
  return standalone;
}

const inRoot = (name: string) => path.join(root, name);
const LOCK_STALE_MS = 120_000;

/** Making a folder either works or says that another process made it: a lock. One left by a killed process goes stale. */
async function takeLock(lock: string): Promise<void> {
  for (;;) {
    const made = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (made) return;
    const since = await newest([lock]);
    if (since > 0 && Date.now() - since > LOCK_STALE_MS) await rm(lock, { recursive: true, force: true });
    await sleep(100);
  }
}

async function build(standalone: string): Promise<void> {
  const child = spawn(process.execPath, [inRoot('node_modules/next/dist/bin/next'), 'build'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`next build ended with ${code}:\n${output}`);
  await cp(path.join(root, distDir, 'static'), path.join(standalone, distDir, 'static'), { recursive: true });
  await cp(inRoot('public'), path.join(standalone, 'public'), { recursive: true }).catch(() => undefined);
}

/** The newest modification under these paths, in ms since 1970; 0 where there is nothing. */
async function newest(paths: string[]): Promise<number> {
  const times = await Promise.all(paths.map(newestOf));
  return Math.max(0, ...times);
}

async function newestOf(name: string): Promise<number> {
  const info = await stat(name).catch(() => null);
  if (!info?.isDirectory()) return info?.mtimeMs ?? 0;
  const entries = await readdir(name, { recursive: true });
  const files = await Promise.all(entries.map((entry) => stat(path.join(name, entry)).catch(() => null)));
  return Math.max(info.mtimeMs, ...files.map((file) => file?.mtimeMs ?? 0));
}
