import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeze, thaw } from '#analysis/detection/frozen.ts';
import { getPrisma } from '#server/database/database.ts';
import { changeRetention } from '#server/database/retention.ts';
import { loadCheckpoint, saveCheckpoint } from '#server/detection/checkpoint.ts';
import { detectionMetrics } from '#server/detection/metrics.ts';
import { HISTORY_DAYS, historyBefore } from '#server/pipeline/catch-up.ts';
import { createDetectionJob, type DetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  DAY,
  detected,
  detectUntil,
  HOUR,
  incidentsMade,
  insertWebhook,
  messageTypes,
  noise,
} from '../support/detecting.ts';
import { writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

/** Seconds from one result of a check to the next. */
const PERIOD = 300;
const vantage = makeVantage('CN-GD', 'telecom');
/** Now for the job, seconds since 1970. The week before it has a weekend, the first that the series see. */
const END = FRIDAY / 1_000;

let database: TestDatabase;
let jobs: DetectionJob[] = [];
const startJob = () => {
  const job = createDetectionJob();
  jobs.push(job);
  return job;
};
beforeEach(async () => {
  jobs = [];
  database = await testDatabase([vantage]);
  await insertWebhook();
});
afterEach(async () => {
  // A job of a test that failed still has its connection.
  for (const job of jobs) await job.close();
  await database.drop();
});

/** What each target went through: TLS took this much longer, ms, from one instant to another. */
const TARGETS = [
  { name: 'a spike of five days ago', from: END - 5 * DAY, to: END - 5 * DAY + HOUR, ms: 120 },
  { name: 'slower for four days', from: END - 4 * DAY, to: END, ms: 14 },
  { name: 'a little slower for four days', from: END - 4 * DAY, to: END, ms: 6 },
  { name: 'slower since last night', from: END - 14 * HOUR, to: END, ms: 8 },
  { name: 'a spike that goes on', from: END - 2 * HOUR, to: END, ms: 120 },
];

async function writePast(days: number, until = END): Promise<void> {
  const names = await Promise.all(
    TARGETS.map(async (each) => [await insertTarget({ name: each.name }), each] as const),
  );
  const past = new Map(names);
  const noisy = noise(5);
  const checks = [...past.keys()].map((targetId) => ({ targetId, vantage }));
  await writeHistory(checks, { from: END - days * DAY, to: until, period: PERIOD }, ({ targetId }, at) => {
    const change = past.get(targetId);
    const slower = change && at >= change.from && at < change.to ? change.ms : 0;
    return { rtt: noisy(40), tls: noisy(45) + slower };
  });
}

/** The newest incident of each target that has one: its kind, how it ended or stands, and whether anybody was to be told. */
async function incidentsByName(): Promise<Record<string, string>> {
  const targets = await getPrisma().target.findMany();
  const made = await incidentsMade();
  return Object.fromEntries(
    made.map(({ kind, status, resolution, standingSince, backfilled, targetId }) => [
      targets.find(({ id }) => id === targetId)?.name,
      `${kind} ${resolution ?? (standingSince ? 'standing' : status)}, ${backfilled ? 'backfilled' : 'notified'}`,
    ]),
  );
}

async function told(): Promise<unknown[]> {
  const rows = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
  return rows.map(({ payload }) => (payload as { data: { targetName: string } }).data.targetName);
}

describe('a job that finds a week of results', { timeout: 600_000 }, () => {
  it('keeps what is long past to itself, and tells of what is still so: of spikes, and of a day’s regressions', async () => {
    await writePast(8);
    const job = startJob();
    const now = END + GRACE_SECONDS;
    await detectUntil(job, now - 1);
    await detectUntil(job, now);
    expect(await incidentsMade()).toHaveLength(TARGETS.length);
    expect(await incidentsByName()).toEqual({
      'a spike of five days ago': 'spike recovered, backfilled',
      // What lasts for two days stands where it is large, and is accepted where it is small.
      'slower for four days': 'regression standing, backfilled',
      'a little slower for four days': 'regression accepted, backfilled',
      'slower since last night': 'regression open, notified',
      'a spike that goes on': 'spike open, notified',
    });
    expect(await messageTypes()).toEqual(['tls.regression.opened', 'tls.spike.opened']);
    expect(await told()).toEqual(['slower since last night', 'a spike that goes on']);
    await job.close();
    // Nothing of it is told again by the one that goes on.
    const next = startJob();
    await detectUntil(next, now + 60);
    await next.close();
    expect(await messageTypes()).toHaveLength(2);
  });

  it('shows in the metrics how far it is, what it watches, what it cost and what is open', async () => {
    expect(await detectionMetrics()).not.toContain('roundtrip_detection_lag_seconds');
    await writePast(3);
    const job = startJob();
    await detectUntil(job, END + GRACE_SECONDS);
    await job.close();
    const text = await detectionMetrics((END + 90) * 1_000);
    const figure = (name: string) =>
      Number(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (.+)$`, 'm').exec(text)?.[1]);
    expect(figure('roundtrip_detection_lag_seconds')).toBe(90);
    expect(figure('roundtrip_detection_series')).toBe(TARGETS.length);
    expect(figure('roundtrip_detection_samples_total')).toBe((TARGETS.length * 3 * DAY) / PERIOD);
    expect(figure('roundtrip_detection_late_total')).toBe(0);
    expect(figure('roundtrip_detection_cpu_seconds_total')).toBeGreaterThan(0);
    expect(figure('roundtrip_detection_cpu_seconds_total')).toBeLessThan(60);
    expect(figure('roundtrip_incidents_open{kind="spike",status="open"}')).toBe(1);
    expect(figure('roundtrip_incidents_open{kind="spike",status="acknowledged"}')).toBe(0);
    expect(figure('roundtrip_incidents_open{kind="down",status="open"}')).toBe(0);
  });
});

describe('a job that finds a state of another version', { timeout: 600_000 }, () => {
  it('goes through the past anew without a word: what is open stays so until it is over, and ends as recovered', async () => {
    await writePast(3, END + 2 * HOUR);
    const before = startJob();
    const now = END + GRACE_SECONDS;
    await detectUntil(before, now);
    await before.close();
    const standing = async () => ({ messages: await messageTypes(), detections: await detected() });
    const incidents = await incidentsByName();
    expect(incidents['a spike that goes on']).toBe('spike open, notified');
    const told = await standing();
    await pretendOtherVersion();

    const after = startJob();
    await detectUntil(after, now + 600);
    expect(await incidentsByName()).toEqual(incidents);
    expect(await standing()).toEqual(told);
    for (let at = now + 1_200; at <= now + 2 * HOUR; at += 600) await detectUntil(after, at);
    expect((await incidentsByName())['a spike that goes on']).toBe('spike recovered, notified');
    expect((await messageTypes()).slice(told.messages.length)).toEqual(['tls.spike.resolved']);
    expect(await detected()).toEqual(told.detections);
  });
});

describe('a job that goes through the past anew and is to stop', { timeout: 600_000 }, () => {
  it('stops at once, and is followed by one that does all of it', async () => {
    await writePast(3);
    const now = END + GRACE_SECONDS;
    const before = startJob();
    await detectUntil(before, now);
    await before.close();
    await pretendOtherVersion();
    const stop = new AbortController();
    const stopped = createDetectionJob(stop.signal);
    jobs.push(stopped);
    // It asks before each stretch: the third time it is to stop.
    let asked = 0;
    stop.signal.throwIfAborted = () => {
      asked += 1;
      if (asked === 3) stop.abort();
      AbortSignal.prototype.throwIfAborted.call(stop.signal);
    };
    await expect(stopped.step((now + 60) * 1_000)).rejects.toThrow('aborted');
    expect(asked).toBe(3);
    await stopped.close();
    expect((await loadCheckpoint())?.hasCurrentVersion).toBe(false);
    const next = startJob();
    await detectUntil(next, now + 60);
    expect((await loadCheckpoint())?.hasCurrentVersion).toBe(true);
    expect((await incidentsByName())['a spike that goes on']).toBe('spike open, notified');
  });
});

/** The stored state as a version wrote it that nobody knows. */
async function pretendOtherVersion(): Promise<void> {
  const checkpoint = await loadCheckpoint();
  if (!checkpoint) throw new Error('no checkpoint');
  const [head, ...series] = checkpoint.state as Iterable<Uint8Array>;
  const other = freeze({ ...thaw<object>(head as Uint8Array), version: 99 });
  await saveCheckpoint({ ...checkpoint, state: [other, ...series] });
}

describe('a detector that knows nothing', () => {
  const beginning = (mostResults?: number) => historyBefore(END, END * 1_000, mostResults);

  it(`begins ${HISTORY_DAYS} days back, or where so many results lie behind it as it goes through`, async () => {
    expect(await beginning()).toBeNull();
    await writePast(HISTORY_DAYS + 1);
    expect(await beginning()).toBe(END - HISTORY_DAYS * DAY);
    const anHour = (TARGETS.length * HOUR) / PERIOD;
    expect(await beginning(5 * anHour)).toBe(END - 6 * HOUR);
    expect(await beginning(13 * anHour)).toBe(END - 18 * HOUR);
    // An hour without results says nothing of the days before it.
    expect(await historyBefore(END + HOUR, (END + HOUR) * 1_000, 5 * anHour)).toBe(END - 5 * HOUR);
  });

  it('begins where results are whole: of days before that the failed ones alone are kept', async () => {
    await writePast(4);
    await changeRetention({ rawDays: 2 });
    expect(await beginning()).toBe(Math.floor(END / DAY) * DAY - 2 * DAY);
  });
});
