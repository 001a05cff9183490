import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { LEASE_SECONDS } from '#server/webhooks/lease.ts';
import { bodiesById, enqueue, incidentsTold, makeEvent, makeWebhook, statesOf } from '../support/deliveries.ts';
import { extent, isLong } from '../support/extent.ts';
import { onServer } from '../support/on-server.ts';
import { prepareOutbox } from '../support/outbox.ts';

const { receive, databaseUrl } = prepareOutbox();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(file: string, args: string[] = []): ChildProcess {
  const env = { ...process.env, DATABASE_URL: databaseUrl(), LOG_LEVEL: 'fatal' };
  const child = fork(file, args, { env });
  children.push(child);
  return child;
}

const CUTS = extent(2, 10);
const KILLS = extent(2, 4);

const ended = async (child: ChildProcess) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** What `work` brings, but an error as soon as the process ends over it. */
async function whileRunning<T>(child: ChildProcess, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const over = once(child, 'exit', { signal: done.signal }).then(([code, signal]): never => {
    throw new Error(`the process ended with ${code ?? signal}`);
  });
  return await Promise.race([work, over]).finally(() => {
    over.catch(() => {});
    done.abort();
  });
}

/** What a restart of the database does to its clients. */
async function cutConnections(): Promise<void> {
  // Those of this process are closed in peace: the test is to see how the jobs take it.
  await closeDatabase();
  await onServer(
    databaseUrl(),
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

// A process takes a second to start, and half a minute where the machine is busy; a test starts up to seven.

describe('a process that is killed', () => {
  it.runIf(isLong)(
    'between the request and its commit sends the message again, under its id',
    async () => {
      let victim: ChildProcess | null = null;
      const receiver = await receive(() => {
        victim?.kill('SIGKILL');
        return victim ? 'hang' : {};
      });
      const webhook = await makeWebhook({ url: receiver.url });
      await enqueue([makeEvent()], new Date());
      victim = start('tests/support/deliver-child.ts');
      await ended(victim);
      victim = null;
      expect(receiver.received).toHaveLength(1);
      expect(await statesOf(webhook.id)).toEqual({ pending: 1 });
      await ended(start('tests/support/deliver-child.ts', ['1']));
      expect(receiver.received).toHaveLength(1);
      await ended(start('tests/support/deliver-child.ts', [String(LEASE_SECONDS + 1)]));
      expect(await statesOf(webhook.id)).toEqual({ delivered: 1 });
      expect(receiver.received).toHaveLength(2);
      expect(bodiesById(receiver.received).size).toBe(1);
      const { rows } = await getPool().query('select error from delivery_attempt order by at');
      expect(rows).toEqual([{ error: 'the sending process ended before there was an answer' }, { error: null }]);
    },
    400_000,
  );

  it.runIf(isLong)(
    'at any point, again and again, loses no event and never gives one id to two messages',
    async () => {
      let killAt = 1;
      let victim: ChildProcess | null = null;
      const receiver = await receive(() => {
        if (receiver.received.length === killAt) setImmediate(() => victim?.kill('SIGKILL'));
        return {};
      });
      const webhook = await makeWebhook({ url: receiver.url });
      const events: string[] = [];
      let offset = 0;
      for (let round = 0; round < KILLS; round++) {
        const fresh = Array.from({ length: 6 + round * 3 }, () => makeEvent());
        events.push(...fresh.map(({ incidentId }) => String(incidentId)));
        await enqueue(fresh, new Date(Date.now() + offset * 1_000));
        killAt = receiver.received.length + 1 + (round % 3);
        victim = start('tests/support/deliver-child.ts', [String(offset)]);
        await ended(victim);
        offset += LEASE_SECONDS + 1;
      }
      killAt = -1;
      for (let turn = 0; turn < 3; turn++) {
        await ended(start('tests/support/deliver-child.ts', [String(offset)]));
        offset += LEASE_SECONDS + 1;
      }
      const told = [...bodiesById(receiver.received).values()].flatMap(incidentsTold);
      expect(told.sort()).toEqual(events.sort());
      expect((await statesOf(webhook.id)).pending).toBeUndefined();
    },
    400_000,
  );
});

describe('the jobs', () => {
  it('send what is put into the outbox, also after their connections were cut', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const jobs = start('workers/jobs/main.ts');
    await whileRunning(jobs, once(jobs, 'message'));
    const events: string[] = [];
    for (let round = 0; round < CUTS; round++) {
      const event = makeEvent();
      events.push(String(event.incidentId));
      const before = receiver.received.length;
      await enqueue([event], new Date());
      await whileRunning(jobs, receiver.next(before + 1));
      // Each time a little later: before the answer is noted, after it, while the job is being ended.
      await sleep((round * 40) / CUTS);
      await cutConnections();
    }
    await expect
      .poll(async () => (await statesOf(webhook.id)).pending, { timeout: (LEASE_SECONDS + 30) * 1_000 })
      .toBeUndefined();
    const told = new Set([...bodiesById(receiver.received).values()].flatMap(incidentsTold));
    expect([...told].sort()).toEqual(events.sort());
    jobs.kill('SIGTERM');
    await ended(jobs);
    expect(jobs.exitCode).toBe(0);
  }, 400_000);

  it.runIf(isLong)(
    'two at a time send each message once',
    async () => {
      const receivers = await Promise.all(Array.from({ length: 4 }, () => receive()));
      for (const { url } of receivers) await makeWebhook({ url });
      const pair = [start('workers/jobs/main.ts'), start('workers/jobs/main.ts')];
      await Promise.all(pair.map((child) => once(child, 'message')));
      for (let n = 0; n < 5; n++) await enqueue([makeEvent()], new Date());
      await Promise.all(receivers.map(({ next }) => next(5)));
      await expect
        .poll(async () => (await getPool().query(`select from delivery where status = 'pending'`)).rowCount, {
          timeout: 60_000,
        })
        .toBe(0);
      for (const { received } of receivers) {
        expect(received).toHaveLength(5);
        expect(bodiesById(received).size).toBe(5);
      }
    },
    400_000,
  );
});
