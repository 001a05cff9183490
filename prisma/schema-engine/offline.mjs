import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';

/** Whether a diff is between schema files alone: the native engine needs no database for it. */
export function isOffline({ from, to }) {
  return [from, to].every(({ tag }) => tag === 'empty' || tag === 'schemaDatamodel');
}

/**
 * A database that answers the one question the engine asks at start (is the schema there, and which server is it) and
 * refuses every other.
 */
export const offlineFactory = {
  provider: 'postgres',
  adapterName: '@prisma/adapter-pg',
  connect: async () => offlineAdapter,
  connectToShadowDb: refuse,
};

const offlineAdapter = {
  provider: 'postgres',
  adapterName: '@prisma/adapter-pg',
  getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
  queryRaw: async ({ sql }) => (sql.includes('server_version_num') ? serverVersion : refuse()),
  executeRaw: refuse,
  executeScript: refuse,
  startTransaction: refuse,
  dispose: async () => {},
};

const serverVersion = {
  columnNames: ['exists', 'version', 'numeric_version'],
  columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
  rows: [[true, 'PostgreSQL 18.0', 180000]],
};

async function refuse() {
  throw new Error('A diff between schema files does not reach a database');
}
