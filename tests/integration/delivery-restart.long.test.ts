import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { closeDatabase } from '#server/database/database.ts';
import { migrate } from '#server/database/migrate.ts';
import { LEASE_SECONDS } from '#server/webhooks/lease.ts';
import {
  allowLoopback,
  bodiesById,
  enqueue,
  incidentsTold,
  makeEvent,
  makeWebhook,
  statesOf,
} from '../support/deliveries.ts';
import { prepareFolder } from '../support/folder.ts';
import { stop } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const CRASHES = 3;

// A server of its own, because it is stopped as a failing machine stops it.

let server: EmbeddedPostgres;
let jobs: ChildProcess | undefined;
const receivers: Receiver[] = [];
const folder = prepareFolder('restart');
beforeAll(async () => {
  allowLoopback();
  server = await startServer();
  await migrate(server.url);
  await closeDatabase();
  process.env.DATABASE_URL = server.url;
});
afterAll(async () => {
  if (jobs) await stop(jobs, 'SIGKILL');
  for (const receiver of receivers) await receiver.stop();
  await closeDatabase();
  await server.stop();
  await rm(server.location, { recursive: true, force: true });
});

const startServer = () => startEmbeddedPostgres({ dataDir: folder, log: () => {} });

/** `pg_ctl stop -m immediate`: no connection is told, nothing is written down any more; the next start recovers. */
async function crashAndRestart(): Promise<void> {
  await closeDatabase();
  const pid = await readFile(path.join(server.location, 'cluster', 'postmaster.pid'), 'utf8');
  process.kill(Number.parseInt(pid, 10), 'SIGQUIT');
  await server.stop();
  const { url } = server;
  server = await startServer();
  expect(server.url).toBe(url);
}

it('a database that crashes and comes back while messages go out loses none and gives no id to two', async () => {
  // The first fails now and then, the second is slow, so that requests are under way at every crash. No message fails twice: it would wait
  // five minutes.
  let count = 0;
  const refused = new Set<string>();
  const refuses = (id: string) => ++count % 5 === 0 && !refused.has(id) && refused.add(id);
  receivers.push(
    await startReceiver(({ headers }) => ({ status: refuses(String(headers['webhook-id'])) ? 500 : 200 })),
    await startReceiver(() => new Promise((resolve) => setTimeout(resolve, 150, {}))),
  );
  const webhooks = await Promise.all(receivers.map(({ url }) => makeWebhook({ url })));
  jobs = fork('workers/jobs/main.ts', { env: { ...process.env, LOG_LEVEL: 'silent' }, silent: true });
  await once(jobs, 'message');

  const events: string[] = [];
  for (let round = 0; round < CRASHES; round++) {
    const fresh = Array.from({ length: 8 }, () => makeEvent());
    events.push(...fresh.map(({ incidentId }) => String(incidentId)));
    const before = receivers.map(({ received }) => received.length);
    await enqueue(fresh, new Date());
    // Something of this round has come, and the rest is under way.
    await Promise.all(receivers.map(({ next }, n) => next((before[n] ?? 0) + 1)));
    await crashAndRestart();
  }

  for (const [n, receiver] of receivers.entries()) {
    await expect
      .poll(async () => (await statesOf(webhooks[n]?.id ?? '')).pending, { timeout: (LEASE_SECONDS + 60) * 1_000 })
      .toBeUndefined();
    const told = new Set([...bodiesById(receiver.received).values()].flatMap(incidentsTold));
    expect([...told].sort()).toEqual([...events].sort());
  }
  expect(jobs.exitCode).toBeNull();
  expect(await stop(jobs)).toBe(0);
}, 400_000);
