import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { onServer } from '../support/on-server.ts';
import { contractTest as test } from '../support/prober-scene.ts';

// Two containers on one folder, and two folders in one network: what containers are made of is namespaces, which processes
// may have without containers.

const CONTAINER = ['--pid', '--ipc', '--net', '--uts', '--fork', '--kill-child=SIGKILL', '--mount-proc'];
const problem = unshareProblem();
if (problem) process.stderr.write(`Skipped: two containers on one folder. ${problem}\n`);

function unshareProblem(): string | null {
  if (process.getuid?.() !== 0) return 'Only root makes namespaces in which the users stay those of this machine.';
  try {
    execFileSync('unshare', [...CONTAINER, 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `No namespaces can be made here: ${String(error)}`;
  }
}

const root = path.resolve(import.meta.dirname, '../..');
const starter = `
  const { startEmbeddedPostgres } = await import(${JSON.stringify(path.join(root, 'cli/database/embedded-postgres.ts'))});
  await startEmbeddedPostgres({ dataDir: process.argv[1], log: () => {} }).then(
    ({ url }) => console.log(url), ({ name, message }) => (console.log(name + ': ' + message), process.exit(2)));
  setInterval(() => {}, 60_000);`;
const NODE = [process.execPath, '--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', starter];

describe.skipIf(problem)('two containers', () => {
  let folder: string;
  let dataDir: string;
  let children: ChildProcess[];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-two-'));
    chmodSync(folder, 0o711);
    dataDir = path.join(folder, 'data');
    children = [];
  });

  afterEach(async () => {
    for (const child of children) await kill(child);
    rmSync(folder, { recursive: true });
  });

  /** A Roundtrip with PostgreSQL in a container of this name; what it says first. */
  async function startIn(name: string, how = 'exec "$@"'): Promise<{ child: ChildProcess; said: string }> {
    const script = `ip link set lo up && hostname ${name} && ${how}`;
    const args = [...CONTAINER, 'sh', '-c', script, 'sh', ...NODE, dataDir];
    const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const said = String(await once(child.stdout as Readable, 'data'));
    return { child, said };
  }

  const postmaster = () => readFileSync(path.join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8');

  test('keep each other out of one data folder, until the first was killed', async () => {
    const first = await startIn('one');
    expect(first.said).toMatch(/^postgresql:/);
    const before = postmaster();
    const second = await startIn('two');
    expect(second.said).toMatch(/^StartError: Roundtrip is already running in \S+ \(process 1 on host one\)[^\n]*\n$/);
    const [status] = second.child.exitCode === null ? await once(second.child, 'exit') : [second.child.exitCode];
    expect(status).toBe(2);
    expect(postmaster()).toBe(before);
    await kill(first.child);
    const third = await startIn('three');
    expect(third.said).toBe(first.said);
  });

  test('keep out of a database whose server outlived the Roundtrip that started it', async () => {
    const first = await startIn('one', '{ "$@" & sleep 600; }');
    expect(first.said).toMatch(/^postgresql:/);
    const before = postmaster();
    // What ties the server to its starter first; which is held still meanwhile, or it would end the server itself.
    const starters = processesWith('--eval');
    for (const pid of starters) process.kill(pid, 'SIGSTOP');
    for (const pid of [...processesWith('roundtrip-postgres'), ...starters]) process.kill(pid, 'SIGKILL');
    const second = await startIn('two');
    expect(second.said).toMatch(/^StartError: A PostgreSQL that host one started is still running in .*ROUNDTRIP_DATA/);
    expect(postmaster()).toBe(before);
    await kill(first.child);
    const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
    await onServer(server.url, 'select 1');
    await server.stop();
  });

  test('leave the database of another folder alone that has the same name there', async () => {
    const other = path.join(folder, 'other');
    for (const made of [other, dataDir]) mkdirSync(made);
    const first = await startIn('one', `mount --bind ${other} ${dataDir} && exec "$@"`);
    expect(first.said).toMatch(/^postgresql:/);
    const before = processesWith('bin/postgres');
    expect(before).not.toEqual([]);
    const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
    expect(processesWith('bin/postgres')).toEqual(expect.arrayContaining(before));
    await server.stop();
    expect(processesWith('bin/postgres')).toEqual(before);
  });

  /** The processes of our data folder with this word in their command, in any container. */
  function processesWith(word: string): number[] {
    const commands = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => ({ pid: Number(pid), command: commandOf(pid) }));
    return commands
      .filter(({ command }) => command.includes(word) && command.includes(dataDir) && !command.startsWith('unshare'))
      .filter(({ command }) => !command.startsWith('sh\0-c\0ip link'))
      .map(({ pid }) => pid);
  }

  test('with a network each do not measure in one folder', async ({ scene: { bench, server } }) => {
    await bench.start();
    const second = spawn('unshare', ['--net', ...proberOf(bench.dataDir, server)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(second);
    const refusal = /Another prober works in .*process \d+ on host \S+\).* folder of its own/;
    expect(await text(second.stderr as Readable)).toMatch(refusal);
  });

  test('with one network and a folder each both measure, whatever the folders are called', async ({ scene }) => {
    const { bench, server } = scene;
    await bench.start();
    // The server under test has one vantage: both have its credential.
    mkdirSync(dataDir);
    copyFileSync(path.join(bench.dataDir, 'credential.json'), path.join(dataDir, 'credential.json'));
    const polls = server.polls.length;
    const script = 'mount --bind "$0" "$1" && shift && exec "$@"';
    const command = ['--mount', 'sh', '-c', script, dataDir, bench.dataDir, ...proberOf(bench.dataDir, server)];
    children.push(spawn('unshare', command, { stdio: ['ignore', 'ignore', 'inherit'] }));
    // One that has just started knows no assignments.
    await server.until(() => server.polls.slice(polls).includes(null));
  });
});

function proberOf(dataDir: string, server: { url: string; token: string }): string[] {
  const main = path.join(root, 'workers/prober/main.ts');
  return [process.execPath, main, '--server', server.url, '--token', server.token, '--data', dataDir];
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
