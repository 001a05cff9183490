import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A digest over the names and contents of files and folders under `root`; what is missing counts as missing. */
export function digestOf(root: string, inputs: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const input of inputs) addPath(hash, root, input);
  return hash.digest('hex');
}

function addPath(hash: ReturnType<typeof createHash>, root: string, relative: string): void {
  const file = path.join(root, relative);
  if (!existsSync(file)) return;
  if (statSync(file).isFile()) {
    hash.update(`\0${relative}\0`).update(readFileSync(file));
    return;
  }
  const names = readdirSync(file)
    .filter((name) => name !== 'generated')
    .sort();
  for (const name of names) addPath(hash, root, path.join(relative, name));
}
