import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { build } from '#cli/build.ts';
import { WEB_BUILD } from '#cli/dist.mjs';
import { collect, freePort, stop } from './process.ts';

/** A running web process: the real one, from the production build. */
export type TestServer = {
  baseUrl: string;
  pid: number | undefined;
  stop: () => Promise<number | null>;
  output: () => string;
};
/** `databaseUrl`: another database than that of this process. `folder`: that of another build, with its `server.js`. */
export type TestServerOptions = { databaseUrl?: string; env?: Record<string, string>; folder?: string };

/** Starts the dashboard and API on a free port of 127.0.0.1, building them first where the build is missing or old. */
export async function startTestServer({
  databaseUrl = process.env.DATABASE_URL ?? '',
  env = {},
  folder = WEB_BUILD,
}: TestServerOptions = {}): Promise<TestServer> {
  if (folder === WEB_BUILD) await build('web application');
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(folder, 'server.js')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: String(port),
      HOSTNAME: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      ROUNDTRIP_SECRET: 'a secret of the tests, and of them alone',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const output = collect(child);
  const baseUrl = `http://127.0.0.1:${port}`;
  const end = ended(child, output);
  await Promise.race([serving(child, baseUrl, output).catch(() => end), end]);
  // It ends after all when the test stops it: that is no failure.
  end.catch(() => undefined);
  return { baseUrl, pid: child.pid, stop: () => stop(child), output };
}

/** Next says «Ready» once it listens; the first answer comes when it has also read its environment. */
async function serving(child: ChildProcess, baseUrl: string, output: () => string): Promise<void> {
  while (!output().includes('Ready in')) await once(child.stdout ?? child, 'data');
  await fetch(`${baseUrl}/api/health`);
}

/** A process that ends before it serves has said why. */
async function ended(child: ChildProcess, output: () => string): Promise<never> {
  const [code] = await once(child, 'close');
  throw new Error(`the server ended with ${code}: ${output()}`);
}
