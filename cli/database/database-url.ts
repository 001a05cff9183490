import { once } from 'node:events';
import pg from 'pg';
import { StartError } from '../start-error.ts';

const ANSWER_MS = 5_000;
/** A connection that PostgreSQL was told to end is waited for so long (ms); it takes about 2. */
const END_MS = 1_000;

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
    const { rows } = await client.query<{ version: string; backend: number }>(
      `select split_part(current_setting('server_version'), ' ', 1) as version, pg_backend_pid() as backend`,
    );
    const [{ version = '', backend = null } = {}] = rows;
    // A pooler gives each client a number that is none of PostgreSQL's.
    const pooled = 'processID' in client && client.processID !== backend;
    if (pooled && !(await keepsSettings(client)))
      throw new Error(
        'a pooler (such as PgBouncer) lends connections to it for one transaction or statement each, but settings and locks of Roundtrip belong to a connection: use session mode (pool_mode = session), or the address of PostgreSQL itself',
      );
    return { url, description: `${version} at ${place}, database ${client.database}` };
  } catch (error) {
    throw new StartError(databaseProblem(error as pg.DatabaseError, place, client));
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Whether what is set on this connection stays in force on it. It is told to end when it has been idle for 1 ms: one to PostgreSQL that
 * is the client's own ends. One that was lent ends in the pooler's store, unused, or was reset there: the client's is left.
 */
async function keepsSettings(client: pg.Client): Promise<boolean> {
  const ended = once(client, 'error', { signal: AbortSignal.timeout(END_MS) }).then(
    () => true,
    () => false,
  );
  await client.query('set idle_session_timeout = 1');
  if (await ended) return true;
  const left = await client.query<{ timeout: string }>(`select current_setting('idle_session_timeout') as timeout`);
  return left.rows[0]?.timeout === '1ms';
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

/** Nothing answers, as the system says it; `ENOENT` and `EACCES` of a socket. */
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
