import pg from 'pg';

/**
 * What our SQL relies on, in a query of its own at the begin of each connection: a role, a database or a URL may say otherwise. Not in the connection's options, which poolers such as PgBouncer refuse.
 */
export const SESSION_SETTINGS = `set search_path = public; set timezone = 'UTC';
  set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex'; set extra_float_digits = 1;
  set standard_conforming_strings = on`;

/** What is asked before the work itself takes no longer, ms. */
const ANSWER_MS = 10_000;

/** A connection beside the pools, for work on the database as a whole; `config` is the driver's. */
export async function connectAlone(url: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ ...config, connectionString: url, connectionTimeoutMillis: ANSWER_MS });
  await client.connect();
  try {
    await client.query(SESSION_SETTINGS);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}
