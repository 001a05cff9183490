// Makes the bundles (bundles.mjs), in a process of its own that `prepareBundles` starts; with `--prober` those of a prober's container.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { BUNDLES, ENTRIES, PROBER_BUNDLES, PROBER_ENTRIES, ROOT } from './bundles.mjs';

/** How long files of earlier bundles stay, ms. */
const KEPT_MS = 86_400_000;

const isOfProber = process.argv.includes('--prober');
const entries: Record<string, string> = isOfProber ? PROBER_ENTRIES : ENTRIES;
const bundles = isOfProber ? PROBER_BUNDLES : BUNDLES;

const entryOf = new Map(Object.entries(entries).map(([name, source]) => [path.join(ROOT, source), name]));

/** Our own sources name files relative to themselves; a bundle lies elsewhere, beside all others. */
const places: Plugin = {
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(ROOT) || id.includes('/node_modules/')) return null;
    const folder = path.dirname(id);
    const back = path.relative(bundles, folder).split(path.sep).join('/');
    const moved = code
      .replace(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g, (_, source: string) => {
        const name = entryOf.get(path.join(folder, source));
        if (name === undefined)
          throw new Error(`${id} starts ${source}, which is not among the entries of cli/bundles.mjs`);
        return `new URL('./${name}.mjs', import.meta.url)`;
      })
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${back}`)})`);
    return moved === code ? null : { code: moved, map: null };
  },
};

const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: entries,
  // Loads a library of the system's kind by its own path; a driver that is not there.
  external: ['koffi', 'pg-native'],
  plugins: [places],
  onLog(level, log) {
    if (level === 'warn' && log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
  },
});
const { output } = await bundle.write({
  dir: bundles,
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: 'chunk-[name]-[hash].mjs',
  sourcemap: true,
});
await bundle.close();
removeOld(new Set(output.map(({ fileName }) => fileName)));

/**
 * A Roundtrip that runs here from the bundles of before may still load a part of them. A list beside them says since when
 * (epoch ms) a file is of no bundle any more.
 */
function removeOld(made: Set<string>): void {
  const list = path.join(bundles, '.unused.json');
  const before: Record<string, number> = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
  const unused: Record<string, number> = {};
  for (const name of readdirSync(bundles)) {
    if (made.has(name) || name.startsWith('.')) continue;
    const since = before[name] ?? Date.now();
    if (Date.now() - since > KEPT_MS) rmSync(path.join(bundles, name));
    else unused[name] = since;
  }
  writeFileSync(list, JSON.stringify(unused));
}
