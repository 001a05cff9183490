import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '#contract/check.ts';
import type { VantageRef } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { IngestServer } from '../support/ingest-server.ts';

const MAIN = join(import.meta.dirname, '../../demo/main.ts');
const vantages: VantageRef[] = DEMO_VANTAGES.map((vantage) => ({ ...vantage, id: v7() }));

type SaidOrigin = { key: string; name: string; url: string; caPem: string };
let folder: string;
let server: IngestServer;
let child: ChildProcess | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundtrip-demo-'));
  const [first] = vantages;
  if (!first) throw new Error('no vantages');
  server = new IngestServer(first);
  await server.open();
});
afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the process as `roundtrip start` does, and gives it the token (null: no demo). */
async function started(token: string | null): Promise<{ child: ChildProcess; said: unknown[] }> {
  const made = fork(MAIN, {
    execArgv: [],
    silent: true,
    env: { ...process.env, ROUNDTRIP_SERVER: server.url, ROUNDTRIP_DATA: folder },
  });
  child = made;
  const said: unknown[] = [];
  made.on('message', (message) => said.push(message));
  const [first] = (await once(made, 'message')) as [{ origins: SaidOrigin[] }];
  if (server.polls.length === 0) for (const origin of first.origins) assign(origin);
  made.send({ token });
  return { child: made, said };
}

function assign({ url, caPem }: SaidOrigin): void {
  for (const vantage of vantages) {
    const check: Check = {
      id: v7(),
      targetId: v7(),
      url,
      vantage,
      demo: true,
      periodSeconds: 30,
      timeoutMs: 20_000,
      settings: ProbeSettings.parse({ caPem }),
      allowPrivate: true,
    };
    server.put(check);
  }
}

describe('the demo as a process', () => {
  it('brings results of all places and origins before a visitor has waited for long, and ends on SIGTERM', async () => {
    const { child: running, said } = await started(server.token);
    const places = () => new Set([...server.results.values()].map(({ url, vantage }) => `${url} ${vantage?.name}`));
    const begun = performance.now();
    await server.until(() => places().size === 279);
    const seconds = (performance.now() - begun) / 1_000;
    console.info(`279 checks measured and uploaded within ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(14);
    const results = [...server.results.values()];
    expect(results.filter(({ ok }) => ok).length).toBeGreaterThan(270);
    expect(results.every(({ demo, network }) => demo && network.minRttMs === null)).toBe(true);
    expect(said).toContainEqual({ ready: true });
    running.kill('SIGTERM');
    expect(await once(running, 'exit')).toEqual([0, null]);
  });

  it('ends quietly, saying so, when the server no longer knows it', async () => {
    const { child: running, said } = await started(server.token);
    await server.until(() => server.results.size > 0);
    server.revoked = true;
    expect(await once(running, 'exit')).toEqual([0, null]);
    expect(said).toContainEqual({ removed: true });
  });

  it('ends quietly when there is to be no demo', async () => {
    const { child: running, said } = await started(null);
    expect(await once(running, 'exit')).toEqual([0, null]);
    expect(said).toContainEqual({ removed: true });
  });

  it('ends when its supervisor is gone', async () => {
    const { child: running } = await started(server.token);
    await server.until(() => server.results.size > 0);
    running.disconnect();
    expect(await once(running, 'exit')).toEqual([0, null]);
  });
});
