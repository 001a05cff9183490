import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Files of the checkout and packages that running some files loads, or may load: types are left out. */
export type Reach = { files: Set<string>; packages: Set<string> };

const IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

/** Follows the imports of `entries`, paths below `root`. Generated files are named, not read. */
export function reach(root: string, entries: readonly string[]): Reach {
  const found: Reach = { files: new Set(), packages: new Set() };
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.files.has(file)) continue;
    found.files.add(file);
    if (file.startsWith('prisma/generated/') && !existsSync(path.join(root, file))) continue;
    for (const [, from, lazily] of withoutComments(readFileSync(path.join(root, file), 'utf8')).matchAll(IMPORT)) {
      const specifier = from ?? lazily ?? '';
      if (specifier.startsWith('.')) waiting.push(path.join(path.dirname(file), specifier));
      else if (specifier.startsWith('#')) waiting.push(specifier.slice(1));
      else if (!specifier.startsWith('node:')) found.packages.add(packageOf(specifier));
    }
  }
  return found;
}

const withoutComments = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
