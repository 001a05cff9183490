import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { run } from './commands.ts';

/** Where Debian puts it, which is not on everybody's PATH. */
const USUAL_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];

/** Path of nginx: `NGINX`, one on PATH or at a usual place, or null. */
export const findNginx = (env?: NodeJS.ProcessEnv): string | null => findServer('nginx', env);

/** Path of a server's program, such as `haproxy`: what the variable of its name (`HAPROXY`) holds, one on PATH or at a usual place, or null. */
export function findServer(name: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const given = env[name.toUpperCase()];
  if (given) return given;
  const folders = [...(env.PATH ?? '').split(path.delimiter).filter(Boolean), ...USUAL_FOLDERS];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable) ?? null;
}

/** Like findNginx, and installs Debian's where this is root and there is none; null where that fails too. */
export async function findOrInstallNginx(say: (text: string) => void): Promise<string | null> {
  const found = findNginx();
  if (found || process.getuid?.() !== 0) return found;
  say("No nginx is here: installing Debian's with apt-get.");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'nginx-light'];
  for (const command of [['apt-get', 'update', '-qq'], install]) {
    await run(command, { env }).catch(() => null);
  }
  return findNginx();
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
