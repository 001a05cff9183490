import type { PoolClient } from 'pg';
import { partitionOf, WAITS_FOR_READERS_MS, WAITS_MS } from './blocks.ts';

// How the rows of a day make way, but for some that stay: these are set aside while the day is still read; then readers wait as
// long as the partitions are truncated and what was set aside is written back. All of it in one transaction. There is nothing to
// vacuum, and only what stays is written.

const partitionsOf = (day: number) => [partitionOf('result', day), partitionOf('result_evidence', day)] as const;

/** Locks writers of the day out. Throws 55P03 where one is not done within the wait. */
export async function lockOutWriters(client: PoolClient, day: number): Promise<void> {
  const [rows, evidence] = partitionsOf(day);
  await client.query(
    `set local lock_timeout = ${WAITS_MS}; lock table ${rows}, ${evidence} in share row exclusive mode`,
  );
}

/** Sets the failed results aside. */
export async function setAside(client: PoolClient, day: number): Promise<void> {
  const [rows, evidence] = partitionsOf(day);
  // Along the index of failed results, whatever the planner thinks that there are.
  await client.query(
    `set local enable_seqscan = off;
     create temporary table kept on commit drop as select * from ${rows} where not ok;
     analyze kept;
     create temporary table kept_evidence on commit drop as
       select e.* from kept join ${evidence} e using (target_id, started_at, id);
     set local enable_seqscan = on`,
  );
}

/** Locks readers of the day out too. Throws 55P03 where one is not done within the wait. */
export async function lockOutReaders(client: PoolClient, day: number): Promise<void> {
  const [rows, evidence] = partitionsOf(day);
  await client.query(
    `set local lock_timeout = ${WAITS_FOR_READERS_MS}; lock table ${rows}, ${evidence} in access exclusive mode;
     set local lock_timeout = ${WAITS_MS}`,
  );
}

/** Leaves of the day what was set aside. */
export async function leaveKept(client: PoolClient, day: number): Promise<void> {
  const [rows, evidence] = partitionsOf(day);
  await client.query(
    `truncate ${rows}, ${evidence};
     insert into ${rows} select * from kept; insert into ${evidence} select * from kept_evidence;
     drop table kept, kept_evidence`,
  );
}
