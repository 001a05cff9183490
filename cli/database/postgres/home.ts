import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../start-error.ts';
import { type Account, canReach, ensurePostgresUser, isRoot } from './account.ts';

/** Where root keeps what PostgreSQL's user cannot reach elsewhere. */
export const systemFolder = '/var/lib/roundtrip';

/** Where one data folder's server lives, and who runs it. */
export type Home = {
  /** Holds the password, the port, the log and `cluster`. */
  folder: string;
  /** PostgreSQL's own data folder; it may not exist yet. */
  cluster: string;
  account: Account;
};

/** The folder of `dataDir` that belongs to the embedded server; made when missing. */
export async function openBase(dataDir: string): Promise<string> {
  const base = path.resolve(dataDir, 'postgres');
  await mkdir(base, { recursive: true });
  // 0711: PostgreSQL's user has to pass through; no user needs to list it.
  await chmod(base, isRoot() ? 0o711 : 0o700).catch(() => {});
  return realpath(base);
}

/** The home that `base` has now, whether or not anything is in it. */
export async function locate(base: string): Promise<string> {
  const text = await readFile(path.join(base, 'location'), 'utf8').catch(() => '');
  return text.trim() || base;
}

/**
 * Finds or makes the home for `base`. Under root the server runs as another user; where that user cannot enter `base`
 * the home moves to the system's folder, and the file `location` in `base` says where it is.
 * @throws StartError when the recorded home is gone or cannot be entered.
 */
export async function openHome(base: string, log: (line: string) => void): Promise<Home> {
  const folder = await locate(base);
  const owner = await stat(path.join(folder, 'cluster')).catch(missing);
  if (folder !== base && !owner) {
    const file = path.join(base, 'location');
    throw new StartError(
      `${file} says that the database is in ${folder}, but it is not there. Restore it, or delete ${file} to start with an empty database.`,
    );
  }
  if (!isRoot()) return homeAt(folder, null);
  // A cluster that an ordinary user made stays that user's.
  const account = owner ? { uid: owner.uid, gid: owner.gid } : await ensurePostgresUser(log);
  if (await canReach(account, folder)) return homeAt(folder, account);
  if (!owner) return homeAt(await moveOut(base, log), account);
  throw new StartError(
    `The database is in ${folder}, to which its owner no longer has access. Give that user access to the folders above it (chmod o+x), or move the data folder elsewhere.`,
  );
}

function homeAt(folder: string, account: Account): Home {
  return { folder, cluster: path.join(folder, 'cluster'), account };
}

/** The time in the name gives a data folder that was deleted and made again an empty database, as deleting promises. */
async function moveOut(base: string, log: (line: string) => void): Promise<string> {
  const hash = createHash('sha256').update(base).digest('hex').slice(0, 12);
  const folder = path.join(systemFolder, `${hash}-${Date.now().toString(36)}`);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(systemFolder)) {
    const older = path.join(systemFolder, name);
    if (name.startsWith(`${hash}-`) && older !== folder)
      log(`An older database of this data folder is in ${older}: delete it when it is not needed.`);
  }
  await chmod(systemFolder, 0o711);
  await chmod(folder, 0o711);
  await writeFile(path.join(folder, 'belongs-to'), `${base}\n`);
  log(`PostgreSQL's user has no access to ${base}: the database is stored in ${folder}.`);
  return folder;
}

/** Records that `home` is where `base` keeps its cluster, once there is one. */
export async function recordHome(base: string, home: Home): Promise<void> {
  if (home.folder !== base) await writeFile(path.join(base, 'location'), `${home.folder}\n`);
}

/** In place of what may not be there yet. */
export function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
