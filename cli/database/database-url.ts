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
  const client = clientFor(url);
  const place = `${client.host}:${client.port}`;
  // The connection may break after the question was answered; that is the pool's business, not this check's.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    const version = rows[0]?.server_version.split(' ')[0] ?? '';
    return { url, description: `${version} at ${place}, database ${client.database}` };
  } catch (error) {
    throw new StartError(databaseProblem(error as pg.DatabaseError, place, client));
  } finally {
    await client.end().catch(() => {});
  }
}

/** The address as the driver reads it, which is the one that counts: any that libpq has, sockets included. */
function clientFor(url: string): pg.Client {
  const schema = /[?&]schema=([^&]*)/.exec(url)?.[1] ?? 'public';
  if (schema !== 'public')
    throw new StartError(
      `DATABASE_URL has schema=${schema}, but Roundtrip keeps its tables in the schema public: leave it out, and give Roundtrip a database of its own.`,
    );
  try {
    if (!/^postgres(ql)?:/.test(url)) throw new Error('another kind of URL');
    return new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (path) throw new StartError(`DATABASE_URL names the file ${path}, which cannot be read (${code}).`);
    throw new StartError(
      'DATABASE_URL is not a PostgreSQL address: write it as postgresql://user:password@host:5432/database, or unset it to use the embedded PostgreSQL.',
    );
  }
}

/** Nobody is there, as the system says it; `ENOENT` and `EACCES` of a socket. */
const NO_ANSWER = /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ETIMEDOUT|EPIPE|ENOENT|EACCES)$/;

function databaseProblem(error: pg.DatabaseError, place: string, { database, user }: pg.Client): string {
  const { code = '', message } = error;
  switch (code) {
    case '28P01':
    case '28000':
      return `PostgreSQL at ${place} rejects user ${user} (${message}): correct the user or password in DATABASE_URL.`;
    case '3D000':
      return `PostgreSQL at ${place} has no database called ${database}: create it (createdb ${database}), or correct DATABASE_URL.`;
    case '42501':
      return `PostgreSQL at ${place} lets user ${user} not in (${message}): grant connect on database ${database} to ${user}.`;
    case '53300':
      return `PostgreSQL at ${place} has no connection left (${message}): raise max_connections, or end some that others hold.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host of DATABASE_URL (${place}) cannot be resolved: correct the name.`;
  }
  if (NO_ANSWER.test(code) || /timeout/i.test(message))
    return `No PostgreSQL answers at ${place} (${code || message}): start it, or correct DATABASE_URL.`;
  if (/CERT|SIGNED|TLS|SSL/i.test(`${code} ${message}`))
    return `The TLS of PostgreSQL at ${place} is not as DATABASE_URL wants it (${message}): correct sslmode, or name the file of its authority in sslrootcert.`;
  return `PostgreSQL at ${place} cannot be used: ${message}.`;
}
