import pg from 'pg';
import { StartError } from './start-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** A `DATABASE_URL` that answers, and in words where it leads. */
export type CheckedDatabase = { url: string; description: string };

/** Connects once; else a StartError that says what is wrong with `DATABASE_URL`. Never prints its password. */
export async function checkDatabaseUrl(url: string): Promise<CheckedDatabase> {
  const { place, database, user } = parseDatabaseUrl(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // The connection may break after the question was answered; that is the pool's business, not this check's.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    const version = rows[0]?.server_version.split(' ')[0] ?? '';
    return { url, description: `${version} at ${place}, database ${database}` };
  } catch (error) {
    throw new StartError(databaseProblem(error as pg.DatabaseError, place, database, user));
  } finally {
    await client.end().catch(() => {});
  }
}

function parseDatabaseUrl(value: string) {
  let url: URL | null = null;
  try {
    url = new URL(value);
  } catch {}
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new StartError(
      'DATABASE_URL is not a PostgreSQL address: write it as postgresql://user:password@host:5432/database, or unset it to use the embedded PostgreSQL.',
    );
  }
  const user = decodeURIComponent(url.username) || 'this user';
  const database = decodeURIComponent(url.pathname.slice(1)) || user;
  return { place: `${url.hostname || 'localhost'}:${url.port || 5432}`, database, user };
}

function databaseProblem(error: pg.DatabaseError, place: string, database: string, user: string): string {
  switch (error.code) {
    case '28P01':
    case '28000':
      return `PostgreSQL at ${place} does not let ${user} in (${error.message}): correct the user or password in DATABASE_URL.`;
    case '3D000':
      return `PostgreSQL at ${place} has no database called ${database}: create it (createdb ${database}), or correct DATABASE_URL.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host of DATABASE_URL (${place}) is not known: correct the name.`;
    default:
      return `No PostgreSQL answers at ${place} (${error.code ?? error.message}): start it, or correct DATABASE_URL.`;
  }
}
