import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, DriverAdapterError } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { SESSION_SETTINGS } from '../../server/database/connection.ts';
import { createDatabase, dropDatabase, readUrl, urlOfDatabase } from './database.mjs';

const charOid = 18;
const textOid = 25;

/**
 * `@prisma/adapter-pg` as the schema engine needs it. Its three faults are worked around here: it rejects the catalogs'
 * `"char"` columns, splits scripts at every `;`, and drops the shadow database while its own pool holds it open.
 */
export function adapterFactory(url, shadowUrl) {
  return {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => connect(url),
    connectToShadowDb: () => connectToShadow(shadowUrl ?? url),
  };
}

async function connect(url) {
  const { connectionString, schema } = readUrl(url);
  // idleTimeoutMillis 0: the migration lock belongs to a session, which a pool would otherwise close after 10 s.
  const pool = new pg.Pool({
    connectionString,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 10_000,
    onConnect: async (client) => {
      await client.query(`${SESSION_SETTINGS}; set search_path = "${schema}"`);
    },
  });
  const adapter = await new PrismaPg(pool, { schema, disposeExternalPool: true }).connect();
  return repair(adapter, pool);
}

async function connectToShadow(serverUrl) {
  const url = urlOfDatabase(serverUrl, `prisma_migrate_shadow_db_${randomUUID()}`);
  await createDatabase(url);
  const adapter = await connect(url);
  const dispose = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await dispose();
    await dropDatabase(url);
  };
  return adapter;
}

function repair(adapter, pool) {
  readChars(adapter);
  const startTransaction = adapter.startTransaction.bind(adapter);
  adapter.startTransaction = async (level) => readChars(await startTransaction(level));
  adapter.executeScript = (script) => runWhole(pool, script);
  return adapter;
}

/** The adapter knows no `"char"`: it is shown text, and the engine the single character it expects. */
function readChars(queryable) {
  const performIO = queryable.performIO.bind(queryable);
  const queryRaw = queryable.queryRaw.bind(queryable);
  const charColumns = new WeakMap();
  queryable.performIO = async (query) => {
    const result = await performIO(query);
    charColumns.set(query, result.fields.map(takeChar));
    return result;
  };
  queryable.queryRaw = async (query) => {
    const result = await queryRaw(query);
    const isChar = charColumns.get(query);
    return { ...result, columnTypes: result.columnTypes.map((t, i) => (isChar[i] ? ColumnTypeEnum.Character : t)) };
  };
  return queryable;
}

function takeChar(field) {
  const isChar = field.dataTypeID === charOid;
  if (isChar) field.dataTypeID = textOid;
  return isChar;
}

/** One simple query, as the native engine sends it: the server finds the statements' ends, so `$$` bodies stay whole. */
async function runWhole(pool, script) {
  try {
    await pool.query(script);
  } catch (error) {
    throw new DriverAdapterError(describeScriptError(error));
  }
}

function describeScriptError(error) {
  const { code = 'N/A', severity = 'ERROR', message, detail, column, hint } = error;
  return {
    kind: 'postgres',
    code,
    severity,
    message,
    detail,
    column,
    hint,
    originalCode: code,
    originalMessage: message,
  };
}
