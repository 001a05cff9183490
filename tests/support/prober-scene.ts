import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Prober, type ProberOptions, startProber } from '#workers/prober/prober.ts';
import { testDatabase } from './database.ts';
import { FaultProxy } from './fault-proxy.ts';
import { type IngestRoutes, serveIngest } from './ingest-routes.ts';
import { IngestServer } from './ingest-server.ts';
import { startTlsTarget, TEST_VANTAGE, type TlsTarget } from './tls-target.ts';
import { storedResults, unwatch, type Watched, watch } from './watched.ts';

// What each test of a prober has for itself, so that tests which mostly wait can do so side by side.

const MAIN = join(import.meta.dirname, '../../workers/prober/main.ts');
/** The longest that such a test waits for something, and how often it looks. */
export const within = { timeout: 60_000, interval: 20 };

type ProcessOptions = { token?: string; threads?: number; env?: Record<string, string>; execArgv?: string[] };

/** The probers of one test, their data folder and their log. */
export class ProberBench {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'prober-'));
  readonly log: string[] = [];
  readonly #server: { url: string; token: string };
  readonly #probers: Prober[] = [];
  readonly #children: ChildProcess[] = [];

  constructor(server: { url: string; token: string }) {
    this.#server = server;
  }

  /** A prober in this process. */
  start = async (options: Partial<ProberOptions> = {}): Promise<Prober> => {
    const { url: server, token } = this.#server;
    // A stop on a busy machine takes the time that it takes.
    const stopGraceMs = within.timeout;
    const defaults = { server, token, dataDir: this.dataDir, firstSpreadMs: 200, stopGraceMs, logger: this.logger };
    const prober = await startProber({ ...defaults, allowPrivate: ['127.0.0.1'], ...options });
    this.#probers.push(prober);
    return prober;
  };

  /** A prober as a process of its own; it sends a message as soon as it measures. */
  spawn = ({ token = this.#server.token, threads, env = {}, execArgv = [] }: ProcessOptions = {}): ChildProcess => {
    const args = ['--server', this.#server.url, '--token', token, '--data', this.dataDir];
    if (threads !== undefined) args.push('--threads', String(threads));
    const child = fork(MAIN, args, {
      execArgv,
      env: { ...process.env, ROUNDTRIP_ALLOW_PRIVATE: '127.0.0.1', ...env },
      silent: true,
    });
    this.#children.push(child);
    return child;
  };

  get logger() {
    const say = (message: string) => void this.log.push(message);
    return { debug: say, info: say, warn: say, error: say };
  }

  /** What lies in the prober's quarantine. */
  quarantine(): { field: string | null; reason: string; result: { id: string; targetId: string } }[] {
    const file = join(this.dataDir, 'quarantine/refused.ndjson');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
    return lines.map((line) => JSON.parse(line));
  }

  async stop(): Promise<void> {
    for (const prober of this.#probers) await prober.stop();
    for (const child of this.#children) await end(child, 'SIGKILL');
  }

  remove(): void {
    rmSync(this.dataDir, { recursive: true });
  }
}

/** Ends a process that still runs, and waits until it has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

/** Waits until the prober has started so many more probes, wherever their results are. */
export async function moreProbes(prober: Prober, more: number): Promise<void> {
  const goal = prober.stats().started + more;
  await vi.waitFor(() => expect(prober.stats().started).toBeGreaterThanOrEqual(goal), within);
}

/** Probers against the server's side of their contract, without a database. */
export type ContractScene = { bench: ProberBench; server: IngestServer; target: TlsTarget };

/** Tests each with a server of their own that keeps to the contract, and holds the prober to it. */
export const contractTest = test.extend<{ scene: ContractScene }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest demands the braces, and this fixture needs no other
  scene: async ({}, use) => {
    const target = await startTlsTarget();
    const server = new IngestServer(TEST_VANTAGE);
    await server.open();
    const bench = new ProberBench(server);
    await use({ bench, server, target });
    await bench.stop();
    await server.close();
    await target.close();
    bench.remove();
    expect(server.faults).toEqual([]);
  },
});

/** Probers, a proxy at which things go wrong, and the server's own routes on a real database. */
export type RoutesScene = {
  bench: ProberBench;
  /** The address of the routes without the proxy, which hands on whole answers alone. */
  server: string;
  proxy: FaultProxy;
  target: TlsTarget;
  watched: Watched;
  /** Waits until so many results are stored. */
  untilStored(count: number): Promise<void>;
};

let routes: IngestRoutes;

/** For the top of a file that has `routesTest`s: the routes and the file's database, which they share. */
export function prepareRoutes(): void {
  let drop: () => Promise<void>;
  beforeAll(async () => {
    process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS = '1';
    process.env.LOG_LEVEL = 'silent';
    process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
    ({ drop } = await testDatabase());
    routes = await serveIngest();
  });
  afterAll(async () => {
    await routes.close();
    await drop();
  });
}

/** Tests each with a target, a vantage and a way to the server of their own. */
export const routesTest = test.extend<{ scene: RoutesScene }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest demands the braces, and this fixture needs no other
  scene: async ({}, use) => {
    const target = await startTlsTarget();
    const proxy = await new FaultProxy(routes.url).open();
    const watched = await watch(target);
    const bench = new ProberBench({ url: proxy.url, token: watched.token });
    const untilStored = (count: number) =>
      vi.waitFor(
        async () => expect((await storedResults(watched.targetId)).length).toBeGreaterThanOrEqual(count),
        within,
      );
    await use({ bench, server: routes.url, proxy, target, watched, untilStored });
    proxy.fault = () => null;
    proxy.release();
    await bench.stop();
    await proxy.close();
    await target.close();
    await unwatch(watched);
    bench.remove();
  },
});
