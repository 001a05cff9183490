import { describe, expect, it, vi } from 'vitest';
import {
  closeDatabase,
  getPool,
  getPrisma,
  inTransaction,
  LIMITS,
  limitDatabase,
  runAs,
  type Work,
} from '#server/database/database.ts';
import { problemOf } from '#server/http/problem.ts';
import { CLOCK_IS_SET_AHEAD } from '../support/instants.ts';
import { prepareTestDatabase } from '../support/prepare.ts';

prepareTestDatabase();

const settings = `select current_setting('statement_timeout')::interval = make_interval(secs => $1) as statement,
  current_setting('lock_timeout')::interval = make_interval(secs => $2) as lock,
  current_setting('idle_in_transaction_session_timeout')::interval = make_interval(secs => $3) as idle`;
const limitsOf = ({ statement, lock, idle }: (typeof LIMITS)[Work]) => [statement, lock, idle].map((ms) => ms / 1_000);
const ALL_SET = [{ statement: true, lock: true, idle: true }];

/** What the thrown value becomes over HTTP. */
async function answerTo(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const response = problemOf(error);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() };
}
const TOO_SLOW = { status: 503, retryAfter: '5', body: expect.stringContaining('query timed out') };

describe('the limits of the database', () => {
  it.each(['pages', 'jobs'] as const)(
    'of %s hold on every connection, and no answer is waited for longer',
    async (work) => {
      await closeDatabase();
      limitDatabase(work);
      expect((await getPool().query(settings, limitsOf(LIMITS[work]))).rows).toEqual(ALL_SET);
      for (const { statement, lock, answer } of Object.values(LIMITS)) {
        expect(answer).toBeGreaterThan(statement);
        expect(statement).toBeGreaterThan(lock);
      }
    },
  );

  it('let go of connections that nobody uses, but for one of the pages, which a restore looks for', async () => {
    await closeDatabase();
    limitDatabase('pages');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (const work of ['pages', 'ingest'] as const)
        await runAs(work, () => Promise.all([1, 2].map(() => getPool().query('select pg_sleep(0.05)'))));
      vi.advanceTimersByTime(600_000);
      const openOf = (work: 'pages' | 'ingest') => runAs(work, () => getPool().totalCount);
      expect([openOf('pages'), openOf('ingest')]).toEqual([1, 0]);
    } finally {
      vi.useRealTimers();
    }
    // A backend ends a moment after its connection.
    const backends = async () =>
      (
        await getPool().query<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'roundtrip'`,
        )
      ).rows;
    await expect.poll(backends).toEqual([{ n: 1 }]);
    await closeDatabase();
    limitDatabase('jobs');
  });

  it('are those of the work that is done, on connections of its own', async () => {
    for (const work of ['ingest', 'exports', 'pages'] as const) {
      const asked = await runAs(work, () => getPool().query(settings, limitsOf(LIMITS[work])));
      expect(asked.rows, work).toEqual(ALL_SET);
      expect(runAs(work, () => getPool().options.max)).toBe(LIMITS[work].connections);
    }
  });

  it('let one kind of work have its connections where another has taken all of its own', async () => {
    const most = LIMITS.exports.connections;
    const taken = await Promise.all(Array.from({ length: most }, () => runAs('exports', () => getPool().connect())));
    const waiting = runAs('exports', () => getPool().query<{ one: number }>('select 1 as one'));
    const { rows } = await runAs('ingest', () => getPool().query<{ one: number }>('select 1 as one'));
    expect([rows, runAs('exports', () => getPool().waitingCount)]).toEqual([[{ one: 1 }], 1]);
    for (const client of taken) client.release();
    expect((await waiting).rows).toEqual([{ one: 1 }]);
  });

  it('of another kind of work hold in its transaction alone', async () => {
    const inside = await inTransaction((client) => client.query(settings, limitsOf(LIMITS.ingest)), 'ingest');
    expect(inside.rows).toEqual(ALL_SET);
    expect((await getPool().query(settings, limitsOf(LIMITS.jobs))).rows).toEqual(ALL_SET);
  });

  it.skipIf(CLOCK_IS_SET_AHEAD)(
    'make a statement that takes too long a 503 that says so, through the pool and through Prisma',
    async () => {
      const slow = inTransaction(async (client) => {
        await client.query('set local statement_timeout = 50');
        await client.query('select pg_sleep(10)');
      });
      expect(await answerTo(slow)).toEqual(TOO_SLOW);
      const prisma = getPrisma().$transaction(async (tx) => {
        await tx.$executeRaw`set local statement_timeout = 50`;
        await tx.$queryRaw`select pg_sleep(10)::text`;
      });
      expect(await answerTo(prisma)).toEqual(TOO_SLOW);
    },
  );

  it('end a connection whose answer does not come, with all that waits on it, and the pool goes on', async () => {
    const started = performance.now();
    const stuck = inTransaction(async (client) => {
      Object.assign(client, { answerMs: 200 });
      await client.query('select pg_sleep(60)');
    });
    expect(await answerTo(stuck)).toEqual(TOO_SLOW);
    expect(performance.now() - started).toBeLessThan(10_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => getPool().query('select 1 as one')));
    expect(answers.every(({ rows }) => rows[0].one === 1)).toBe(true);
  });
});
