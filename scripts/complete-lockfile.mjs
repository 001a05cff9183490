// Adds to package-lock.json the optional packages of other platforms that `npm install` left out because the registry
// in use does not carry them. Without them `npm ci` refuses the lockfile, here and on those platforms.
// Run it after `npm install`; tests/unit/lockfile.test.ts says when it is needed.
import { readFileSync, writeFileSync } from 'node:fs';

const OS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPU = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

/** Names of optional dependencies that the lockfile mentions and does not list, each with its version. */
export function missingOptionals(lock) {
  const missing = new Map();
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = [`node_modules/${name}`, `${path}/node_modules/${name}`];
      if (!places.some((place) => place in lock.packages)) missing.set(name, version);
    }
  }
  return missing;
}

/** `os`, `cpu` and `libc` as such packages carry them, read off the name: `@next/swc-linux-x64-musl`. */
function platformOf(name) {
  const words = name.replace(/^@[^/]+\//, '').split('-');
  const cpu = words.map((word) => CPU.find((known) => word === known)).find(Boolean);
  const os = words.find((word) => OS.includes(word));
  const libc = words.includes('musl') || words.includes('musleabihf') ? 'musl' : words.includes('gnu') ? 'glibc' : null;
  return {
    ...(cpu ? { cpu: [cpu] } : words.includes('wasm32') ? { cpu: ['wasm32'] } : {}),
    ...(os === 'linux' && libc ? { libc: [libc] } : {}),
    ...(os ? { os: [os] } : {}),
  };
}

if (import.meta.main ?? process.argv[1]?.endsWith('complete-lockfile.mjs')) {
  const file = new URL('../package-lock.json', import.meta.url);
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingOptionals(lock);
  for (const [name, version] of missing) {
    if (!/^\d/.test(version)) throw new Error(`${name} is wanted as ${version}, which is not one exact version`);
    lock.packages[`node_modules/${name}`] = { version, optional: true, ...platformOf(name) };
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: ${missing.size} optional packages of other platforms added`);
}
