import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { ON_CLUSTER } from './cluster.ts';

// On a cluster every statement that asks shards is explained as it is sent: in how many tasks Citus carries it out.

/** A statement with the number of its tasks, as EXPLAIN says it; null of what cannot be explained (COPY). */
type Explained = { text: string; shards: string; tasks: number | null };

const REPORT = path.resolve(import.meta.dirname, '../../../test-results/citus-statements.jsonl');
const ask = pg.Client.prototype.query as unknown as (
  this: pg.Client,
  text: string,
  values: unknown[],
) => Promise<pg.QueryResult<Record<string, string>>>;
const explained: Explained[] = [];
let last: Promise<unknown> = Promise.resolve();

/** Notes how a statement is carried out, beside the test that sends it. */
export function explainTasks(text: string, values: unknown[], shards: string): void {
  const url = process.env.DATABASE_URL;
  if (ON_CLUSTER && url)
    last = last.then(async () => explained.push({ text, shards, tasks: await tasksOf(url, text, values) }));
}

/** What was explained since the last call, once all is; written down for the whole run. */
export async function explainedStatements(): Promise<Explained[]> {
  await last;
  mkdirSync(path.dirname(REPORT), { recursive: true });
  for (const each of explained) appendFileSync(REPORT, `${JSON.stringify(each)}\n`);
  return explained.splice(0);
}

async function tasksOf(url: string, text: string, values: unknown[]): Promise<number | null> {
  const client = new pg.Client({ connectionString: url, statement_timeout: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await ask.call(client, `explain ${text}`, values);
    const lines = rows.map((row) => row['QUERY PLAN'] ?? '');
    return lines.reduce((sum, line) => sum + Number(/Task Count: (\d+)/.exec(line)?.[1] ?? 0), 0);
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}
