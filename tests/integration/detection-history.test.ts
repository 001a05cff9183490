import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeze, thaw } from '#analysis/detection/frozen.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { loadCheckpoint, saveCheckpoint } from '#server/detection/checkpoint.ts';
import { createDetectionJob, type DetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  DAY,
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
import { extent, isLong } from '../support/extent.ts';
import { writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

/** Seconds from one result of a check to the next. */
const PERIOD = extent(600, 300);
const vantage = makeVantage('CN-GD', 'telecom');
/** Now for the job, seconds since 1970. */
const END = FRIDAY / 1_000;
const NOW = END + GRACE_SECONDS;
/** However few results there are, the job begins with the present. */
const PRESENT_FIRST = { inOrderResults: 0 };

let database: TestDatabase;
/** The target whose spike goes on. */
let goingOn = '';
let child: ChildProcess | null = null;
let jobs: DetectionJob[] = [];
const jobOf = (...options: Parameters<typeof createDetectionJob>) => {
  const job = createDetectionJob(...options);
  jobs.push(job);
  return job;
};
beforeEach(async () => {
  child = null;
  jobs = [];
  database = await testDatabase([vantage]);
  await insertWebhook();
});
afterEach(async () => {
  child?.kill('SIGKILL');
  for (const job of jobs) await job.close();
  await database.drop();
});

/** What each target went through: TLS took this much longer, ms, from one instant to another. */
const TARGETS = [
  { name: 'a spike of two days ago', from: END - 2 * DAY, to: END - 2 * DAY + HOUR, ms: 120 },
  { name: 'slower for a day and a half', from: END - 36 * HOUR, to: END, ms: 12 },
  { name: 'slower since last night', from: END - 14 * HOUR, to: END, ms: 12 },
  { name: 'a spike that goes on', from: END - 2 * HOUR, to: END + HOUR, ms: 120 },
];

async function writePast(days: number, until = END, period = PERIOD): Promise<void> {
  const past = new Map<string, (typeof TARGETS)[number]>();
  for (const each of TARGETS) past.set(await insertTarget({ name: each.name }), each);
  goingOn = [...past.keys()].at(-1) ?? '';
  const noisy = noise(5);
  const checks = [...past.keys()].map((targetId) => ({ targetId, vantage }));
  await writeHistory(checks, { from: END - days * DAY, to: until, period }, ({ targetId }, at) => {
    const change = past.get(targetId);
    const slower = change && at >= change.from && at < change.to ? change.ms : 0;
    return { rtt: noisy(40), tls: noisy(45) + slower };
  });
}

/** What each incident is about, how it stands, and whether anybody was to be told. */
async function told(): Promise<string[]> {
  const incidents = await incidentsMade();
  const targets = await getPrisma().target.findMany();
  const nameOf = (id: string | null) => targets.find((target) => target.id === id)?.name;
  return incidents.map(
    ({ kind, status, quiet, targetId }) => `${nameOf(targetId)}: ${kind} ${status}${quiet ? ', quietly' : ''}`,
  );
}

const countOf = async (table: string) =>
  (await getPool().query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n ?? 0;
const HISTORY_TABLES = ['detector_history', 'detector_history_raised', 'detector_history_checkpoint'];

describe('a job that is far behind', { timeout: 600_000 }, () => {
  it('begins with the present, of which it tells, and goes through history behind it without a word', async () => {
    await writePast(4);
    const job = jobOf(PRESENT_FIRST);
    await detectUntil(job, NOW);
    const status = await getPrisma().detectorStatus.findFirstOrThrow();
    expect(status.position).toBe(END);
    // An hour of it was judged at most.
    expect(Number(status.samples)).toBeLessThanOrEqual((TARGETS.length * HOUR) / PERIOD);
    const present = ['slower since last night: regression open', 'a spike that goes on: spike open'];
    expect((await told()).toSorted()).toEqual(present.toSorted());
    const messages = ['tls.regression.opened', 'tls.spike.opened'];
    expect((await messageTypes()).toSorted()).toEqual(messages);

    while (await job.history(NOW * 1_000)) expect(await told()).toHaveLength(present.length);
    expect((await told()).toSorted()).toEqual(
      [
        ...present,
        'a spike of two days ago: spike resolved, quietly',
        'slower for a day and a half: regression open, quietly',
      ].toSorted(),
    );
    expect((await messageTypes()).toSorted()).toEqual(messages);
    for (const table of HISTORY_TABLES) expect(await countOf(table)).toBe(0);
    // It is gone through once.
    expect(await job.history(NOW * 1_000)).toBe(false);
    await detectUntil(job, NOW + 60);
    await job.close();
    const next = jobOf(PRESENT_FIRST);
    await detectUntil(next, NOW + 120);
    expect(await next.history((NOW + 120) * 1_000)).toBe(false);
    await next.close();
    expect(await told()).toHaveLength(4);
    expect((await messageTypes()).toSorted()).toEqual(messages);
  });

  it.runIf(isLong)('dates what history holds as a job that goes through all of it in order', async () => {
    await writePast(4);
    const inOrder = jobOf();
    await detectUntil(inOrder, NOW);
    await inOrder.close();
    const past = (rows: Awaited<ReturnType<typeof detected>>) =>
      rows
        .filter(({ at }) => at.getTime() < (END - 15 * HOUR) * 1_000)
        .map(({ kind, metric, at, changeAt, targetId }) => ({ kind, metric, at, changeAt, targetId }));
    const expected = past(await detected());
    expect(expected.map(({ kind }) => kind)).toEqual(['spike', 'spike', 'regression']);
    await forgetDetection();
    const job = jobOf(PRESENT_FIRST);
    await detectUntil(job, NOW);
    while (await job.history(NOW * 1_000)) expect(past(await detected())).toEqual([]);
    await job.close();
    expect(past(await detected())).toEqual(expected);
  });

  it.runIf(isLong)(
    'goes on with spikes that were open when it stopped: those that are over end as recovered',
    async () => {
      await writePast(3, END + 12 * HOUR);
      const first = jobOf();
      await detectUntil(first, NOW);
      await first.close();
      expect(await told()).toContain('a spike that goes on: spike open');
      const job = jobOf(PRESENT_FIRST);
      await detectUntil(job, NOW + 11 * HOUR);
      const spike = (await incidentsMade()).find(
        ({ kind, onsetAt }) => kind === 'spike' && onsetAt.getTime() > (END - DAY) * 1_000,
      );
      expect(spike).toMatchObject({ status: 'resolved', resolution: 'recovered' });
      const before = await told();
      while (await job.history((NOW + 11 * HOUR) * 1_000)) expect(await told()).toEqual(before);
      await job.close();
      expect((await told()).filter((each) => each.includes('a spike that goes on'))).toHaveLength(1);
      expect((await messageTypes()).filter((type) => type === 'tls.spike.resolved')).toHaveLength(1);
    },
  );
});

describe('a job that is far behind again before history was gone through', { timeout: 600_000 }, () => {
  it.runIf(isLong)('leaves what it judged in between to itself: each stretch is told of once', async () => {
    const events = [
      { at: END + HOUR, told: 'spike resolved' },
      { at: END + 5 * HOUR, told: 'spike resolved, quietly' },
    ];
    await writePast(2, END + 10 * HOUR);
    const targetId = await insertTarget({ name: 'two spikes' });
    const noisy = noise(9);
    const from = END - 2 * DAY;
    await writeHistory([{ targetId, vantage }], { from, to: END + 10 * HOUR, period: PERIOD }, (_, at) => {
      const isSlow = events.some((event) => at >= event.at && at < event.at + HOUR);
      return { rtt: noisy(40), tls: noisy(45) + (isSlow ? 120 : 0) };
    });
    const first = jobOf(PRESENT_FIRST);
    for (let now = NOW; now <= NOW + 3 * HOUR; now += 600) await detectUntil(first, now);
    await first.close();
    const again = jobOf(PRESENT_FIRST);
    const late = NOW + 10 * HOUR;
    await detectUntil(again, late);
    const stretches = await getPrisma().detectorHistory.findMany({ orderBy: { id: 'asc' } });
    expect(stretches.map(({ from: begin, until }) => [begin - END, until - END])).toEqual([
      [expect.toSatisfy((begin: number) => begin < -DAY), -1_800],
      [3 * HOUR, 10 * HOUR - 1_800],
    ]);
    const present = (await told()).filter((each) => each.startsWith('two spikes'));
    expect(present).toEqual(['two spikes: spike resolved']);

    while (await again.history(late * 1_000));
    expect((await told()).filter((each) => each.startsWith('two spikes'))).toEqual(
      events.map((event) => `two spikes: ${event.told}`),
    );
    // What was open when the present fell behind was told of then.
    expect((await told()).filter((each) => each.startsWith('a spike that goes on'))).toHaveLength(1);
    for (const table of HISTORY_TABLES) expect(await countOf(table)).toBe(0);
    expect((await messageTypes()).filter((type) => type === 'tls.spike.opened')).toHaveLength(2);
  });
});

describe('a job whose history cannot be ended', { timeout: 600_000 }, () => {
  it.runIf(isLong)('tries again after a minute, then two, and so on, while the present goes on', async () => {
    await writePast(1);
    await getPool().query(`create sequence attempt;
      create function refuse() returns trigger language plpgsql as
        $$ begin perform nextval('attempt'); raise exception 'history stays'; end $$;
      create trigger refuse before delete on detector_history for each row execute function refuse()`);
    const attempts = async () => {
      const { rows } = await getPool().query<{ n: number }>(
        'select case when is_called then last_value else 0 end::int as n from attempt',
      );
      return rows[0]?.n;
    };
    const job = jobOf(PRESENT_FIRST);
    await detectUntil(job, NOW);
    let now = NOW;
    for (const [tries, pause] of [60, 120, 240].entries()) {
      while (await job.history(now * 1_000));
      expect(await attempts()).toBe(tries + 1);
      expect(await job.history((now + pause - 1) * 1_000)).toBe(false);
      expect(await attempts()).toBe(tries + 1);
      now += pause;
      await detectUntil(job, now);
    }
    expect((await getPrisma().detectorStatus.findFirstOrThrow()).position).toBe(now - GRACE_SECONDS);
    await getPool().query('drop trigger refuse on detector_history');
    while (await job.history(now * 1_000));
    for (const table of HISTORY_TABLES) expect(await countOf(table)).toBe(0);
  });
});

describe('a job that finds a state of another version', { timeout: 600_000 }, () => {
  it.runIf(isLong)(
    'learns the past anew without a word: what is open stays so until it is over, and ends as recovered',
    async () => {
      await writePast(3, END + 3 * HOUR);
      const before = jobOf();
      await detectUntil(before, NOW);
      await before.close();
      const [incidents, messages, detections] = [await told(), await messageTypes(), await detected()];
      expect(incidents).toContain('a spike that goes on: spike open');
      await pretendOtherVersion();

      const after = jobOf();
      await detectUntil(after, NOW + 600);
      expect({ incidents: await told(), messages: await messageTypes() }).toEqual({ incidents, messages });
      expect(await detected()).toEqual(detections);
      for (let now = NOW + 1_200; now <= NOW + 3 * HOUR; now += 600) await detectUntil(after, now);
      const spike = (await incidentsMade()).find(({ targetId }) => targetId === goingOn);
      expect(spike).toMatchObject({ status: 'resolved', resolution: 'recovered' });
      expect((await messageTypes()).slice(messages.length)).toEqual(['tls.spike.resolved']);
      expect(await detected()).toEqual(detections);
    },
  );
});

/** The stored state as a version wrote it that nobody knows. */
async function pretendOtherVersion(): Promise<void> {
  const checkpoint = await loadCheckpoint();
  if (!checkpoint) throw new Error('no checkpoint');
  const [head, ...series] = checkpoint.state as Iterable<Uint8Array>;
  const other = freeze({ ...thaw<object>(head as Uint8Array), version: 99 });
  await saveCheckpoint({ ...checkpoint, state: [other, ...series] });
}

describe('a process that goes through history and is killed', { timeout: 600_000 }, () => {
  it.runIf(isLong)('is followed by one that goes on, and in the end there is what would have been, once', async () => {
    // As many stretches as it takes for several to be killed.
    await writePast(4, END, 300);
    const whole = jobOf(PRESENT_FIRST);
    await detectUntil(whole, NOW);
    while (await whole.history(NOW * 1_000));
    await whole.close();
    const expected = { detections: await detected(), incidents: await told(), messages: await messageTypes() };
    expect(expected.incidents).toHaveLength(4);
    await forgetDetection();

    let kills = 0;
    for (let over = false; !over; ) {
      child = fork('tests/support/detect-child.ts', [NOW, NOW, 1, 'history'].map(String), {
        env: { ...process.env, LOG_LEVEL: 'error' },
      });
      const exit = once(child, 'exit');
      let stretches = 0;
      child.on('message', (message: { history?: true; done?: true }) => {
        if (message.done) over = true;
        if (message.history) stretches += 1;
        // Each gets some stretches further than the one before: its state was stored on the way.
        if (stretches > 3 * kills && !over) child?.kill('SIGKILL');
      });
      await exit;
      await untilNobodyLeads();
      if (!over) kills += 1;
      expect(kills).toBeLessThan(50);
    }
    expect(kills).toBeGreaterThan(2);
    expect({ detections: await detected(), incidents: await told(), messages: await messageTypes() }).toEqual(expected);
  });
});
