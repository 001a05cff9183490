import pg from 'pg';
import { describeConnectionError } from './connection-error.mjs';

/** Splits a Prisma URL: what `pg` connects with, the database's name, and Prisma's own `schema` parameter. */
export function readUrl(text) {
  if (!text) throw new Error('No database URL: set DATABASE_URL');
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? 'public';
  url.searchParams.delete('schema');
  return { connectionString: url.href, database: decodeURIComponent(url.pathname.slice(1)) || 'postgres', schema };
}

/** The same server, another database. The name goes into the URL, because `pg` lets the URL override its options. */
export function urlOfDatabase(text, database) {
  if (!text) throw new Error('No database URL: set DATABASE_URL');
  const url = new URL(text);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}

/** Runs `work` with a connection of its own; errors leave with Prisma's codes (P1001 unreachable, P1003 missing...). */
export async function withClient(url, work) {
  const client = new pg.Client({ connectionString: readUrl(url).connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw describeConnectionError(error, client);
  } finally {
    await client.end().catch(() => {});
  }
}

export async function canConnect(url) {
  await withClient(url, (client) => client.query('SELECT 1'));
}

export async function createDatabase(url) {
  const { database } = readUrl(url);
  await withClient(urlOfDatabase(url, 'postgres'), (client) =>
    client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`),
  );
  return database;
}

/** FORCE, because a pool that is being closed may still hold a connection. */
export async function dropDatabase(url) {
  const { database } = readUrl(url);
  await withClient(urlOfDatabase(url, 'postgres'), (client) =>
    client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)} WITH (FORCE)`),
  );
}
