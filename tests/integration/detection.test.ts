import pg from 'pg';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { HOUR, noise } from '../support/detecting.ts';
import { extent, isLong } from '../support/extent.ts';
import { type Check, writeHistory } from '../support/history.ts';
import { CALENDAR, FRIDAY } from '../support/instants.ts';
import { withDatabase } from '../support/on-server.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const vantages = ['CN-BJ', 'CN-GD', 'CN-HB'].map((region) => makeVantage(region, 'telecom'));
/** Seconds since 1970. */
const END = FRIDAY / 1_000;

let database: TestDatabase;
let checks: Check[];
beforeEach(async () => {
  database = await testDatabase(vantages);
  const targetId = await insertTarget();
  checks = vantages.map((vantage) => ({ targetId, vantage }));
});
afterEach(() => database.drop());

const noisy = noise(11);

/** The rest belongs to the full extent: a baseline needs less. */
const QUIET_HOURS = extent(4, 8);
/** Hours of quiet, then an hour in which TLS takes 120 ms longer, then quiet again until the end. */
const spikeAt = END - 2 * HOUR;
async function writeSpike(end = END): Promise<void> {
  await writeHistory(checks, { from: end - (QUIET_HOURS + 2) * HOUR, to: end }, (_check, at) => ({
    rtt: noisy(40),
    tls: noisy(45) + (at >= end - 2 * HOUR && at < end - HOUR ? 120 : 0),
  }));
}

/** Runs the job until it has consumed all there is at `now` (seconds since 1970). */
async function run(job: ReturnType<typeof createDetectionJob>, now: number): Promise<void> {
  while (await job.step(now * 1_000)) {
    // Each turn takes a stretch.
  }
}

/** The same as the jobs do it: what fails is tried again. A pool may hold several connections that were cut. */
async function runThrough(job: ReturnType<typeof createDetectionJob>, now: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(job, now);
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

const detections = async () =>
  (
    await getPrisma().detection.findMany({
      orderBy: [{ at: 'asc' }, { vantageId: 'asc' }, { metric: 'asc' }],
      select: {
        targetId: true,
        vantageId: true,
        kind: true,
        metric: true,
        at: true,
        changeAt: true,
        cause: true,
        groupKey: true,
      },
    })
  ).map((each) => ({ ...each }));

// Hours of results are written and consumed in each.
describe('the detection job', { timeout: 300_000 }, () => {
  // The other instants belong to the full extent.
  const instants = extent([5], [...CALENDAR.keys()]).flatMap((index) => CALENDAR.slice(index, index + 1));

  it.each(instants)('finds what the results show, and makes one incident of one event: at %s', async (_when, ms) => {
    const end = ms / 1_000;
    await writeSpike(end);
    const job = createDetectionJob();
    await run(job, end + GRACE_SECONDS);
    await job.close();
    const found = await detections();
    expect(
      found
        .filter(({ metric }) => metric === 'tls')
        .map(({ vantageId }) => vantageId)
        .sort(),
    ).toEqual(vantages.map(({ id }) => id).sort());
    const incidents = await getPrisma().incident.findMany();
    expect(incidents).toHaveLength(1);
    expect(incidents[0]).toMatchObject({
      kind: 'spike',
      status: 'resolved',
      metric: 'tls',
      region: null,
      carrier: 'telecom',
    });
    expect(incidents[0]?.effectMs).toBeGreaterThan(100);
    expect(incidents[0]?.effectMs).toBeLessThan(140);
  });

  it.runIf(isLong)('follows what a spike grows to while it is under way, and says what it was in the end', async () => {
    const minutes = (n: number) => spikeAt + n * 60;
    const growth = (at: number) => (at < spikeAt || at >= minutes(60) ? 0 : at < minutes(10) ? 40 : 120);
    await writeHistory(checks, { from: END - (QUIET_HOURS + 2) * HOUR, to: END }, (_check, at) => ({
      rtt: noisy(40),
      tls: noisy(45) + growth(at),
    }));
    const job = createDetectionJob();
    const seen: { status: string; effectMs: number | null }[] = [];
    for (const until of [minutes(10), minutes(50), END]) {
      await run(job, until + GRACE_SECONDS);
      const [{ status = '', effectMs = null } = {}] = await getPrisma().incident.findMany();
      seen.push({ status, effectMs });
    }
    await job.close();
    const [young, grown, over] = seen;
    expect([young?.status, grown?.status, over?.status]).toEqual(['open', 'open', 'resolved']);
    expect(young?.effectMs).toBeLessThan(60);
    for (const { effectMs } of [grown, over].flatMap((each) => each ?? [])) {
      expect(effectMs).toBeGreaterThan(100);
      expect(effectMs).toBeLessThan(140);
    }
  });

  it.runIf(isLong)('says the same when its memory is lost after any stretch', async () => {
    await writeSpike();
    const whole = createDetectionJob();
    await run(whole, END + GRACE_SECONDS);
    await whole.close();
    const expected = await detections();
    expect(expected.length).toBeGreaterThanOrEqual(3);
    await getPool().query(
      'truncate detection, incident, incident_event, detector_tick, detector_checkpoint, delivery cascade',
    );
    let restarts = 0;
    for (let now = END - (QUIET_HOURS + 2) * HOUR + 300; now <= END + GRACE_SECONDS; now += extent(2_100, 1_500)) {
      const job = createDetectionJob();
      await run(job, Math.min(now, END + GRACE_SECONDS));
      await job.close();
      restarts += 1;
    }
    const last = createDetectionJob();
    await run(last, END + GRACE_SECONDS);
    await last.close();
    expect(restarts).toBeGreaterThan(extent(9, 20));
    expect(await detections()).toEqual(expected);
  });

  it.runIf(isLong)('goes on after the database has cut every connection, and stores nothing twice', async () => {
    await writeSpike();
    const job = createDetectionJob();
    let broken = 0;
    for (let now = END - 4 * HOUR; now < END + GRACE_SECONDS + HOUR; now += HOUR) {
      await runThrough(job, now);
      await cutConnections();
      await expect(job.step((now + 600) * 1_000)).rejects.toThrow();
      broken += 1;
    }
    await runThrough(job, END + GRACE_SECONDS);
    await job.close();
    expect(broken).toBe(6);
    const found = await detections();
    expect(found.filter(({ metric }) => metric === 'tls')).toHaveLength(3);
    expect(await getPrisma().incident.count()).toBe(1);
  });

  it.runIf(isLong)('is done by one process at a time; another takes over where that one stops', async () => {
    await writeSpike();
    const [first, second] = [createDetectionJob(), createDetectionJob()];
    await run(first, END - 3 * HOUR);
    const ticks = await getPrisma().detectorTick.count();
    await run(second, END);
    expect(await getPrisma().detectorTick.count()).toBe(ticks);
    await first.close();
    await run(second, END + GRACE_SECONDS);
    await second.close();
    expect(await getPrisma().incident.count()).toBe(1);
  });

  it('counts what comes too late, and leaves it out', async () => {
    const [check] = checks;
    if (!check) throw new Error('there is a check');
    const quiet = () => ({ rtt: noisy(40), tls: noisy(45) });
    await writeHistory([check], { from: END - 3 * HOUR, to: END }, quiet);
    const job = createDetectionJob();
    // As it would be live.
    const step = extent(300, 60);
    for (let now = END - 2 * HOUR; now <= END - HOUR; now += step) await run(job, now);
    await writeHistory([check], { from: END - HOUR - 680, to: END - HOUR - 80 }, quiet);
    // Until the checkpoint behind them.
    for (let now = END - HOUR; now <= END + 300; now += step) await run(job, now);
    await job.close();
    const { late } = await getPrisma().detectorStatus.findFirstOrThrow();
    expect(late).toBe(10n);
  });

  it.runIf(isLong)('tells nobody of what is long past when it is found', async () => {
    await getPrisma().webhook.create({
      data: { id: v7(), name: 'hook', format: 'standard', secrets: '', language: 'en', settings: {}, ...ALL },
    });
    await writeSpike();
    const job = createDetectionJob();
    await run(job, END + GRACE_SECONDS);
    await job.close();
    expect(await getPrisma().incident.count()).toBe(1);
    expect(await getPrisma().delivery.count()).toBe(0);
  });

  it('tells of what it finds live, once, and that it is over', async () => {
    await getPrisma().webhook.create({
      data: { id: v7(), name: 'hook', format: 'standard', secrets: '', language: 'en', settings: {}, ...ALL },
    });
    await writeSpike();
    const job = createDetectionJob();
    await run(job, spikeAt);
    const step = (now: number) => (now < spikeAt + 10 * 60 ? 60 : extent(300, 60));
    for (let now = spikeAt; now < END + GRACE_SECONDS; now += step(now)) await run(job, now);
    await job.close();
    const sent = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
    expect(sent.map(({ eventType }) => eventType)).toEqual(['tls.spike.opened', 'tls.spike.resolved']);
    const [incident] = await getPrisma().incident.findMany();
    expect(incident?.openedAt.getTime()).toBeLessThan((spikeAt + 5 * 60) * 1_000);
    expect(incident?.resolvedAt?.getTime()).toBeLessThan((spikeAt + HOUR + 45 * 60) * 1_000);
  });
});

/** A webhook that wants everything. */
const ALL = { events: [], ruleIds: [], severities: [] };

/** As a restart of the server does to everybody connected. */
async function cutConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(database.url, 'postgres') });
  await client.connect();
  const name = new URL(database.url).pathname.slice(1);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
}
