import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Measurement } from '#contract/measurement.ts';
import {
  MAX_MEASUREMENTS_KEPT,
  MEASUREMENTS_A_MINUTE,
  MeasurementCreate,
  PROBER_AWAY_SECONDS,
} from '#contract/measurement.ts';
import type { VantageRef } from '#contract/result.ts';
import { TargetCreate } from '#contract/target.ts';
import { getPool } from '#server/database/database.ts';
import { awaitAnswers, followMeasurement } from '#server/measurements/events.ts';
import { cancelMeasurement, createMeasurement, dropOldMeasurements } from '#server/measurements/measurements.ts';
import { listMeasurements, getMeasurement as readAs } from '#server/measurements/read.ts';
import { storeAnswers, takeTasks } from '#server/measurements/tasks.ts';
import { createTarget, deleteTarget } from '#server/targets/targets.ts';
import { testDatabase } from '../support/database.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';

const by = { name: 'ci', limitBy: 'key:ci', viewer: 'editor' } as const;
const URL_HERE = 'https://shop.example.org/';
const vantages = ['CN-BJ', 'CN-GD'].flatMap((region) =>
  ['telecom', 'unicom'].map((carrier) => makeVantage(region, carrier)),
);
const here = { id: '', vantageIds: vantages.map(({ id }) => id) };
const never = new AbortController().signal;

let drop: () => Promise<void>;
beforeAll(async () => {
  ({ drop } = await testDatabase());
  here.id = await insertProber(vantages);
  await getPool().query('update prober set last_seen_at = now()');
});
afterAll(() => drop());

const forget = () => getPool().query('delete from measurement');
const make = (input: object = {}, now?: Date) =>
  createMeasurement(MeasurementCreate.parse({ url: URL_HERE, ...input }), by, now);
const getMeasurement = (id: string, now?: Date) => readAs(id, 'editor', now);
const take = async () => (await takeTasks(here, never, 0)).data;
const resultOf = (vantage: VantageRef, change: object = {}) => ({
  ...makeResult({ targetId: here.id, vantage, startedAt: Date.now() }),
  targetId: null,
  ...change,
});
const states = ({ vantages: all }: Measurement) => all.map(({ state, reason }) => reason ?? state);

describe('a measurement', () => {
  it('is taken once by the prober of its vantages, and keeps the first Result of each', async () => {
    await forget();
    const made = await make();
    expect(made).toMatchObject({
      finished: false,
      counts: { total: 4, pending: 4, done: 0, failed: 0 },
      createdBy: 'ci',
    });
    const [first, second] = await Promise.all([take(), take()]);
    const tasks = [...first, ...second];
    expect(tasks.map(({ vantage }) => vantage.id).toSorted()).toEqual(here.vantageIds.toSorted());
    expect(tasks[0]).toMatchObject({ measurementId: made.id, url: URL_HERE, timeoutMs: 30_000, demo: false });
    expect(states(await getMeasurement(made.id))).toEqual(['taken', 'taken', 'taken', 'taken']);

    const [one, two, three] = vantages as [VantageRef, VantageRef, VantageRef];
    const bad = resultOf(two, {
      ok: false,
      failure: { phase: 'tls', reason: 'cert_expired', source: 'target', message: 'x' },
    });
    const sent = [resultOf(one), bad, { nonsense: true }, resultOf(three, { url: 'https://other.example/' })];
    const report = await storeAnswers(here, { measurementId: made.id, results: sent });
    expect(report).toMatchObject({ accepted: 2, duplicates: 0 });
    expect(report.rejected.map(({ index, field }) => [index, field])).toEqual([
      [2, 'id'],
      [3, 'url'],
    ]);
    expect(await storeAnswers(here, { measurementId: made.id, results: [resultOf(one)] })).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });

    const read = await getMeasurement(made.id);
    expect(read).toMatchObject({ finished: false, counts: { total: 4, pending: 2, done: 1, failed: 1 } });
    expect(read.vantages[0]).toMatchObject({
      state: 'done',
      reason: null,
      result: { id: (sent[0] as { id: string }).id },
    });
    expect(read.vantages[1]).toMatchObject({
      state: 'failed',
      reason: null,
      result: { failure: { reason: 'cert_expired' } },
    });
  });

  it('is no result, rollup or sample of the detector', async () => {
    for (const table of ['result', 'rollup_log', 'rollup_dirty'])
      expect((await getPool().query(`select from ${table}`)).rowCount, table).toBe(0);
  });

  it('fails after a minute where nobody took it or answered, and takes a late answer nevertheless', async () => {
    await forget();
    const made = await make({ locations: [{ limit: 2 }] }, new Date(Date.now() - 50_000));
    const one = { id: here.id, vantageIds: [made.vantages[0]?.vantage.id ?? ''] };
    expect((await takeTasks(one, never, 0)).data.map(({ timeoutMs }) => timeoutMs <= 10_000)).toEqual([true]);
    const later = new Date(Date.now() + 11_000);
    expect(states(await getMeasurement(made.id, later))).toEqual(['no_answer', 'not_taken']);
    const vantage = made.vantages[0]?.vantage as VantageRef;
    expect((await storeAnswers(here, { measurementId: made.id, results: [resultOf(vantage)] }, later)).accepted).toBe(
      1,
    );
    expect(states(await getMeasurement(made.id, later))).toEqual(['done', 'not_taken']);
  });

  it('can be cancelled: what has not answered by then never does', async () => {
    await forget();
    const made = await make({ locations: [{ limit: 2 }] });
    const [one, two] = made.vantages.map(({ vantage }) => vantage) as [VantageRef, VantageRef];
    await storeAnswers(here, { measurementId: made.id, results: [resultOf(one)] });
    await cancelMeasurement(made.id);
    expect(await take()).toEqual([]);
    expect(await storeAnswers(here, { measurementId: made.id, results: [resultOf(two)] })).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
    const read = await getMeasurement(made.id);
    expect([states(read), read.finished]).toEqual([['done', 'cancelled'], true]);
    expect(read.cancelledAt).not.toBeNull();
  });

  it('is deleted after a week', async () => {
    await forget();
    const made = await make({}, new Date(Date.now() - 7 * 86_400_000));
    const { id } = await make();
    expect(await dropOldMeasurements()).toBe(1);
    await expect(getMeasurement(made.id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await getMeasurement(id)).id).toBe(id);
    expect((await getPool().query('select distinct measurement_id from measurement_vantage')).rowCount).toBe(1);
  });

  it('is listed with what answered and what failed, the newest first', async () => {
    await forget();
    const at = (ago: number) => new Date(Date.now() - ago * 1_000);
    const vantage = vantages[0] as VantageRef;
    const ended = await make({}, at(90));
    await storeAnswers(here, { measurementId: ended.id, results: [resultOf(vantage)] });
    const cancelled = await make({ locations: [{ limit: 2 }] }, at(30));
    await storeAnswers(here, { measurementId: cancelled.id, results: [resultOf(vantage, { ok: false })] });
    await cancelMeasurement(cancelled.id);
    const running = await make({ locations: [{ limit: 2 }] });
    await make({ locations: [{ limit: 1 }] }, at(7 * 86_400 + 1));
    const { data: listed, nextCursor } = await listMeasurements({ limit: 20 }, 'editor');
    expect(nextCursor).toBeNull();
    expect(
      listed.map(({ id, counts: { total, pending, done, failed, cancelled }, finished, cancelledAt }) => [
        id,
        `${total}: ${pending} pending, ${done} done, ${failed} failed, ${cancelled} of them cancelled`,
        finished,
        cancelledAt !== null,
      ]),
    ).toEqual([
      [running.id, '2: 2 pending, 0 done, 0 failed, 0 of them cancelled', false, false],
      [cancelled.id, '2: 0 pending, 0 done, 2 failed, 1 of them cancelled', true, true],
      [ended.id, '4: 0 pending, 1 done, 3 failed, 0 of them cancelled', true, false],
    ]);
    for (const { id, counts } of listed) expect((await getMeasurement(id)).counts).toEqual(counts);
    expect(listed[0]).toMatchObject({ url: URL_HERE, demo: false });
    const first = await listMeasurements({ limit: 2 }, 'editor');
    const rest = await listMeasurements({ limit: 2, cursor: first.nextCursor ?? '' }, 'editor');
    expect([...first.data, ...rest.data]).toEqual(listed);
    expect(rest.nextCursor).toBeNull();
  });

  it('says at once of a prober that is away that it is, and asks it for nothing', async () => {
    await forget();
    const far = makeVantage('CN-XJ', 'mobile');
    const proberId = await insertProber([far]);
    const seen = (ago: number) =>
      getPool().query('update prober set last_seen_at = $2 where id = $1', [proberId, new Date(Date.now() - ago)]);
    await seen(PROBER_AWAY_SECONDS * 1_000 + 1_000);
    const made = await make({ vantageIds: [far.id, here.vantageIds[0]] });
    expect(made).toMatchObject({ finished: false, counts: { total: 2, pending: 1, done: 0, failed: 1 } });
    expect(states(made)).toEqual(['pending', 'prober_away']);
    expect((await make({ vantageIds: [far.id] })).finished).toBe(true);
    expect((await takeTasks({ id: proberId, vantageIds: [far.id] }, never, 0)).data).toEqual([]);
    await seen(PROBER_AWAY_SECONDS * 1_000 - 5_000);
    expect(states(await make({ vantageIds: [far.id] }))).toEqual(['pending']);
    await getPool().query('update vantage set deleted_at = now() where id = $1', [far.id]);
  });

  it('of a target has its address and its settings without the secrets; a reader sees no secret parameter', async () => {
    await forget();
    const url = `${URL_HERE}?token=qq-parameter`;
    const headers = [{ name: 'authorization', value: 'qq-header' }];
    const settings = { request: { headers, body: 'qq-body' }, sigalgs: 'both', resume: true, tlsVersion: '1.2' };
    const target = await createTarget(TargetCreate.parse({ url, settings }));
    const made = await make({ url: undefined, targetId: target.id, locations: [{ limit: 1 }] });
    expect(made).toMatchObject({ url, settings: { tlsVersion: '1.2', sigalgs: null } });
    const tasks = await take();
    expect(JSON.stringify([made, tasks])).not.toMatch(/qq-(header|body)/);
    expect(tasks[0]?.settings).toMatchObject({ resume: false, request: { headers: [], body: null } });
    const result = resultOf(made.vantages[0]?.vantage as VantageRef, { url });
    const { http } = result;
    const quoted = 'it answered "https://here.example/?token=qq-parameter"';
    const finding = { code: 'http_malformed', severity: 'warning', savesRoundTrips: null, savesMs: null } as const;
    await storeAnswers(here, {
      measurementId: made.id,
      results: [
        {
          ...result,
          http: http && { ...http, location: '/?token=qq-parameter' },
          findings: [{ ...finding, evidence: quoted, values: { oddities: quoted } }],
        },
      ],
    });
    expect(JSON.stringify(await readAs(made.id, 'editor'))).toContain('qq-parameter');
    const seen: string[] = [JSON.stringify(await readAs(made.id, 'reader'))];
    for await (const piece of await followMeasurement(made.id, 'reader', never)) seen.push(piece);
    expect(seen[0]).toContain('token=***');
    seen.push(JSON.stringify(await listMeasurements({ limit: 1 }, 'reader')));
    expect(seen.join()).not.toContain('qq-parameter');
    // A URL of the same origin is probed as the target is.
    expect((await make({ locations: [{ limit: 1 }] })).settings.tlsVersion).toBe('1.2');
    await deleteTarget(target.id);
  });

  it('of a server of the demo is for its vantages alone, and goes nowhere else', async () => {
    await forget();
    const target = await insertTarget({ demo: true });
    const place = makeVantage('CN-HI', 'unicom');
    await insertProber([place], true);
    const made = await make();
    expect([made.demo, made.vantages.map(({ vantage }) => vantage.id)]).toEqual([true, [place.id]]);
    const elsewhere = [{ address: '127.0.0.1' }, { address: '10.0.0.1' }, { resolver: '192.168.1.1' }];
    for (const settings of elsewhere)
      await expect(make({ settings })).rejects.toMatchObject({ fields: [{ field: 'settings.address' }] });
    expect((await make({ settings: { tlsVersion: '1.2' } })).demo).toBe(true);
    await getPool().query('update target set deleted_at = now() where id = $1', [target]);
  });

  it('is not for a prober of other vantages', async () => {
    await forget();
    const { id } = await make();
    const stranger = { id: here.id, vantageIds: [makeVantage('CN-SH', 'mobile').id] };
    expect((await takeTasks(stranger, never, 0)).data).toEqual([]);
    await expect(storeAnswers(stranger, { measurementId: id, results: [{}] })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a request for tasks', () => {
  it('is held until there are some, and ends without one when its time is over or its sender is gone', async () => {
    await forget();
    const held = takeTasks(here, never, 60_000);
    const made = await make({ locations: [{ limit: 1 }] });
    expect((await held).data.map(({ measurementId }) => measurementId)).toEqual([made.id]);
    const nothing = { data: [], cancelled: [] };
    expect(await takeTasks(here, never, 20)).toEqual(nothing);
    const gone = new AbortController();
    const left = takeTasks(here, gone.signal, 60_000);
    gone.abort();
    expect(await left).toEqual(nothing);
    // Another process creates one: it is found without a word from there.
    const found = takeTasks(here, never, 60_000);
    await getPool().query('update measurement_vantage set taken_at = null');
    expect((await found).data).toHaveLength(1);
    // One that is cancelled is taken back, once.
    const kept = takeTasks(here, never, 60_000);
    await cancelMeasurement(made.id);
    expect(await kept).toEqual({ data: [], cancelled: [made.id] });
    expect(await takeTasks(here, never, 0)).toEqual(nothing);
    expect(states(await getMeasurement(made.id))).toEqual(['cancelled']);
  });
});

describe('the events of a measurement', () => {
  it('say what is there, what comes, and the end', async () => {
    await forget();
    const made = await make({ locations: [{ limit: 2 }] });
    const [one, two] = made.vantages.map(({ vantage }) => vantage) as [VantageRef, VantageRef];
    await storeAnswers(here, { measurementId: made.id, results: [resultOf(one)] });
    const events: {
      name: string;
      data: { vantages: { vantage: { id: string }; state: string }[]; finished: boolean };
    }[] = [];
    const reading = (async () => {
      for await (const piece of await followMeasurement(made.id, 'editor', never)) {
        const [, name = '', data = ''] = /^id: \d+\nevent: (\w+)\ndata: (.*)\n\n$/.exec(piece) ?? [];
        events.push({ name, data: JSON.parse(data) });
      }
    })();
    await vi.waitFor(() => expect(events).toHaveLength(1));
    await storeAnswers(here, { measurementId: made.id, results: [resultOf(two)] });
    await reading;
    expect(events.map(({ name }) => name)).toEqual(['measurement', 'end']);
    expect(events[0]?.data.vantages.map(({ state }) => state)).toEqual(['done', 'pending']);
    expect(events[1]?.data).toMatchObject({ finished: true, vantages: [{ vantage: { id: two.id }, state: 'done' }] });
  });
});

describe('answers that are awaited', () => {
  it('are there once the last has come, or as far as they came in time', async () => {
    await forget();
    const { id } = await make();
    await take();
    const first = await awaitAnswers(id, 'reader', 1);
    expect([first.finished, states(first)]).toEqual([false, ['taken', 'taken', 'taken', 'taken']]);
    // Longer than a test may take.
    const whole = awaitAnswers(id, 'reader', 3_600_000);
    await storeAnswers(here, { measurementId: id, results: vantages.map((vantage) => resultOf(vantage)) });
    expect(await whole).toMatchObject({ finished: true, counts: { done: 4, failed: 0 } });
    await expect(awaitAnswers('01940000-0000-7000-8000-000000000bad', 'reader', 1_000)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a stream that broke', () => {
  it('goes on after the last event that was seen', async () => {
    await forget();
    const made = await make({ locations: [{ limit: 2 }] });
    const [one, two] = made.vantages.map(({ vantage }) => vantage) as [VantageRef, VantageRef];
    const early = new Date(Date.now() - 20_000);
    await storeAnswers(here, { measurementId: made.id, results: [resultOf(one)] }, early);
    await storeAnswers(here, { measurementId: made.id, results: [resultOf(two)] });
    const from = async (id: string | null) => {
      const stream = await followMeasurement(made.id, 'editor', never, id);
      const pieces = [];
      for await (const piece of stream) pieces.push(piece);
      return pieces.map((piece) => [/event: (\w+)/.exec(piece)?.[1], piece.split('"state":"done"').length - 1]);
    };
    expect(await from(String(early.getTime() + 5_000))).toEqual([['end', 1]]);
    expect(await from('0')).toEqual([['end', 2]]);
    const whole = [
      ['measurement', 2],
      ['end', 0],
    ];
    expect(await from(null)).toEqual(whole);
    expect(await from('nonsense')).toEqual(whole);
  });
});

describe('the last event', () => {
  it('names what did not answer', async () => {
    await forget();
    const { id } = await make({ locations: [{ limit: 2 }] });
    await cancelMeasurement(id);
    const pieces: string[] = [];
    for await (const piece of await followMeasurement(id, 'editor', never)) pieces.push(piece);
    const [, data = ''] = /^id: \d+\nevent: end\ndata: (.*)\n\n$/.exec(pieces.at(-1) ?? '') ?? [];
    expect(JSON.parse(data)).toMatchObject({
      counts: { total: 2, pending: 0, failed: 2, cancelled: 2 },
      vantages: [{ reason: 'cancelled' }, { reason: 'cancelled' }],
    });
  });
});

describe('limits', () => {
  it(`a key creates at most ${MEASUREMENTS_A_MINUTE.key} a minute, and is told when to come again`, async () => {
    await forget();
    const begun = Date.now();
    for (let count = 0; count < MEASUREMENTS_A_MINUTE.key; count += 1) await make({}, new Date(begun + count * 1_000));
    const createAfter = (ms: number) => make({}, new Date(begun + ms));
    await expect(createAfter(20_000)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 40 });
    await createAfter(60_000);
  });

  it(`all keys together create at most ${MEASUREMENTS_A_MINUTE.host} a minute of one host`, async () => {
    await forget();
    const make = (n: number, url = URL_HERE) =>
      createMeasurement(MeasurementCreate.parse({ url, locations: [{ limit: 1 }] }), { ...by, limitBy: `key:${n}` });
    for (let count = 0; count < MEASUREMENTS_A_MINUTE.host; count += 1) await make(count);
    await expect(make(100)).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('one host'),
    });
    await make(100, 'https://other.example.org/');
  });

  it('of two at once the last that a limit allows is one', async () => {
    await forget();
    const outcomes = await Promise.allSettled(Array.from({ length: 14 }, () => make({ locations: [{ limit: 1 }] })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(MEASUREMENTS_A_MINUTE.key);
  });

  it(`the newest ${MAX_MEASUREMENTS_KEPT} are kept`, async () => {
    await forget();
    const oldest = await make({}, new Date(Date.now() - 3_600_000));
    await getPool().query(
      `insert into measurement (id, url, host, settings, created_by, limit_by, created_at, ends_at, expires_at)
        select ('ffffffff' || substr(gen_random_uuid()::text, 9))::uuid, 'https://a.example/', 'a.example', '{}', 'x', 'x',
          now() - interval '1 hour', now() - interval '59 minutes', now() + interval '23 hours' from generate_series(1, $1::int)`,
      [MAX_MEASUREMENTS_KEPT - 1],
    );
    await getMeasurement(oldest.id);
    const { id } = await make({ locations: [{ limit: 1 }] });
    expect((await getPool().query('select from measurement')).rowCount).toBe(MAX_MEASUREMENTS_KEPT);
    await expect(getMeasurement(oldest.id)).rejects.toMatchObject({ code: 'not_found' });
    await getMeasurement(id);
    await forget();
  });
});
