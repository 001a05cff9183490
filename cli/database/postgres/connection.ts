import pg from 'pg';

/** The cluster's one role, and the database that holds everything. */
export const superuser = 'roundtrip';
const DATABASE = 'roundtrip';

const ANSWER_MS = 5_000;
/** Making a database waits for the disk, which may be slow or busy. */
const CREATE_MS = 120_000;

/** Where a server listens at 127.0.0.1, and how to get in. */
export type Address = { port: number; password: string };

/** The connection URL of a database; `127.0.0.1` by number, because `localhost` may mean ::1 alone. */
export function urlOf({ port, password }: Address, database: string = DATABASE): string {
  return `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * Takes out of this process's environment, and so out of that of all it starts, what the person's shell says of their own PostgreSQL
 * (`PGSSLMODE`, `PGOPTIONS` and others): `pg` would apply it to ours.
 */
export function forgetOtherPostgres(): void {
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
}

/** Makes the database `roundtrip` if the cluster has none yet. */
export async function ensureDatabase(address: Address): Promise<void> {
  const connectionString = urlOf(address, 'postgres');
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: ANSWER_MS, query_timeout: CREATE_MS });
  // Without a listener, a server that goes away between two queries ends the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(DATABASE)}`);
  } finally {
    await client.end().catch(() => {});
  }
}
