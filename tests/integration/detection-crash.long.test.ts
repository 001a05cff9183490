import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { closeDatabase, getPool, getPrisma } from '#server/database/database.ts';
import { migrate } from '#server/database/migrate.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { testDatabase } from '../support/database.ts';
import {
  detected,
  detectUntil,
  forgetDetection,
  HOUR,
  incidentsMade,
  insertWebhook,
  messageTypes,
  noise,
  untilNobodyLeads,
} from '../support/detecting.ts';
import { chance, writeHistory } from '../support/history.ts';
import { clockAhead, FRIDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

/** Seconds since 1970. */
const END = FRIDAY / 1_000;
const SPIKE_AT = END - 2 * HOUR;
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB'].map((region) => makeVantage(region, 'telecom'));

let children: ChildProcess[] = [];
let cleanUp: () => Promise<void>;
beforeEach(() => {
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await cleanUp();
});

/** What a stretch is written to, in this order. */
const WRITES = ['detection', 'incident', 'incident_event', 'delivery', 'incident_detection'];

/** Quiet hours, of which a baseline needs the last four, one in which TLS takes 120 ms longer, and a quiet one. */
async function writeSpike(): Promise<void> {
  const targetId = await insertTarget();
  const noisy = noise(11);
  await writeHistory(
    vantages.map((vantage) => ({ targetId, vantage })),
    { from: END - 10 * HOUR, to: END },
    (_check, at) => ({ rtt: noisy(40), tls: noisy(45) + (at >= SPIKE_AT && at < SPIKE_AT + HOUR ? 120 : 0) }),
  );
}

/** What a job that nothing happens to makes of it, live over the spike. All of it is forgotten again. */
async function undisturbed(step: number) {
  const job = createDetectionJob();
  await detectUntil(job, SPIKE_AT - HOUR);
  for (let now = SPIKE_AT - HOUR; now <= END + GRACE_SECONDS; now += step) await detectUntil(job, now);
  await job.close();
  const expected = await everything();
  expect(expected.incidents).toHaveLength(1);
  await forgetDetection();
  return expected;
}

/** All that must not differ, with names in place of ids that chance gave. */
async function everything() {
  const incidents = (await incidentsMade()).map(({ timeline, status, kind, cells, openedAt, resolvedAt, onsetAt }) => {
    const told = timeline.join(' ');
    return { told, status, kind, cells, openedAt, resolvedAt, onsetAt };
  });
  return { detections: await detected(), incidents, messages: await messageTypes() };
}

function start(script: string, args: number[] = [], clock = { env: {}, execArgv: [] as string[] }): ChildProcess {
  const env = { ...process.env, DATABASE_URL: process.env.DATABASE_URL, LOG_LEVEL: 'error', ...clock.env };
  const child = fork(script, args.map(String), { env, execArgv: clock.execArgv });
  children.push(child);
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  await untilNobodyLeads();
}

/** Holds everybody who writes to a table up, until `release`. */
async function hold(table: string) {
  const client = await getPool().connect();
  await client.query('begin');
  await client.query(`lock table ${table} in share mode`);
  return { waiting: waitingForLocks, release: () => client.release(true) };
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await getPool().query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
}

const countOf = async (table: string) =>
  (await getPool().query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n ?? 0;

describe('a process that detects and is killed', { timeout: 600_000 }, () => {
  beforeEach(async () => {
    const database = await testDatabase(vantages);
    cleanUp = () => database.drop();
    await insertWebhook();
    await writeSpike();
  });

  it('leaves nothing of a stretch of which not everything was written, at any of its writes', async () => {
    const expected = await undisturbed(300);
    const live: [number, number] = [SPIKE_AT - HOUR, END + GRACE_SECONDS];
    for (const table of WRITES) {
      const held = await hold(table);
      const child = start('tests/support/detect-child.ts', [...live, 300]);
      await expect.poll(held.waiting, { timeout: 120_000 }).toBe(1);
      const ticks = await countOf('detector_tick');
      await killed(child);
      held.release();
      expect(await countOf('detector_tick')).toBe(ticks);
      for (const made of ['detection', 'incident', 'incident_event', 'delivery']) expect(await countOf(made)).toBe(0);
    }
    const last = start('tests/support/detect-child.ts', [...live, 300]);
    await once(last, 'exit');
    expect(await everything()).toEqual(expected);
  });

  it('between its tick and what follows from that for the incidents is followed by one that does it', async () => {
    const expected = await undisturbed(300);
    // Only what follows spikes changes cells and leaves their ends, their kinds and when they were found.
    const of = (row: string) =>
      ['recoveredAt', 'kind', 'at'].map((key) => `jsonb_path_query_array(${row}.cells::jsonb, '$[*].${key}')`).join();
    await getPool().query(`create function wait() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(1, 1); return new; end $$;
      create trigger wait before update on incident for each row
        when (old.cells::jsonb <> new.cells::jsonb and (${of('old')}) is not distinct from (${of('new')}))
        execute function wait()`);
    let from = SPIKE_AT - HOUR;
    // While it lasts, and when it goes quiet.
    for (const until of [SPIKE_AT + 600, SPIKE_AT + HOUR]) {
      await once(start('tests/support/detect-child.ts', [from, until, 300]), 'exit');
      const held = await getPool().connect();
      await held.query('select pg_advisory_lock(1, 1)');
      const child = start('tests/support/detect-child.ts', [until + 300, END + GRACE_SECONDS, 300]);
      child.on('message', (message: Message) => {
        if ('now' in message) from = message.now;
      });
      try {
        await expect.poll(waitingForLocks, { timeout: 120_000 }).toBe(1);
        const { rows } = await getPool().query<{ to: number }>('select max("to") as to from detector_tick');
        expect(rows[0]?.to).toBeGreaterThan(until - GRACE_SECONDS);
        // A step says how far it is when all of it is done.
        expect((await getPrisma().detectorStatus.findFirst())?.position).toBeLessThan(rows[0]?.to ?? 0);
        await killed(child);
      } finally {
        held.release(true);
      }
    }
    await once(start('tests/support/detect-child.ts', [from, END + GRACE_SECONDS, 300]), 'exit');
    expect(await everything()).toEqual(expected);
  });

  it('again and again, wherever it is, says in the end what it would have said, and nothing twice', async () => {
    const expected = await undisturbed(300);
    const random = chance(5);
    let now = SPIKE_AT - HOUR;
    let kills = 0;
    while (now < END + GRACE_SECONDS) {
      const child = start('tests/support/detect-child.ts', [now, END + GRACE_SECONDS, 300]);
      let steps = 0;
      const wanted = 1 + Math.floor(random() * 5);
      for await (const message of messagesOf(child)) {
        if ('done' in message) {
          now = END + GRACE_SECONDS;
          break;
        }
        now = message.now;
        steps += 1;
        if (steps < wanted) continue;
        // Somewhere within the step: it takes some tens of milliseconds.
        await sleep(random() * 60);
        await killed(child);
        kills += 1;
        break;
      }
    }
    expect(kills).toBeGreaterThan(5);
    expect(await everything()).toEqual(expected);
  });
});

type Message = { now: number } | { done: true };

/** What a child says, until it ends. */
async function* messagesOf(child: ChildProcess): AsyncGenerator<Message> {
  const said: Message[] = [];
  let wake = Promise.withResolvers<void>();
  let over = false;
  const tell = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  child.on('message', (message: Message) => {
    said.push(message);
    tell();
  });
  child.once('exit', () => {
    over = true;
    tell();
  });
  for (;;) {
    const next = said.shift();
    if (next) yield next;
    else if (over) return;
    else await wake.promise;
  }
}

describe('the jobs', { timeout: 600_000 }, () => {
  it('go on where they were when PostgreSQL was stopped in the middle of detection and started again', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-detection-'));
    // PostgreSQL's user passes through it.
    await chmod(folder, 0o711);
    const first = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), log: () => {} });
    await closeDatabase();
    process.env.DATABASE_URL = first.url;
    let server = first;
    cleanUp = async () => {
      await closeDatabase();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    };
    await migrate(first.url);
    await insertProber(vantages);
    await writeSpike();
    const whole = createDetectionJob();
    await detectUntil(whole, END + GRACE_SECONDS);
    await whole.close();
    const expected = await detected();
    expect(expected.length).toBeGreaterThanOrEqual(3);
    await forgetDetection();

    const held = await hold('detection');
    const jobs = start('workers/jobs/main.ts', [], clockAhead((END + HOUR) * 1_000 - Date.now()));
    await once(jobs, 'message');
    // Housekeeping, which looks for old detections at the start, and detection in the middle of its work.
    await expect.poll(held.waiting, { timeout: 120_000 }).toBe(2);
    const ticks = await countOf('detector_tick');
    expect(ticks).toBeGreaterThan(0);
    held.release();
    await closeDatabase();
    await server.stop();
    server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), log: () => {} });
    expect(server.url).toBe(first.url);

    const position = async () => (await getPrisma().detectorStatus.findFirst())?.position ?? 0;
    await expect.poll(position, { timeout: 240_000 }).toBeGreaterThanOrEqual(END);
    expect(jobs.exitCode).toBeNull();
    expect(await detected()).toEqual(expected);
    expect(await getPrisma().incident.count({ where: { kind: 'spike' } })).toBe(1);
  });
});
