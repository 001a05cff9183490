// The integration tests on a cluster: where TEST_DATABASE_URL leads to a coordinator with Citus and workers, the template is
// made on all nodes, and cloned on all of them. Shards have the same names in each clone.
import pg from 'pg';
import { onServer, withDatabase } from '../on-server.ts';

const VARIABLE = 'ROUNDTRIP_TEST_NODES';

/** Whether the tests run on a cluster; for those of what a cluster does not do, and says otherwise. */
export const ON_CLUSTER = process.env[VARIABLE] !== undefined;

/** The workers of a server, by the URL of their database of that name; none where it is no coordinator. */
export async function workersOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: made } = await client.query(`select from pg_extension where extname = 'citus'`);
    if (made.length === 0) return [];
    const { rows } = await client.query<{ host: string; port: number }>(
      'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid',
    );
    return rows.map(({ host, port }) => {
      const worker = new URL(url);
      worker.hostname = host;
      worker.port = String(port);
      return worker.href;
    });
  } finally {
    await client.end();
  }
}

/** Makes a database of one node a coordinator with these workers, each of which gets a database of the same name. */
export async function makeCluster(url: string, workers: readonly string[]): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const worker of workers) {
    await onServer(worker, `create database ${name}`);
    await onServer(withDatabase(worker, name), 'create extension citus');
  }
  await onServer(url, 'create extension citus');
  const { hostname, port } = new URL(url);
  await onServer(url, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`);
  for (const worker of workers.map((each) => new URL(each)))
    await onServer(url, `select citus_add_node('${worker.hostname}', ${worker.port || 5432})`);
  process.env[VARIABLE] = JSON.stringify(workers);
}

/** Runs a statement about databases on the server, and on the workers of a cluster. */
export async function onNodes(server: string, sql: string): Promise<void> {
  const workers: string[] = JSON.parse(process.env[VARIABLE] ?? '[]');
  await Promise.all([server, ...workers].map((url) => onServer(url, sql)));
}

/** Nobody may be connected to a template, and Citus keeps a process in each database that it was used in. */
export async function leaveTemplate(server: string, name: string): Promise<void> {
  if (!process.env[VARIABLE]) return;
  await onNodes(server, `alter database ${name} allow_connections false`);
  await onNodes(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}
