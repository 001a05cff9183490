import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../start-error.ts';

const MIN_SECRET_LENGTH = 32;

/** Where in the data folder the address of the dashboard is while `roundtrip start` runs. */
export const ADDRESS_FILE = 'address';

/** The folder that holds everything Roundtrip keeps on this machine: `ROUNDTRIP_DATA`, else `.roundtrip` here. */
export function dataFolder(env: NodeJS.ProcessEnv = process.env): string {
  return path.resolve(env.ROUNDTRIP_DATA || '.roundtrip');
}

/** A path as the person at the terminal would type it: relative where it lies below the working folder. */
export function shownPath(absolute: string): string {
  const relative = path.relative('', absolute);
  return relative.startsWith('..') ? absolute : relative;
}

/** Makes the folder and proves that it can be written to; else a StartError that says what to do. */
export function prepareDataFolder(folder: string): void {
  try {
    makeFolder(folder);
    const probe = path.join(folder, `.writable-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw folderProblem(folder, error);
  }
}

/** As `mkdir -p`. Node's own never returns where a parent cannot be made, such as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

/** A secret to seal sessions with: made once and kept in the data folder, for its owner alone to read. */
export function keptSecret(folder: string): string {
  const file = path.join(folder, 'secret');
  if (existsSync(file)) {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length >= MIN_SECRET_LENGTH) return secret;
    throw new StartError(
      `${file} contains no valid secret: restore it from a backup. Without a backup delete it: a new one is generated, and addresses and secrets of webhooks must be entered again.`,
    );
  }
  const secret = randomBytes(32).toString('base64url');
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}

/** What the file system says where the folder is at fault. */
const AT_FAULT = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EDQUOT'];

/**
 * Runs `work` on the data folder.
 * @throws StartError in place of what the file system throws when the folder is at fault.
 */
export async function explainFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    // On a read-only file system Node's recursive mkdir says ENOENT.
    const isAtFault = AT_FAULT.includes(code) || (code === 'ENOENT' && syscall === 'mkdir');
    throw isAtFault ? folderProblem(folder, error) : error;
  }
}

function folderProblem(folder: string, error: unknown): StartError {
  const { code, path: place = folder } = error as NodeJS.ErrnoException;
  const text =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? `The disk of ${place} is full. Free some space and start again.`
      : `The data folder ${folder} cannot be written to (${code ?? error}, ${place}): give this user the right to write there, or set ROUNDTRIP_DATA to another folder.`;
  return new StartError(text, { cause: error });
}
