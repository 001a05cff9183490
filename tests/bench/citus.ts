import { benchSteady } from './steady.ts';

/**
 * Prints what a result costs on a cluster beside one PostgreSQL on the same machine: `steady` on an embedded PostgreSQL, then on the
 * cluster of `DATABASE_URL_CITUS`, whose nodes all run here. `citus [--targets 50] [--minutes 5] [--warm-up 2]`
 */
export async function benchCitus(args: string[]): Promise<void> {
  const cluster = process.env.DATABASE_URL_CITUS;
  if (!cluster)
    throw new Error(
      'DATABASE_URL_CITUS is not set: it names the coordinator of a cluster on this machine, as superuser',
    );
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print('\nOne PostgreSQL:\n');
  delete process.env.TEST_DATABASE_URL;
  const plain = await benchSteady(args);
  print('\nThe cluster, all nodes together:\n');
  process.env.TEST_DATABASE_URL = cluster;
  const onCluster = await benchSteady(args);
  print(
    `\nCPU of PostgreSQL a result: ${(onCluster / plain).toFixed(1)} times as much on the cluster (aim: at most 5)`,
  );
}
