import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '#cli/start/prepare.ts';
import { ensureBuild } from '../support/build.ts';
import { collect, freePort, spawnRoundtrip, startStack } from '../support/stack.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command to its end. */
async function run(args: string[], env: Record<string, string> = {}) {
  const child = spawnRoundtrip(args, { ROUNDTRIP_DATA: folder, ...env });
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const all = collect(child);
  const [status] = await once(child, 'close');
  return { status, out, all: all() };
}

/** Processes of this machine that carry our data folder in their command or environment. */
function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(dataDir) || read(`/proc/${pid}/environ`).includes(dataDir))
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
    .filter((command) => command !== '');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

describe('what keeps roundtrip from starting is said in one sentence', () => {
  const refusals: [string, string[], Record<string, string>, RegExp][] = [
    ['a target that is no URL', ['nonsense'], {}, /"nonsense" must be a URL that begins with https/],
    ['a port out of range', ['--port', '70000'], {}, /--port is "70000"/],
    ['a PORT that is no number', [], { PORT: 'http' }, /PORT must be a port number/],
    ['a short secret', [], { ROUNDTRIP_SECRET: 'short' }, /ROUNDTRIP_SECRET must have at least 32/],
    ['a DATABASE_URL of another kind', [], { DATABASE_URL: 'mysql://x/y' }, /DATABASE_URL must look like/],
    [
      'a database that is away',
      [],
      { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' },
      /No PostgreSQL answers at 127.0.0.1:1/,
    ],
    ['an option that is none', ['--frobnicate'], {}, /unknown option '--frobnicate'/],
    ['a data folder below a file', [], { ROUNDTRIP_DATA: '/etc/hostname/x' }, /data folder .* cannot be written/],
  ];
  it.each(refusals)('%s', async (_name, args, env, sentence) => {
    const { status, all } = await run(['start', '--no-demo', ...args], { PORT: String(await freePort()), ...env });
    expect(all).toMatch(sentence);
    expect(
      all
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('roundtrip:')),
    ).toHaveLength(1);
    expect(status).toBe(2);
  });

  it('a port that somebody else listens on', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const { status, all } = await run(['start', '--port', port]);
    other.close();
    expect(all).toContain(`Port ${port} on 127.0.0.1 is in use`);
    expect(status).toBe(2);
  });

  it.skipIf(process.getuid?.() === 0)('a data folder without the right to write', async () => {
    chmodSync(folder, 0o500);
    const { status, all } = await run(['start']);
    expect(all).toContain('cannot be written to');
    expect(status).toBe(2);
  });
});

describe('roundtrip start', { timeout: 180_000 }, () => {
  it('starts, finds its data again, and leaves no process behind', async () => {
    await ensureBuild();
    const first = await startStack({ dataDir: folder, args: ['https://a.example'] });
    expect(first.password).toMatch(/^\S{12,}$/);
    expect(statSync(path.join(folder, 'secret')).mode & 0o777).toBe(0o600);
    expect((await fetch(`${first.url}/api/ready`)).status).toBe(200);
    const key = await run(['key', 'create', '--scope', 'read']);
    expect(key.out).toMatch(/^rt_\S+\n$/);
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(processesOf(folder)).toEqual([]);

    const second = await startStack({ dataDir: folder, args: ['https://a.example/', 'https://b.example'] });
    expect(second.password).toBeNull();
    expect(second.output()).toContain('1 added, 1 known');
    const headers = { authorization: `Bearer ${key.out.trim()}` };
    const targets = (await (await fetch(`${second.url}/api/v1/targets`, { headers })).json()) as { data: unknown[] };
    expect(targets.data).toHaveLength(2);
    const third = await run(['start', '--port', String(await freePort())]);
    expect(third.status).toBe(2);
    expect(await second.stop('SIGINT')).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  });

  it('takes its parts along when it is killed, and adopts PostgreSQL at the next start', async () => {
    await ensureBuild();
    const killed = await startStack({ dataDir: folder, args: ['--no-demo'] });
    await killed.stop('SIGKILL');
    await expect
      .poll(() => processesOf(folder).filter((command) => /\.ts\b|server\.js/.test(command)), { timeout: 8_000 })
      .toEqual([]);
    const next = await startStack({ dataDir: folder, args: ['--no-demo'] });
    expect(next.output()).toContain('Took over the PostgreSQL');
    expect(await next.stop()).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  });
});

it('roundtrip key create works without a running server and prints the key alone', async () => {
  const { status, out } = await run(['key', 'create', '--scope', 'admin']);
  expect(out).toMatch(/^rt_[\w-]{40,}\n$/);
  expect(status).toBe(0);
  expect(processesOf(folder)).toEqual([]);
});

it('an old Node without the packaged one is told what to do', async () => {
  mkdirSync(path.join(folder, 'cli'));
  for (const file of ['node24.mjs', 'roundtrip.mjs']) {
    copyFileSync(path.join(ROOT, 'cli', file), path.join(folder, 'cli', file));
  }
  writeFileSync(
    path.join(folder, 'old.mjs'),
    `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } });`,
  );
  const args = ['--import', path.join(folder, 'old.mjs'), path.join(folder, 'cli/roundtrip.mjs'), 'start'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toMatch(
    /^Roundtrip needs Node 24 or newer, and this is v\S+: run `npm ci` first, which brings one\.\n$/,
  );
  expect(status).toBe(2);
});
