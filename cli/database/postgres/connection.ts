import pg from 'pg';

/** The cluster's one role, and the database that holds everything. */
export const superuser = 'roundtrip';
export const databaseName = 'roundtrip';

/** A server that runs answers these few questions within this time, ms. */
const ANSWER_MS = 5_000;
/** Making a database waits for the disk, which may be slow or busy. */
const CREATE_MS = 120_000;

/** Where a server listens, and how to get in. */
export interface Address {
  port: number;
  password: string;
}

/** The connection URL of a database; `127.0.0.1` by number, because `localhost` may mean ::1 alone. */
export function urlOf({ port, password }: Address, database: string = databaseName): string {
  return `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * Takes out of this process's environment, and so out of that of all it starts, what the person's shell says of their own PostgreSQL
 * (`PGSSLMODE`, `PGOPTIONS` and others): `pg` would apply it to ours.
 */
export function forgetOtherPostgres(): void {
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
}

/** Runs `work` with a connection of its own to `database`. */
export async function withConnection<T>(
  address: Address,
  database: string,
  work: (client: pg.Client) => Promise<T>,
  answerMs = ANSWER_MS,
): Promise<T> {
  const connectionString = urlOf(address, database);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: ANSWER_MS, query_timeout: answerMs });
  // Without a listener, a server that goes away between two queries ends the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The data folder the server at `address` says it serves. */
export async function dataFolderOf(address: Address): Promise<string> {
  return withConnection(address, 'postgres', async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory ?? '';
  });
}

/** Makes the database `roundtrip` if the cluster has none yet. */
export async function ensureDatabase(address: Address): Promise<void> {
  const make = async (client: pg.Client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName]);
    if (!rowCount) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(databaseName)}`);
  };
  await withConnection(address, 'postgres', make, CREATE_MS);
}

/** Whether the error says "not yet" (nobody listens, or the server is starting or recovering) rather than "no". */
export function isNotReady(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === '57P03';
}
