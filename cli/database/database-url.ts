import pg from 'pg';
import { StartError } from '../start-error.ts';

const ANSWER_MS = 5_000;

/** A `DATABASE_URL` that answers, and in words where it leads. */
export type CheckedDatabase = { url: string; description: string };

/** The `DATABASE_URL` that a part on its own cannot do without; else a StartError. */
export function requiredDatabaseUrl(environment: { DATABASE_URL?: string | undefined }): string {
  if (environment.DATABASE_URL) return environment.DATABASE_URL;
  throw new StartError(
    'DATABASE_URL is not set, but a separate process requires it: write it as postgresql://user:password@host:5432/database, or run `roundtrip start`.',
  );
}

/** Connects once; else a StartError that says what is wrong with `DATABASE_URL`. Never prints its password. */
export async function checkDatabaseUrl(url: string): Promise<CheckedDatabase> {
  const { place, database, user } = parseDatabaseUrl(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
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
  try {
    const url = new URL(value);
    const user = decodeURIComponent(url.username) || 'this user';
    const database = decodeURIComponent(url.pathname.slice(1)) || user;
    if (/^postgres(ql)?:$/.test(url.protocol)) {
      return { place: `${url.hostname || 'localhost'}:${url.port || 5432}`, database, user };
    }
  } catch {
    // Said below.
  }
  throw new StartError(
    'DATABASE_URL is not a PostgreSQL address: write it as postgresql://user:password@host:5432/database, or unset it to use the embedded PostgreSQL.',
  );
}

function databaseProblem(error: pg.DatabaseError, place: string, database: string, user: string): string {
  switch (error.code) {
    case '28P01':
    case '28000':
      return `PostgreSQL at ${place} rejects user ${user} (${error.message}): correct the user or password in DATABASE_URL.`;
    case '3D000':
      return `PostgreSQL at ${place} has no database called ${database}: create it (createdb ${database}), or correct DATABASE_URL.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host of DATABASE_URL (${place}) cannot be resolved: correct the name.`;
    default:
      return `No PostgreSQL answers at ${place} (${error.code ?? error.message}): start it, or correct DATABASE_URL.`;
  }
}
