import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '#prisma/generated/client.ts';

type Connections = { pool?: pg.Pool; prisma?: PrismaClient };

// Next loads a module once a bundle layer; the pool must exist once a process.
const key = Symbol.for('roundtrip.database');
const holder = globalThis as typeof globalThis & { [key]?: Connections };

function connections(): Connections {
  holder[key] ??= {};
  return holder[key];
}

/** A transaction may last so long, and wait so long for a connection, ms: in a storm it writes a thousand incidents. */
const TRANSACTION = { timeout: 60_000, maxWait: 10_000 };

/** The process's connection pool, opened on first use from `DATABASE_URL`. Throws where that is not set. */
export function getPool(): pg.Pool {
  const open = connections();
  open.pool ??= createPool();
  return open.pool;
}

/** Prisma on the same pool, for tables that are read and written a row at a time. */
export function getPrisma(): PrismaClient {
  const open = connections();
  open.prisma ??= new PrismaClient({ adapter: new PrismaPg(getPool()), transactionOptions: TRANSACTION });
  return open.prisma;
}

/** Closes what is open; the next use opens anew. */
export async function closeDatabase(): Promise<void> {
  const { pool, prisma } = connections();
  holder[key] = {};
  // What the server says to a connection that is being closed is no news.
  pool?.removeAllListeners('error').on('error', () => {});
  await prisma?.$disconnect();
  if (pool && !pool.ended) await pool.end();
}

function createPool(): pg.Pool {
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new Error('DATABASE_URL is not set: it names the PostgreSQL database to use');
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 10_000,
    application_name: 'roundtrip',
    // Compiling a query that then runs 20 ms costs more than it saves.
    onConnect: async (client) => {
      await client.query('set jit = off');
    },
  });
  // A connection that breaks is replaced on the next use; without listeners it would end the process.
  pool.on('error', (error) => console.error(`database connection lost: ${error.message}`));
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Runs `work` in one transaction on one connection; rolls back when it throws. */
export async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await getPool().connect();
  let broken = false;
  try {
    await client.query('begin');
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
    client.release(broken);
  }
}
