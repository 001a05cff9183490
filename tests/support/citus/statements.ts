// Vitest's setup of each integration test file: every statement that the product sends to PostgreSQL is read by the checker,
// and a file in which one was sent that Citus refuses fails. Statements of the tests themselves are their own affair, and so
// are those of processes that tests start.
import pg from 'pg';
import { afterAll } from 'vitest';
import { type Asked, readText } from './checker.ts';
import { knownCatalog } from './tables.ts';

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

/** The statements that the product sends while `work` is done, each with the shards that it asks. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Map<string, Asked['shards']>> {
  sent.clear();
  await work();
  return new Map([...sent].flatMap((text) => [[text, seen.get(text)] as const]).filter(isKnown));
}

const sent = new Set<string>();
const isKnown = (entry: readonly [string, Asked['shards'] | undefined]): entry is [string, Asked['shards']] =>
  entry[1] !== undefined;

/** The innermost of our own files on the stack is no test; what Prisma writes is the product's too. */
function isOfProduct(stack: string): boolean {
  const files = stack.split('\n').filter((line) => !line.includes('/tests/support/citus/'));
  const own = files.find(
    (line) => !line.includes('/node_modules/') && /\/(tests|server|workers|app|cli|demo)\//.test(line),
  );
  return own ? !own.includes('/tests/') : files.some((line) => line.includes('/@prisma/'));
}

function read(query: unknown): void {
  const text = typeof query === 'string' ? query : (query as { text?: unknown } | null)?.text;
  if (typeof text !== 'string') return;
  sent.add(text);
  if (seen.has(text) || ofTests.has(text)) return;
  const reasons = readStatement(text, new Error().stack ?? '');
  if (reasons.length > 0) refused.set(text, reasons);
}

for (const { prototype } of [pg.Pool, pg.Client]) {
  const query = prototype.query as (...given: unknown[]) => unknown;
  Object.assign(prototype, {
    query(this: unknown, ...given: unknown[]) {
      read(given[0]);
      return query.apply(this, given);
    },
  });
}

afterAll(() => {
  if (refused.size === 0) return;
  const all = [...refused].map(([text, reasons]) => `${reasons.join('; ')}:\n${text}`);
  throw new Error(`Citus refuses what was sent (CONTRIBUTING.md, «House rules»):\n${all.join('\n\n')}`);
});
