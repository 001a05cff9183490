import pg from 'pg';
import { vi } from 'vitest';
import { closeDatabase, getPool } from '#server/database/database.ts';

/** A statement as it was sent. */
export type Sent = { text: string; values: unknown[] };
/** A node of a plan, as PostgreSQL writes it in JSON. */
export type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
};

/** The statements that `run` sends to the database, in their order. */
export async function sentDuring(run: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const query = pg.Client.prototype.query;
  // Connections take the method when they are made.
  await closeDatabase();
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [what, values] = given as [string | { text: string; values?: unknown[] }, unknown[]?];
    if (typeof what === 'string') sent.push({ text: what, values: values ?? [] });
    else sent.push({ text: what.text, values: what.values ?? values ?? [] });
    return Reflect.apply(query, this, given);
  });
  try {
    await run();
  } finally {
    spy.mockRestore();
    await closeDatabase();
  }
  return sent;
}

/** How PostgreSQL answers a question: every node of its plan, the top first, with what it did. */
export async function nodesOf({ text, values }: Sent): Promise<PlanNode[]> {
  const { rows } = await getPool().query({ text: `explain (analyze, format json) ${text}`, values });
  return flat(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode);
}

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

/** How many rows the nodes of a plan looked at, all together. */
export const rowsLookedAt = (nodes: readonly PlanNode[]) =>
  nodes.reduce((sum, node) => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
    return sum + (node['Actual Rows'] + removed) * node['Actual Loops'];
  }, 0);
