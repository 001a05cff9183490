import { existsSync, lstatSync, mkdirSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inNamespaceOf, inNewNamespace } from '#tests/lab/namespaces.ts';

/** Folders of this machine that a tree borrows: it holds no operating system of its own. */
const BORROWED = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'proc', 'dev', 'sys'];
const isRoot = process.getuid?.() === 0;

/** A command in a tree. */
export type Entered = {
  tree: string;
  argv: string[];
  env: Record<string, string>;
  workdir: string;
  /** `uid:gid`; null: root. An ordinary user stays who they are. */
  user: string | null;
  /** Whether nothing can be written but what is mounted. */
  readOnly?: boolean;
  /** Folders and files of this machine, by the path in the tree at which they are. */
  mounts?: Record<string, string>;
  /** A process whose network it shares; a network of its own without interfaces where left out. */
  networkOf?: number;
};

/** Makes the folders that a tree borrows, as they are here. */
export function makeMountPoints(tree: string): void {
  for (const name of BORROWED) {
    const here = `/${name}`;
    if (!existsSync(here)) continue;
    if (lstatSync(here).isSymbolicLink()) {
      mkdirSync(tree, { recursive: true });
      symlinkSync(readlinkSync(here), path.join(tree, name));
    } else mkdirSync(path.join(tree, name), { recursive: true });
  }
}

/** The words of a command that runs another one in a tree, as a container would: the process that is started becomes it. */
export function enter({ tree, argv, env, workdir, user, readOnly = false, mounts = {}, networkOf }: Entered): string[] {
  const at = (name: string) => quote(path.join(tree, name));
  const borrowed = BORROWED.filter((name) => existsSync(`/${name}`) && !lstatSync(`/${name}`).isSymbolicLink());
  for (const [target, source] of Object.entries(mounts)) makeMountPoint(path.join(tree, target), source);
  // What the image itself has in /usr/local, in the place of this machine's.
  mkdirSync(path.join(tree, '.local'), { recursive: true });
  const script = [
    'mount --make-rprivate /',
    `mount --bind ${quote(tree)} ${quote(tree)}`,
    `mount --bind ${at('usr/local')} ${at('.local')}`,
    ...borrowed.map((name) => `mount --rbind /${name} ${at(name)}`),
    `mount --bind ${at('.local')} ${at('usr/local')}`,
    ...(readOnly ? [`mount -o remount,bind,ro ${quote(tree)}`, `mount -o remount,bind,ro ${at('usr/local')}`] : []),
    ...Object.entries(mounts).map(([target, source]) => `mount --bind ${quote(source)} ${at(target)}`),
    `exec chroot ${isRoot && user !== null ? `--userspec=${user} --groups=${user.split(':')[1]} ` : ''}${quote(tree)} env -i "$@"`,
  ].join('\n');
  const variables = Object.entries({ PATH: SEARCHED, HOME: '/root', ...env }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const there = ['sh', '-c', `cd ${quote(workdir)} && exec "$@"`, 'sh', ...argv];
  const network = networkOf === undefined ? inNewNamespace : [...inNamespaceOf(networkOf), 'unshare'];
  return [...network, '--mount', '--', 'sh', '-euc', script, 'sh', ...variables, ...there];
}

const SEARCHED = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function makeMountPoint(target: string, source: string): void {
  if (existsSync(target)) return;
  if (statSync(source).isDirectory()) mkdirSync(target, { recursive: true });
  else {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, '');
  }
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
