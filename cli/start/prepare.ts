import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { digestOf } from './inputs.ts';
import { StartError } from './start-error.ts';

/** The checkout. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

const CLIENT_INPUTS = ['prisma/schema.prisma', 'package-lock.json'];
const WEB_INPUTS = [
  ...['app', 'components', 'i18n', 'server', 'contract', 'analysis', 'public', 'proxy.ts', 'instrumentation.ts'],
  ...['prisma/schema.prisma', 'next.config.ts', 'next.config.mjs', 'postcss.config.mjs', 'tsconfig.json'],
  'package-lock.json',
];

/** Hears about work under way: a state in words. */
export type Progress = (text: string) => void;

/** Generates the Prisma client where it is missing or older than the schema. Returns whether it did. */
export async function prepareClient(progress: Progress, signal?: AbortSignal): Promise<boolean> {
  const stamp = path.join(ROOT, 'prisma/generated/.digest');
  return whenStale(stamp, CLIENT_INPUTS, async () => {
    progress('generating the database client');
    await runTool('prisma', 'build/index.js', ['generate', '--no-hints'], { signal });
  });
}

/** Builds the web application where it is missing or older than its sources. Returns whether it did. */
export async function prepareWeb(progress: Progress, signal?: AbortSignal): Promise<boolean> {
  const stamp = path.join(ROOT, '.next/standalone/.digest');
  return whenStale(stamp, WEB_INPUTS, async () => {
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
  const standalone = path.join(ROOT, '.next/standalone');
  cpSync(path.join(ROOT, '.next/static'), path.join(standalone, '.next/static'), { recursive: true });
  const files = path.join(ROOT, 'public');
  if (existsSync(files)) cpSync(files, path.join(standalone, 'public'), { recursive: true });
}

async function whenStale(stamp: string, inputs: string[], work: () => Promise<void>): Promise<boolean> {
  const digest = digestOf(ROOT, inputs);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return false;
  rmSync(stamp, { force: true });
  await work();
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
  return true;
}

type ToolOptions = { onLine?: (line: string) => void; signal?: AbortSignal | undefined };

/** Runs a package's command under this very Node; the end of its output goes into the error message. */
async function runTool(name: string, file: string, args: string[], { onLine, signal }: ToolOptions): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const script = path.join(path.dirname(manifest), file);
  const child = spawn(process.execPath, [script, ...args], {
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
  throw new StartError(`\`${name} ${args[0]}\` failed with exit status ${code}; it said:\n${said}`);
}
