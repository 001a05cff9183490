import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { thaw } from '#analysis/detection/frozen.ts';
import { halfHourCapacity } from '#analysis/detection/parameters.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { loadCheckpoint } from '#server/detection/checkpoint.ts';
import { LATE_TICKS } from '#server/pipeline/late-ticks.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { detectUntil, forgetDetection, HOUR, noise, untilNobodyLeads } from '../support/detecting.ts';
import { isLong } from '../support/extent.ts';
import { writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

/** Seconds since 1970. One vantage is cut off from three hours before, and sends what it has then. */
const END = FRIDAY / 1_000;
const AWAY = END - 3 * HOUR;
const STEP = 600;
const [near, away] = [makeVantage('CN-BJ', 'telecom'), makeVantage('CN-GD', 'telecom')];

let database: TestDatabase;
let targetId: string;
beforeEach(async () => {
  database = await testDatabase([near, away]);
  targetId = await insertTarget();
});
afterEach(() => database.drop());

async function writeBefore(): Promise<void> {
  const noisy = noise(21);
  const measure = () => ({ rtt: noisy(40), tls: noisy(45) });
  await writeHistory([{ targetId, vantage: near }], { from: END - 5 * HOUR, to: END + 2 * HOUR, period: 300 }, measure);
  await writeHistory([{ targetId, vantage: away }], { from: END - 5 * HOUR, to: AWAY, period: 300 }, measure);
  await getPool().query('truncate detector_late');
}

/** The spool of the vantage that was away, as ingest stores it. */
async function sendSpool(from = AWAY, to = END): Promise<void> {
  const noisy = noise(22);
  const results = [];
  for (let at = from; at < to; at += 300)
    results.push(makeResult({ targetId, vantage: away, startedAt: at * 1_000, tls: noisy(45) }));
  await insertResults(results);
}

const countOf = async (from: string) =>
  (await getPool().query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0]?.n;
const notes = () => countOf('detector_late');
const lateTicks = () => countOf('detector_tick where late is not null');

async function detectLive(from: number, to: number): Promise<void> {
  const job = createDetectionJob();
  for (let now = from; now <= to; now += STEP) await detectUntil(job, now + GRACE_SECONDS);
  await job.close();
}

/** The newest checkpoint's pieces. */
async function stored(): Promise<{ seq: number; pieces: Buffer[] }> {
  const checkpoint = await loadCheckpoint();
  return {
    seq: checkpoint?.seq ?? 0,
    pieces: Array.from((checkpoint?.state ?? []) as Iterable<Uint8Array>, (piece) => Buffer.from(piece)),
  };
}

/** Means of TLS time that the detector has of the vantage that was away, in the half hours of its absence. */
async function meansOfAway(): Promise<number[]> {
  const series = (await stored()).pieces.slice(1).map((piece) => thaw<Series>(piece));
  const own = series.find(({ id }) => id.vantage === away.id);
  const rowOf = (half: number) => 3 * ((AWAY / 1_800 + half) % halfHourCapacity);
  return Array.from({ length: 6 }, (_, half) => own?.halfHours.long[rowOf(half)] ?? 0);
}
/** `long` has three numbers a half hour, the mean of TLS time first. */
type Series = { id: { vantage: string }; halfHours: { long: Float32Array } };

/** What is stored at the end of an undisturbed run: live until the spool comes, then over the ends of two half hours. All is as before it then. */
async function undisturbed() {
  await writeBefore();
  await detectLive(AWAY, END + STEP);
  await sendSpool();
  await detectLive(END + 2 * STEP, END + HOUR + STEP);
  const found = await stored();
  await forgetDetection();
  await getPool().query('delete from result where vantage_id = $1 and started_at >= to_timestamp($2)', [away.id, AWAY]);
  return found;
}

describe('results that come late', { timeout: 240_000 }, () => {
  it('reach the half hours before the next one ends, and their notes are gone then', async () => {
    await writeBefore();
    await detectLive(AWAY, END);
    expect((await meansOfAway()).every(Number.isNaN)).toBe(true);
    await sendSpool();
    expect(await notes()).toBe(6);
    // The half hour that ended with it was not over.
    await detectLive(END + STEP, END + STEP);
    expect(await notes()).toBe(1);
    await detectLive(END + 2 * STEP, END + HOUR);
    expect(await notes()).toBe(0);
    for (const mean of await meansOfAway()) expect(Math.exp(mean)).toBeGreaterThan(40);
    const { rows } = await getPool().query('select late_half_hours::int as n from detector_status');
    // Those of the series that was there are computed again with those of the one that was not.
    expect(rows).toEqual([{ n: 12 }]);
  });

  it.runIf(isLong)('that were stored before they were consumed need no second reading', async () => {
    await writeBefore();
    await sendSpool();
    expect(await notes()).toBe(6);
    await detectLive(END, END + HOUR);
    expect(await notes()).toBe(0);
    expect(await lateTicks()).toBe(0);
  });

  it.runIf(isLong)(
    'of many half hours are taken some before each, and those of longer ago than is kept not at all',
    async () => {
      await writeBefore();
      await detectLive(END - STEP, END - STEP);
      const slot = END / 1_800;
      await getPool().query(
        `insert into detector_late (slot, target_id, target_ids)
        select $1 - back, $2, array[$2]::uuid[] from generate_series(2, $3) as back`,
        [slot, targetId, LATE_TICKS + 31],
      );
      await getPool().query(
        'insert into detector_late (slot, target_id, target_ids) select $1 - 400, $2, array[$2]::uuid[]',
        [slot, targetId],
      );
      await detectLive(END, END + STEP);
      expect(await lateTicks()).toBe(LATE_TICKS);
      expect(await notes()).toBe(30);
      await detectLive(END + 2 * STEP, END + HOUR);
      expect(await notes()).toBe(0);
    },
  );

  it.runIf(isLong)(
    'leave the same state where the process is killed before they are written, and where it begins again after',
    async () => {
      const expected = await undisturbed();
      await detectLive(AWAY, END + STEP);
      await sendSpool();
      // Each write of a late tick is held up once: the tick itself, and the notes that go with it.
      for (const table of ['detector_tick', 'detector_late']) {
        const before = await countOf('detector_tick');
        await killedWhileItWrites(table);
        expect(await countOf('detector_tick')).toBeGreaterThanOrEqual(before ?? 0);
        expect(await notes()).toBe(6);
        expect(await lateTicks()).toBe(0);
      }
      // Once they are written, another process plays them again.
      await detectLive(END + 2 * STEP, END + 3 * STEP);
      await detectLive(END + 3 * STEP + 60, END + 3 * STEP + 60);
      expect(await lateTicks()).toBe(6);
      expect(await notes()).toBe(0);
      await detectLive(END + 4 * STEP, END + HOUR + STEP);
      const { pieces } = await stored();
      expect(pieces.map((piece) => piece.toString('base64'))).toEqual(
        expected.pieces.map((piece) => piece.toString('base64')),
      );
    },
  );
});

async function killedWhileItWrites(table: string): Promise<void> {
  const holder = await getPool().connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in share mode`);
  const [from, to] = [END + 2 * STEP, END + 4 * STEP].map((at) => String(at + GRACE_SECONDS));
  const child: ChildProcess = fork('tests/support/detect-child.ts', [from as string, to as string, String(STEP)], {
    env: { ...process.env, LOG_LEVEL: 'error' },
  });
  const exited = once(child, 'exit');
  await expect
    .poll(async () => countOf(`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`), {
      timeout: 60_000,
    })
    .toBe(1);
  child.kill('SIGKILL');
  await exited;
  holder.release(true);
  await expect.poll(() => countOf(`pg_locks where relation = '${table}'::regclass and not granted`)).toBe(0);
  await untilNobodyLeads();
}

describe('a log of detection with a gap', { timeout: 240_000 }, () => {
  it.runIf(isLong)('is no log: the detector begins anew, as where nothing is stored', async () => {
    await writeBefore();
    await detectLive(AWAY, END);
    const { seq } = await stored();
    await detectLive(END + STEP / 2, END + STEP / 2);
    await detectLive(END + STEP - 60, END + STEP - 60);
    await getPool().query('delete from detector_tick where seq = $1', [seq + 1]);
    await closeDatabase();
    await detectLive(END + STEP, END + STEP);
    const found = await stored();
    await forgetDetection();
    await detectLive(END + STEP, END + STEP);
    expect(found).toEqual(await stored());
    expect(found.pieces).toHaveLength(3);
  });
});
