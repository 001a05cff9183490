import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Integration tests with a database that a cluster does not run, and why. Single tests say it where they stand (`ON_CLUSTER`). */
export const NOT_ON_CITUS: Record<string, string> = {
  'busy-prober': 'measures and sends without a database',
  'database-away': 'starts and stops a PostgreSQL of its own',
  'detection-crash': 'kills a PostgreSQL of its own',
  'embedded-postgres': 'is about the embedded PostgreSQL',
  'full-disk': 'fills the disk of a PostgreSQL of its own',
  migrations: 'takes tables away and makes them again, which the migrations do before they are distributed',
  'odd-results': 'is about what is left when days are sealed: on a cluster days stay rows',
  'page-budget': 'bounds the time of a page on one machine',
  prober: 'measures and sends without a database',
  'prober-clock': 'measures and sends without a database',
  'prober-faults': 'measures and sends without a database',
  'prober-pace': 'measures and sends without a database',
  'prober-process': 'measures and sends without a database',
  'prober-threads': 'measures and sends without a database',
  replica: 'is about a standby of one PostgreSQL',
  'results-list': 'bounds the statements of a search by the sizes of partitions, which the coordinator does not know',
  'results-search': 'bounds the statements of a search by the sizes of partitions, which the coordinator does not know',
  sealing: 'seals days: on a cluster days stay rows',
  'sealing-bounds': 'seals days: on a cluster days stay rows',
  'sealing-late': 'seals days: on a cluster days stay rows',
  'sealing-plans': 'seals days: on a cluster days stay rows',
  start: 'is about `npm start`, which starts the embedded PostgreSQL',
};

/** Every integration test file that uses the database of the run, but for those above. */
export function citusFiles(): string[] {
  const files = globSync('tests/integration/*.test.ts', { cwd: ROOT }).sort();
  return files.filter(
    (file) => !(path.basename(file).replace(/(\.long)?\.test\.ts$/, '') in NOT_ON_CITUS) && usesDatabase(file),
  );
}

const known = new Map<string, boolean>();

/** Whether a file of the tests asks for a database, itself or by what it imports of them. */
function usesDatabase(file: string): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const imported = Array.from(text.matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g), ([, name = '']) =>
    path.join(path.dirname(file), name),
  );
  const uses = text.includes('testDatabase(') || imported.some(usesDatabase);
  known.set(file, uses);
  return uses;
}
