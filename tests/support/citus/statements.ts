// Vitest's setup of each integration test file: every statement that the product sends to PostgreSQL is read by the checker,
// and a file in which one was sent that Citus refuses fails. Statements of the tests themselves are their own affair, and so
// are those of processes that tests start.
import pg from 'pg';
import { afterAll } from 'vitest';
import { refusals } from './checker.ts';
import { knownTables } from './tables.ts';

const tables = knownTables();
const seen = new Set<string>();
/** A pool sends when a connection is given back, whoever that one was: whose it is was seen before. */
const ofTests = new Set<string>();
const refused = new Map<string, string[]>();

/** Reads a statement once, if the stack says that the product sent it; says why Citus refuses it. */
export function readStatement(text: string, stack: string): string[] {
  if (seen.has(text) || ofTests.has(text)) return [];
  const product = isOfProduct(stack);
  (product ? seen : ofTests).add(text);
  return product ? refusals(text, tables) : [];
}

/** What was read so far. */
export const statementsRead = (): ReadonlySet<string> => seen;

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
  if (typeof text !== 'string' || seen.has(text) || ofTests.has(text)) return;
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
