import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where Go lies when it is installed as its makers say and not on the PATH. */
const USUAL = '/usr/local/go/bin/go';

/** Go's own program, or null where there is none. */
export function findGo(): string | null {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'go'));
  return [...onPath, USUAL].find((file) => existsSync(file)) ?? null;
}
