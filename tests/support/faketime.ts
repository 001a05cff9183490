import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Debian's libfaketime for programs of several threads, to be preloaded; installed where it is missing. Throws where it cannot be. */
export function findOrInstallFaketime(say: (text: string) => void): string {
  const found = findFaketime();
  if (found) return found;
  say('No libfaketime is here: installing the one of Debian with apt-get.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'libfaketime'], { stdio: 'inherit', env });
  const installed = findFaketime();
  if (installed) return installed;
  throw new Error('libfaketime was not found and could not be installed: install it with your system’s packages.');
}

function findFaketime(): string | undefined {
  return ['/usr/lib', '/usr/local/lib']
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : []))
    .map((folder) => path.join(folder, 'faketime/libfaketimeMT.so.1'))
    .find(existsSync);
}
