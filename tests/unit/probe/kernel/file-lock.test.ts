import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isHeldHere, type Lock, takeLock } from '#probe/kernel/file-lock.ts';
import { libc } from '#probe/kernel/libc.ts';

const module = new URL('../../../../probe/kernel/file-lock.ts', import.meta.url).href;

const LOCK_EX = 2;

let folder: string;
let file: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-lock-'));
  file = path.join(folder, 'owner.lock');
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A process that holds the lock `name`, until it is killed. */
async function holdElsewhere(name: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const script = `
    const { takeLock } = await import(${JSON.stringify(module)});
    console.log('release' in (await takeLock(${JSON.stringify(name)})));
    setInterval(() => {}, 60_000);`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  expect(String(await once(child.stdout as Readable, 'data'))).toBe('true\n');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Has the holder of the lock say that it is of another boot of another host, and so nobody whose end could be seen. */
function makeForeign(): void {
  const holder = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...holder, host: 'elsewhere', boot: 'another' }));
}

function touch(secondsAgo: number): void {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  utimesSync(file, at, at);
}

async function take(): Promise<Lock> {
  const taken = await takeLock(file);
  if (!('release' in taken)) throw new Error(`process ${taken.pid} on host ${taken.host} holds it`);
  return taken;
}

describe('a lock of one file', () => {
  it('has one holder, who is named until it is given back, also on a disk without room for a longer name', async () => {
    const lock = await take();
    expect(await takeLock(file)).toMatchObject({ pid: process.pid });
    expect(await isHeldHere(file)).toBe(true);
    const { size } = statSync(file);
    lock.release();
    expect(readdirSync(folder)).toEqual(['owner.lock']);
    expect(await isHeldHere(file)).toBe(false);
    const again = await take();
    expect(await isHeldHere(file)).toBe(true);
    expect(statSync(file).size).toBe(size);
    again.release();
  });

  it('stays that of who came to hold it, where the kernel keeps none and the one before gives back what it lost', async () => {
    const lock = await take();
    const other = JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid: process.ppid, start: 'x' });
    writeFileSync(file, other);
    lock.release();
    expect(readFileSync(file, 'utf8')).toBe(other);
  });

  it.runIf(libc())('is held where the folder is, also once a start that was refused has made the file', async () => {
    const opened = openSync(folder, 'r');
    expect(libc()?.flock(opened, LOCK_EX)).toBe(0);
    writeFileSync(file, '');
    expect(await isHeldHere(file)).toBe(true);
    expect(await takeLock(file)).toMatchObject({ pid: 0 });
    closeSync(opened);
    expect(await isHeldHere(file)).toBe(false);
  });

  it('may be taken afterwards by others who share the folder, where its mode says so', async () => {
    const rights = async (options: { mode?: number }) => {
      rmSync(file, { force: true });
      const taken = await takeLock(file, options);
      if ('release' in taken) taken.release();
      return statSync(file).mode & 0o777;
    };
    writeFileSync(file, '');
    const ordinary = statSync(file).mode & 0o777;
    expect(await rights({})).toBe(0o600);
    expect(await rights({ mode: 0o666 })).toBe(ordinary);
  });

  it.each([
    ['', {}],
    [', where the kernel keeps none', { ROUNDTRIP_NO_KERNEL: '1' }],
  ])('is taken at once from a holder that was killed%s', async (_, env) => {
    const child = await holdElsewhere(file, env);
    expect(await takeLock(file)).toMatchObject({
      pid: child.pid,
      kernel: libc() !== null && !('ROUNDTRIP_NO_KERNEL' in env),
    });
    await kill(child);
    const before = performance.now();
    (await take()).release();
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it('is not taken from a holder elsewhere while that one touches it, and the kernel keeps none', async () => {
    await holdElsewhere(file, { ROUNDTRIP_NO_KERNEL: '1' });
    makeForeign();
    touch(3_600);
    expect(await takeLock(file)).toMatchObject({ host: 'elsewhere' });
  });

  it('is taken from a holder elsewhere who has not touched it for a minute', async () => {
    await kill(await holdElsewhere(file));
    makeForeign();
    touch(61);
    (await take()).release();
  });

  it.runIf(libc())('is not taken from a holder elsewhere as long as the kernel keeps it', async () => {
    const child = await holdElsewhere(file);
    makeForeign();
    child.kill('SIGSTOP');
    touch(3_600);
    expect(await takeLock(file)).toMatchObject({ host: 'elsewhere' });
  });
});
