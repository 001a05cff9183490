import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DiskFullError, StartError } from '../../start-error.ts';
import type { Account } from './account.ts';
import { superuser } from './connection.ts';
import { type Home, missing } from './home.ts';
import { initArguments } from './settings.ts';

const major = '18';
/** A new cluster takes 40 MB and its first two WAL segments 32 MB; a start needs room for one more segment. */
const roomToInitialise = 160;
const roomToStart = 48;

/**
 * Makes the cluster on the first start and returns the superuser's password, which is made with it.
 * @throws StartError when the disk is full, or when the cluster was made by another major version.
 */
export async function prepareCluster(home: Home, initdb: string): Promise<string> {
  const version = await readFile(path.join(home.cluster, 'PG_VERSION'), 'utf8').catch(missing);
  if (version === null) {
    await requireRoom(home.folder, roomToInitialise);
    return initialise(home, initdb);
  }
  if (version.trim() !== major) throw otherVersion(home.cluster, version.trim());
  await requireRoom(home.folder, roomToStart);
  return readPassword(home.folder);
}

/**
 * The superuser's password.
 * @throws StartError when its file is gone.
 */
export async function readPassword(folder: string): Promise<string> {
  const file = path.join(folder, 'password');
  const text = await readFile(file, 'utf8').catch(missing);
  if (text) return text.trim();
  throw new StartError(`The database's password file ${file} is missing. Restore it from a backup of the data folder.`);
}

/** Renamed into place when it is whole, so that an `initdb` that was cut short is done again from the beginning. */
async function initialise({ folder, cluster, account }: Home, initdb: string): Promise<string> {
  const fresh = `${cluster}.new`;
  const passwordFile = path.join(folder, 'password');
  const password = randomBytes(24).toString('base64url');
  // The modes apply only to what is newly made.
  for (const old of [fresh, passwordFile]) await rm(old, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
  // `initdb` runs as the server's user, and reads the password as that user.
  if (account) for (const made of [fresh, passwordFile]) await chown(made, account.uid, account.gid);
  await runInitdb(initdb, initArguments(fresh, superuser, passwordFile), account);
  await rename(fresh, cluster);
  return password;
}

async function runInitdb(initdb: string, args: string[], account: Account): Promise<void> {
  try {
    await promisify(execFile)(initdb, args, { cwd: '/', env: serverEnvironment(), ...account });
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string };
    if (/No space left/.test(stderr))
      throw new StartError(
        `The disk is full: \`initdb\` could not write the new database. Free some space and start again.`,
      );
    const reason = (stderr.trim() || message).split('\n').at(-1);
    throw new StartError(`The database could not be created: ${reason}.`);
  }
}

/** Rights with which PostgreSQL refuses a cluster's folder: its group may write there, or others may do anything. */
const tooOpen = 0o027;

/**
 * Takes away the rights that a volume gave to a cluster's folder (`fsGroup` of Kubernetes, a NAS): PostgreSQL would not start there.
 * @throws StartError where they cannot be taken away.
 */
export async function closeToOthers(cluster: string): Promise<void> {
  const modeNow = async () => (await stat(cluster)).mode & 0o7777;
  if (((await modeNow()) & tooOpen) === 0) return;
  const reason = await chmod(cluster, 0o700).then(
    () => 'its file system keeps the rights',
    ({ code }: NodeJS.ErrnoException) => `${code}`,
  );
  const mode = await modeNow();
  if ((mode & tooOpen) === 0) return;
  throw new StartError(
    `${cluster} has the rights ${mode.toString(8)}, which cannot be changed (${reason}), and PostgreSQL starts only where its owner alone may write: make this user the owner and run chmod 700 there, set ROUNDTRIP_DATA to a folder of a local disk, or set DATABASE_URL.`,
  );
}

/** Nothing of ours: a `PGDATA` or `LC_ALL` of the person who starts us would change what the programs do and say. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

async function requireRoom(folder: string, megabytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  if (free >= megabytes) return;
  throw new DiskFullError(
    `Only ${free} MB are free on the disk of ${folder}, and the database needs ${megabytes} MB to start. Free some space, or move the data folder with ROUNDTRIP_DATA.`,
  );
}

function otherVersion(cluster: string, version: string): StartError {
  return new StartError(
    `The database in ${cluster} was created by PostgreSQL ${version}, but this version includes PostgreSQL ${major}. Start it with the version that created it and dump it with pg_dump, or move the folder away to start with an empty database.`,
  );
}
