// The connections to PostgreSQL: a pool for each kind of work, so that none waits for the connections of another. A process
// first says what kind of work it does (`limitDatabase`); what is of another kind says so with `runAs`. The kind sets how many
// connections there are, and how long is waited for one, for a statement, a lock. Rows that are read and written one at a time go
// through `getPrisma`; bulk, rollups and everything that is counted in SQL through `getPool`; what belongs together through
// `inTransaction`.
//
// Around it: `connection.ts` has what every connection is set to; `migrate.ts` brings a database to this version (`schema-version.ts`) before any process serves;
// `partitions.ts` makes the partitions of the days ahead and drops those past `retention.ts`; `dictionary.ts` and `codes.ts`
// keep the numbers that stand for strings in rows; `settings.ts` is the table of single values; `page.ts` cuts lists;
// `timed-cache.ts` keeps in memory for a while what is read all the time; `lane.ts` lets heavy reads run one after the other.

import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '#prisma/generated/client.ts';
import { onceAProcess } from '#server/environment/once-a-process.ts';
import { SESSION_SETTINGS } from './connection.ts';

type Connections = { pools: Map<PooledWork, pg.Pool>; prisma?: PrismaClient; work?: PooledWork };

/**
 * How long the database may take, in ms, by kind of work. `connect`: to give a connection, of the pool or a new one.
 * `statement`, `lock` and `idle` (in a transaction) are kept by the server. `answer` is kept by us and a little longer: a
 * server that is frozen or cut off keeps no time-out, and its connection is then given up.
 */
export const LIMITS = {
  /** Somebody waits for a page or an answer of the API. */
  pages: { connections: 6, connect: 5_000, statement: 5_000, lock: 3_000, idle: 15_000, answer: 7_000 },
  /** A prober waits, and sends the batch again where it waited in vain. */
  ingest: { connections: 6, connect: 15_000, statement: 30_000, lock: 15_000, idle: 30_000, answer: 35_000 },
  /** Somebody fetches a file, piece by piece. */
  exports: { connections: 2, connect: 60_000, statement: 60_000, lock: 5_000, idle: 15_000, answer: 65_000 },
  /** Somebody deletes much with one click, and waits for its writers; on a connection of the process's own kind. */
  removal: { connections: 0, connect: 5_000, statement: 120_000, lock: 60_000, idle: 60_000, answer: 130_000 },
  /** No person waits: rollups, detection, housekeeping, commands. */
  jobs: { connections: 10, connect: 10_000, statement: 300_000, lock: 120_000, idle: 300_000, answer: 310_000 },
} as const;
export type Work = keyof typeof LIMITS;
/** Kinds of work that have connections of their own. */
export type PooledWork = Exclude<Work, 'removal'>;

const database = onceAProcess('database', (): { open: Connections } => ({ open: { pools: new Map() } }));
const connections = () => database().open;
const workHere = onceAProcess('database-work', () => new AsyncLocalStorage<PooledWork>());

/** Stands for the database that is open: what is kept in memory of it goes with this key. */
export function openDatabase(): object {
  return connections();
}

/** A transaction may last so long, ms: in a storm it writes a thousand incidents. */
const LONGEST_TRANSACTION_MS = 60_000;

/** Says what this process does, before it opens its first connection; `jobs` where it does not say. */
export function limitDatabase(work: PooledWork): void {
  connections().work = work;
}

/** Runs `run`, and all that it waits for, on the connections of another kind of work than the process's. */
export function runAs<T>(work: PooledWork, run: () => T): T {
  return workHere().run(work, run);
}

const processWork = (): PooledWork => connections().work ?? 'jobs';

/** The connection pool of the work that is being done, opened on first use from `DATABASE_URL`. Throws where that is not set. */
export function getPool(): pg.Pool {
  return poolOf(workHere().getStore() ?? processWork());
}

function poolOf(work: PooledWork): pg.Pool {
  const { pools } = connections();
  const pool = pools.get(work) ?? createPool(work);
  pools.set(work, pool);
  return pool;
}

/** Prisma on the pool of the process's work, for tables that are read and written a row at a time. */
export function getPrisma(): PrismaClient {
  const around = transactionAround.getStore();
  if (around) return around.client;
  const open = connections();
  const work = processWork();
  const transactionOptions = { timeout: LONGEST_TRANSACTION_MS, maxWait: LIMITS[work].connect };
  open.prisma ??= new PrismaClient({ adapter: new PrismaPg(poolOf(work)), transactionOptions });
  return open.prisma;
}

type Around = { client: PrismaClient; afterwards: (() => void)[] };
const transactionAround = new AsyncLocalStorage<Around>();

/**
 * Does work in one transaction: all that it does by way of `getPrisma` and `queryRows` is stored together, or where it throws not at all. What
 * it does by way of `getPool` is not part of it.
 */
export async function together<T>(work: () => Promise<T>): Promise<T> {
  const afterwards: Around['afterwards'] = [];
  const value = await getPrisma().$transaction((tx) => {
    const within: PrismaClient = new Proxy(tx as PrismaClient, {
      get: (client, name) =>
        name === '$transaction'
          ? (inner: (tx: PrismaClient) => Promise<unknown>) => inner(within)
          : Reflect.get(client, name),
    });
    return transactionAround.run({ client: within, afterwards }, work);
  });
  for (const each of afterwards) each();
  return value;
}

/** Does this now, or where work is being done `together` once that is stored. */
export function onceStored(work: () => void): void {
  const around = transactionAround.getStore();
  if (around) around.afterwards.push(work);
  else work();
}

/** The rows of a statement, which sees what is being done `together` around it. */
export async function queryRows<T extends object>(text: string, values: unknown[]): Promise<T[]> {
  const around = transactionAround.getStore();
  return around
    ? await around.client.$queryRawUnsafe<T[]>(text, ...values)
    : (await getPool().query<T>(text, values)).rows;
}

/** Closes what is open; the next use opens it again. */
export async function closeDatabase(): Promise<void> {
  const { pools, prisma, work } = connections();
  database().open = { pools: new Map(), ...(work ? { work } : {}) };
  // What the server says to a connection that is being closed is no news.
  for (const pool of pools.values()) pool.removeAllListeners('error').on('error', () => {});
  await prisma?.$disconnect();
  await Promise.all([...pools.values()].map((pool) => (pool.ended ? undefined : pool.end())));
}

function createPool(work: PooledWork): pg.Pool {
  // A standby answers exports, which may be a moment late (replica.ts).
  const connectionString = (work === 'exports' && process.env.DATABASE_REPLICA_URL) || process.env.DATABASE_URL;
  if (!connectionString) throw new Error('DATABASE_URL is not set: it names the PostgreSQL database to use');
  const limits = LIMITS[work];
  const pool = new pg.Pool({
    connectionString,
    max: limits.connections,
    // The pages' last one stays open while idle: by it a restore knows that a web process is there.
    min: work === 'pages' ? 1 : 0,
    connectionTimeoutMillis: limits.connect,
    // An open page asks again every 15 s or minute: each time all but one would be opened again.
    idleTimeoutMillis: work === 'pages' ? 90_000 : 10_000,
    keepAlive: true,
    Client: class extends ImpatientClient {
      override answerMs: number = limits.answer;
    },
    // Compiling a query that then runs 20 ms costs more than it saves. On a cluster (elsewhere the name says nothing) one
    // connection to each node, which stays open, asks its shards in turn: a connection each costs more than the answers.
    // By its name a restore knows that Roundtrip uses the database; set here, where no URL has a say.
    onConnect: async (client) => {
      await client.query(
        `${SESSION_SETTINGS}; set application_name = 'roundtrip'; set jit = off; set citus.max_adaptive_executor_pool_size = 1; set statement_timeout = ${limits.statement}; set lock_timeout = ${limits.lock};
         set idle_in_transaction_session_timeout = ${limits.idle}`,
      );
    },
  });
  // A connection that breaks is replaced on the next use; without listeners it would end the process.
  pool.on('error', (error) => console.error(`database connection lost: ${error.message}`));
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A connection that ends when an answer does not come: whatever waits on it fails at once, and the pool replaces it. */
class ImpatientClient extends pg.Client {
  answerMs: number = LIMITS.jobs.answer;
  #timer: NodeJS.Timeout | null = null;

  constructor(config?: pg.ClientConfig) {
    super(config);
    // Said when nothing is waited for any more.
    this.on('drain', () => this.#rest());
    this.on('end', () => this.#rest());
    const query = this.query;
    this.query = ((...given: Parameters<typeof query>) => {
      this.#rest();
      // The connection keeps the process, not the wait for it: a query on one that has ended is never answered.
      this.#timer = setTimeout(() => this.#giveUp(), this.answerMs).unref();
      return query.apply(this, given);
    }) as typeof query;
  }

  #rest(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #giveUp(): void {
    const error = new Error(`the database did not answer within ${this.answerMs / 1_000} s`);
    // As the system says it of a connection whose other end is gone: Prisma and problem.ts know that.
    this.connection.stream.destroy(Object.assign(error, { code: 'ETIMEDOUT', errno: -110, syscall: 'read' }));
  }
}

/**
 * Runs `work` in one transaction on one connection; rolls back when it throws. `kind` gives it other limits than the
 * process's.
 */
export async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>, kind?: Work): Promise<T> {
  const client = await getPool().connect();
  const answerMs = client instanceof ImpatientClient ? client.answerMs : 0;
  let broken = false;
  try {
    await begin(client, kind);
    const value = await work(client);
    await client.query('commit');
    return value;
  } catch (error) {
    // A connection that cannot even roll back is not put back into the pool.
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    if (client instanceof ImpatientClient) client.answerMs = answerMs;
    client.release(broken);
  }
}

/** In one round trip, with the limits of the work where the connection has others. */
async function begin(client: pg.PoolClient, kind: Work | undefined): Promise<void> {
  if (!kind || kind === workHere().getStore()) return void (await client.query('begin'));
  const { statement, lock, idle, answer } = LIMITS[kind];
  await client.query(
    `begin; set local statement_timeout = ${statement}; set local lock_timeout = ${lock};
     set local idle_in_transaction_session_timeout = ${idle}`,
  );
  if (client instanceof ImpatientClient) client.answerMs = answer;
}
