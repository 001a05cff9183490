import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { MAX_REDIRECTS } from '#contract/target.ts';
import { getPool } from '#server/database/database.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { NEW_CERTIFICATES_AN_HOUR, NEW_STRINGS_AN_HOUR, RATE_FACTOR } from '#server/ingest/limits.ts';
import { processMetrics } from '#server/monitoring/monitoring.ts';
import { insertBatch, MAX_HALVINGS } from '#server/results/insert.ts';
import { updateTarget } from '#server/targets/targets.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const HOUR = 3_600_000;
const PERIOD = 60_000;
/** What one check of a period of 60 s may have in an hour. */
const MOST = (RATE_FACTOR * HOUR) / PERIOD;
/** The beginning of an hour before this one; the same however long the tests take. */
const thisHour = Math.floor(Date.now() / HOUR) * HOUR;
const hourAgo = (hours: number) => thisHour - hours * HOUR;

let targetId: string;
let vantage: VantageRef;
let prober: { id: string; vantageIds: string[] };
prepareTestDatabase();
beforeEach(async () => {
  targetId = await insertTarget();
  vantage = makeVantage('CN-GD', 'telecom');
  prober = { id: await insertProber([vantage]), vantageIds: [vantage.id] };
  await assignAll();
});

const make = (startedAt: number, changes: Partial<StorableResult> = {}): StorableResult => ({
  ...makeResult({ targetId, vantage, startedAt }),
  ...changes,
});
const send = (results: unknown[]) => ingestBatch(prober, { results });
const limited = async (limit: string) =>
  Number(
    new RegExp(`roundtrip_ingest_limited_results_total\\{limit="${limit}"\\} (\\d+)`).exec(
      await processMetrics(),
    )?.[1] ?? 0,
  );

describe('a prober hands in', () => {
  const since = (days: number) => `now() - interval '${days} days'`;

  it('checks that are assigned to its vantages, or were in the last 30 days', async () => {
    const removed = (days: number) =>
      getPool().query(`update "check" set deleted_at = ${since(days)} where vantage_id = $1`, [vantage.id]);
    await removed(31);
    const result = make(hourAgo(1));
    expect((await send([result])).rejected).toMatchObject([
      { id: result.id, field: 'targetId', message: expect.stringContaining('not assigned to this vantage') },
    ]);
    await removed(29);
    expect(await send([result])).toEqual({ accepted: 1, duplicates: 0, rejected: [], serverTime: expect.any(String) });
    const other = await insertTarget();
    expect((await send([make(hourAgo(1), { targetId: other })])).rejected).toMatchObject([{ field: 'targetId' }]);
  });

  it('is remembered what was removed for 30 days, and no longer', async () => {
    const others = [await insertTarget(), await insertTarget()];
    await assignAll();
    for (const [index, days] of [29, 31].entries()) {
      await getPool().query(`update "check" set deleted_at = ${since(days)} where target_id = $1`, [others[index]]);
    }
    await updateTarget(targetId, { periodSeconds: 30 });
    const left = await getPool().query('select distinct target_id as id from "check" where target_id = any($1)', [
      others,
    ]);
    expect(left.rows).toEqual([{ id: others[0] }]);
  });

  it('results under the URL of the target, or one that it had in the last 30 days', async () => {
    const from = (url: string) => make(hourAgo(1), { url });
    expect((await send([from('https://evil.example/'), from('https://SHOP.example.org')])).rejected).toMatchObject([
      { index: 0, field: 'url' },
    ]);
    await updateTarget(targetId, { url: 'https://new.example.org/' });
    expect(await send([from('https://new.example.org/'), from('https://shop.example.org/')])).toMatchObject({
      accepted: 2,
    });
    const until = (days: number) =>
      getPool().query(
        `update target set former = jsonb_set(former, '{0,until}', to_jsonb(to_char((${since(days)}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
          where id = $1`,
        [targetId],
      );
    await until(31);
    // The URLs of before are at most three seconds old in memory; another unknown one makes them fresh.
    await send([from('https://evil.example/')]);
    expect((await send([from('https://shop.example.org/')])).rejected).toMatchObject([{ field: 'url' }]);
    await until(29);
    expect(await send([from('https://shop.example.org/')])).toMatchObject({ accepted: 1 });
  });

  it('redirects of any URL, bound to a main result of the same check in the batch or before it', async () => {
    const main = make(hourAgo(2));
    const follow = (mainId: string | null, changes: Partial<StorableResult> = {}) =>
      make(hourAgo(2) + 500, { variant: 'redirect', mainId, url: 'https://www.example.net/there', ...changes });
    expect(await send([follow(main.id), main])).toEqual({
      accepted: 2,
      duplicates: 0,
      rejected: [],
      serverTime: expect.any(String),
    });
    expect(await send([follow(main.id)])).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [],
      serverTime: expect.any(String),
    });
    const other = await insertTarget();
    await assignAll();
    const unbound = [
      follow(null),
      follow(v7()),
      follow(main.id, { targetId: other }),
      follow(main.id, { url: 'http://www.example.net/' }),
      make(hourAgo(2), { variant: 'resumed', mainId: main.id, url: 'https://www.example.net/there' }),
    ];
    expect((await send(unbound)).rejected.map(({ field, retry }) => [field, retry])).toEqual([
      ['mainId', undefined],
      ['mainId', true], // it may wait for another try as well
      ['mainId', true],
      ['url', undefined],
      ['url', undefined],
    ]);
  });
});

describe('the rate of a check', () => {
  const many = (from: number, count: number, changes: Partial<StorableResult> = {}) =>
    Array.from({ length: count }, (_, n) => make(from + n * 1_000, changes));

  it('is three times the assigned one, counted over the time that results claim', async () => {
    const before = await limited('rate');
    const hour = many(hourAgo(3), MOST + 2);
    const answer = await send(hour);
    expect(answer).toMatchObject({ accepted: MOST, duplicates: 0 });
    expect(answer.rejected.map(({ index, field }) => [index, field])).toEqual([
      [MOST, 'startedAt'],
      [MOST + 1, 'startedAt'],
    ]);
    expect((await send(hour.slice(MOST))).rejected).toMatchObject([
      { field: 'startedAt', message: expect.stringContaining('is one too many') },
      { field: 'startedAt' },
    ]);
    expect(await limited('rate')).toBe(before + 4);
    expect(await send(many(hourAgo(4), 3))).toMatchObject({ accepted: 3 });
    expect(await send(many(hourAgo(3), 3, { variant: 'resumed', mainId: hour[0]?.id ?? null }))).toMatchObject({
      accepted: 3,
    });
  });

  it('counts what is stored: a batch that comes again and again is no more', async () => {
    const hour = many(hourAgo(3), MOST);
    expect(await send(hour)).toMatchObject({ accepted: MOST });
    for (let again = 0; again < 4; again += 1)
      expect(await send(hour)).toEqual({ accepted: 0, duplicates: MOST, rejected: [], serverTime: expect.any(String) });
    const atOnce = await Promise.all([1, 2, 3, 4, 5].map(() => send(many(hourAgo(6), MOST))));
    expect(atOnce.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(MOST);
    // Those told to come later are right in their time: a prober must not stamp them anew.
    const rejected = atOnce.flatMap((answer) => answer.rejected);
    expect(rejected).toHaveLength(4 * MOST);
    for (const { retry, field } of rejected) expect(field).toBe(retry ? null : 'startedAt');
  });

  it('lets a spool of a whole day in at once', async () => {
    const day = Array.from({ length: 1_440 }, (_, n) => make(hourAgo(25) + n * PERIOD));
    expect(await send(day)).toEqual({ accepted: 1_440, duplicates: 0, rejected: [], serverTime: expect.any(String) });
  });

  it('is that of the shortest period of the last 30 days, for each redirect by itself', async () => {
    await updateTarget(targetId, { periodSeconds: 3_600 });
    const main = many(hourAgo(3), MOST);
    expect(await send(main)).toMatchObject({ accepted: MOST });
    const mainId = main[0]?.id ?? null;
    const follow = { variant: 'redirect' as const, mainId, url: 'https://www.example.net/' };
    expect(await send(many(hourAgo(3), MOST * MAX_REDIRECTS + 1, follow))).toMatchObject({
      accepted: MOST * MAX_REDIRECTS,
    });
  });
});

describe('what a prober brings that is new', () => {
  const OWN_TEXTS = 5;
  /** So many results, each with OWN_TEXTS texts or a certificate of its own. */
  const odd = (count: number, own: 'texts' | 'certificate') =>
    Array.from({ length: count }, (_, n) => {
      const made = make(hourAgo(40) + n * 30_000);
      const { tls, http, network } = made;
      if (!tls?.certificate || !tls.hellos || !http) throw new Error('the made result has all parts');
      if (own === 'certificate') {
        const certificate = { ...tls.certificate, sha256: n.toString(16).padStart(64, '0') };
        return { ...made, tls: { ...tls, certificate } };
      }
      const text = (what: string) => `${what} ${targetId} ${n}`;
      const hellos = { ...tls.hellos, clientBytes: n, serverLegacyVersion: targetId.slice(-12) };
      return {
        ...made,
        network: { ...network, resolver: text('resolver'), peerAddress: text('address') },
        http: { ...http, server: text('server') },
        tls: { ...tls, cipher: text('cipher'), hellos },
      };
    });

  it('is bounded by the hour; the rest is for later, and what is known goes on', async () => {
    await send([make(hourAgo(41))]);
    const before = await limited('new');
    // The result before this one has taken some of the hour already.
    const affordable = Math.floor((NEW_STRINGS_AN_HOUR - 30) / OWN_TEXTS);
    const batch = [...odd(affordable + 100, 'texts'), make(hourAgo(41) + 1)];
    const answer = await send(batch);
    expect(answer.accepted).toBeGreaterThan(affordable);
    expect(answer.accepted + answer.rejected.length).toBe(batch.length);
    expect(answer.rejected.length).toBeGreaterThan(90);
    expect(answer.rejected.at(-1)).toMatchObject({ index: batch.length - 2, field: null, retry: true });
    expect(await limited('new')).toBe(before + answer.rejected.length);
    // Sent again, what is stored is known, and costs nothing.
    const again = await send(batch);
    expect(again.duplicates).toBe(answer.accepted);
    expect(again.accepted + again.rejected.length).toBe(answer.rejected.length);
  });

  it('is refused as not now, with nothing half stored, where the allowance is used up', async () => {
    const [first, second, third] = odd(3, 'texts');
    if (!first || !second || !third) throw new Error('three were made');
    await send([make(hourAgo(42))]);
    const allowance = { strings: 2 * OWN_TEXTS, certificates: 0 };
    const { fresh, refused } = await insertBatch([first, second, third, make(hourAgo(42) + 1)], allowance);
    expect([fresh.length, [...refused.values()]]).toMatchObject([3, [{ id: third.id, by: 'new', retry: true }]]);
    expect(allowance.strings).toBe(0);
    const later = await insertBatch([first, third], { strings: OWN_TEXTS, certificates: 0 });
    expect([later.fresh.map(({ id }) => id), later.refused.size]).toEqual([[third.id], 0]);
  });

  it('of certificates has a bound of its own', async () => {
    const answer = await send([...odd(NEW_CERTIFICATES_AN_HOUR + 2, 'certificate'), make(hourAgo(41))]);
    expect(answer.accepted).toBe(NEW_CERTIFICATES_AN_HOUR + 1);
    expect(answer.rejected).toMatchObject([
      { index: NEW_CERTIFICATES_AN_HOUR, field: null, retry: true },
      { index: NEW_CERTIFICATES_AN_HOUR + 1, retry: true },
    ]);
  });
});

describe('a batch that PostgreSQL refuses for its data', () => {
  beforeAll(async () => {
    await getPool().query(`
      create function refuse_odd() returns trigger language plpgsql as $$
      begin raise exception 'no such status' using errcode = '22003'; end $$;
      create trigger odd before insert on result for each row when (new.http_status = 599) execute function refuse_odd()`);
  });
  afterAll(() => getPool().query('drop trigger odd on result; drop function refuse_odd'));

  const withStatus = (startedAt: number, status: number) => {
    const made = make(startedAt);
    return { ...made, http: made.http && { ...made.http, status } };
  };
  const dirty = async () =>
    (await getPool().query('select distinct minute from rollup_log where $1 = any(target_ids)', [targetId])).rowCount;

  it('is halved until the results at fault are alone; the others are stored, once, and their minutes are due', async () => {
    const batch = Array.from({ length: 300 }, (_, n) =>
      withStatus(hourAgo(8) + n * PERIOD, n === 77 || n === 205 ? 599 : 200),
    );
    const before = await limited('database');
    const answer = await send(batch);
    expect(answer).toMatchObject({ accepted: 298, duplicates: 0 });
    expect(answer.rejected).toEqual(
      [77, 205].map((index) => ({
        index,
        id: batch[index]?.id,
        field: null,
        message: 'cannot be stored: the database refuses it with SQLSTATE 22003',
      })),
    );
    expect(await dirty()).toBe(298);
    expect(await send(batch)).toMatchObject({
      accepted: 0,
      duplicates: 298,
      rejected: [{ index: 77 }, { index: 205 }],
    });
    expect(await limited('database')).toBe(before + 4);
  });

  it('is halved a bounded number of times: what is left then is to come again', async () => {
    const batch = Array.from({ length: 150 }, (_, n) => withStatus(hourAgo(4) + n * 25_000, 599));
    const { rejected, accepted } = await send(batch);
    expect([accepted, rejected.length]).toEqual([0, 150]);
    const found = rejected.filter(({ retry }) => !retry).length;
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThanOrEqual(MAX_HALVINGS + 1);
  });
});
