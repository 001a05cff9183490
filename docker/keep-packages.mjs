// `node docker/keep-packages.mjs NAME...`: leaves in node_modules the named packages and what they need, at the versions of
// package-lock.json. An image of a part of Roundtrip carries only what this part imports.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const names = process.argv.slice(2);
const { devDependencies: _, dependencies, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'));
const unknown = names.filter((name) => dependencies[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`keep-packages: package.json has no dependency called ${unknown.join(', ')}\n`);
  process.exit(2);
}
const kept = Object.fromEntries(names.map((name) => [name, dependencies[name]]));
writeFileSync('package.json', JSON.stringify({ ...manifest, dependencies: kept }));
const { status } = spawnSync('npm', ['prune', '--ignore-scripts'], { stdio: 'inherit' });
process.exit(status ?? 1);
