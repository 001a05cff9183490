// Every statement that the product sends to PostgreSQL is read by the checker, once in a process of tests (judge.ts: a file in
// which one was sent that Citus refuses fails). Statements of the tests themselves are their own affair, and so are those of
// processes that tests start.
import pg from 'pg';
import { type Asked, readText } from './checker.ts';
import { knownCatalog } from './tables.ts';
import { explainedStatements, explainTasks } from './tasks.ts';

const catalog = knownCatalog();
const seen = new Map<string, Asked['shards']>();
/** A pool sends when a connection is given back, whoever that one was: whose it is was seen before. */
const ofTests = new Set<string>();
const refused = new Map<string, string[]>();

/** Reads a statement once, if the stack says that the product sent it; says why Citus refuses it. */
export function readStatement(text: string, stack: string): string[] {
  if (seen.has(text) || ofTests.has(text)) return [];
  if (!isOfProduct(stack)) {
    ofTests.add(text);
    return [];
  }
  const { refused, shards } = readText(text, catalog);
  seen.set(text, shards);
  return refused;
}

/** What was read so far, and which shards each statement asks. */
export const statementsRead = (): ReadonlyMap<string, Asked['shards']> => seen;

/** The statements that the product sends while `work` is done, each as often as it is sent, with the shards that it asks. */
export async function statementsOf(work: () => Promise<unknown>): Promise<{ text: string; shards: Asked['shards'] }[]> {
  sent.length = 0;
  await work();
  return sent.flatMap((text) => {
    const shards = seen.get(text);
    return shards ? { text, shards } : [];
  });
}

const sent: string[] = [];

/** The innermost of our own files on the stack is no test; what Prisma writes is the product's too. */
function isOfProduct(stack: string): boolean {
  const files = stack.split('\n').filter((line) => !line.includes('/tests/support/citus/'));
  const own = files.find(
    (line) => !line.includes('/node_modules/') && /\/(tests|server|workers|app|cli|demo)\//.test(line),
  );
  return own ? !own.includes('/tests/') : files.some((line) => line.includes('/@prisma/'));
}

function read(query: unknown, given: unknown): void {
  const text = typeof query === 'string' ? query : (query as { text?: unknown } | null)?.text;
  if (typeof text !== 'string') return;
  sent.push(text);
  if (seen.has(text) || ofTests.has(text)) return;
  const reasons = readStatement(text, new Error().stack ?? '');
  if (reasons.length > 0) refused.set(text, reasons);
  const shards = seen.get(text);
  if (shards === undefined || shards === 'none') return;
  const values = (query as { values?: unknown[] }).values ?? given;
  explainTasks(text, Array.isArray(values) ? values : [], shards);
}

for (const { prototype } of [pg.Pool, pg.Client]) {
  const query = prototype.query as (...given: unknown[]) => unknown;
  Object.assign(prototype, {
    query(this: unknown, ...given: unknown[]) {
      read(given[0], given[1]);
      return query.apply(this, given);
    },
  });
}

/** Throws where one of the statements since the last call is not for Citus. */
export async function judgeStatements(): Promise<void> {
  // What another file sends by itself may be the product's here.
  ofTests.clear();
  sent.length = 0;
  const scattered = (await explainedStatements()).filter(({ shards, tasks }) => shards === 'one' && (tasks ?? 1) > 1);
  if (scattered.length > 0)
    throw new Error(`asks one target in several tasks:\n${scattered.map(({ text }) => text).join('\n\n')}`);
  if (refused.size === 0) return;
  const all = [...refused].map(([text, reasons]) => `${reasons.join('; ')}:\n${text}`);
  refused.clear();
  throw new Error(`Citus refuses what was sent (CONTRIBUTING.md, «House rules»):\n${all.join('\n\n')}`);
}
