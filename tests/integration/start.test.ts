import { execFileSync, spawn, spawnSync } from 'node:child_process';
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
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { build } from '#cli/build.ts';
import { canReach } from '#cli/database/postgres/account.ts';
import { ROOT } from '#cli/dist.mjs';
import { Environment } from '#server/environment/environment.ts';
import manifest from '../../package.json' with { type: 'json' };
import { extent, isLong } from '../support/extent.ts';
import { onServer, withDatabase } from '../support/on-server.ts';
import { collect, freePort } from '../support/process.ts';
import { spawnRoundtrip, startStack } from '../support/stack.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-start-'));
  // PostgreSQL's user passes through; else root's database would be kept in the system's folder, and stay there.
  chmodSync(folder, 0o711);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command to its end. */
async function run(args: string[], env: Record<string, string> = {}, account = {}) {
  const child = spawnRoundtrip(args, { ROUNDTRIP_DATA: folder, ...env }, account);
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

/** An account without special rights that reaches the checkout: our own, else `nobody`'s numbers; null where there is none. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const ordinary = isRoot ? ((await canReach(NOBODY, ROOT)) ? NOBODY : null) : {};

function templateUrl(): string {
  const url = process.env.ROUNDTRIP_TEST_TEMPLATE;
  if (!url) throw new Error('no template database: run this test in the vitest project `integration`');
  return url;
}

/** Next gives its process a name of its own. */
const WEB = 'next-server';

/** The process of a part of the Roundtrip that works in our data folder. */
function partPid(command: string): number | undefined {
  const found = readdirSync('/proc').find(
    (pid) => read(`/proc/${pid}/cmdline`).includes(command) && read(`/proc/${pid}/environ`).includes(folder),
  );
  return found === undefined ? undefined : Number(found);
}

describe('what keeps roundtrip from starting is said in one sentence', () => {
  const refusals: [string, string[], Record<string, string>, RegExp][] = [
    ['a target that is no URL', ['nonsense'], {}, /"nonsense" must be a URL that begins with https/],
    ['a port out of range', ['--port', '70000'], {}, /--port is "70000"/],
    ['a PORT that is no number', [], { PORT: 'http' }, /PORT must be a port number/],
    ['a short secret', [], { ROUNDTRIP_SECRET: 'short' }, /ROUNDTRIP_SECRET must have at least 32/],
    ['a DATABASE_URL of another kind', [], { DATABASE_URL: 'mysql://x/y' }, /DATABASE_URL must look like/],
    [
      'a DATABASE_URL that cannot be read',
      [],
      { DATABASE_URL: 'postgres://u@127.0.0.1:http/x' },
      /DATABASE_URL is not a/,
    ],
    ['a region that is none', [], { ROUNDTRIP_VANTAGE_REGION: 'x' }, /ROUNDTRIP_VANTAGE_REGION is invalid/],
    ['a retention that is none', [], { ROUNDTRIP_RETENTION_RAW_DAYS: 'x' }, /ROUNDTRIP_RETENTION_RAW_DAYS must be/],
    ['a PORT of nothing', [], { PORT: '0' }, /PORT must be a port number from 1/],
    [
      'a database that is away',
      [],
      { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' },
      /No PostgreSQL answers at 127.0.0.1:1/,
    ],
    ['an option that is none', ['--frobnicate'], {}, /unknown option '--frobnicate'/],
    ['a data folder below a file', [], { ROUNDTRIP_DATA: '/etc/hostname/x' }, /data folder .* cannot be written/],
  ];
  // One of an argument, one of the environment, one of what is outside; the others belong to the full extent.
  const told = refusals.filter(([name]) => /^(an option|a short|a data folder)/.test(name));
  it.each(extent(told, refusals))('%s', async (_name, args, env, sentence) => {
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

  it.each([
    ['a wrong password of the database', { password: 'wrong' }, /rejects user \S+ \(/],
    ['a database that is not there', { pathname: '/nowhere' }, /has no database called nowhere: create it/],
  ])('%s', async (_name, change, sentence) => {
    const url = Object.assign(new URL(templateUrl()), change).href;
    const { status, all } = await run(['start', '--port', String(await freePort())], { DATABASE_URL: url });
    expect(all).toMatch(sentence);
    expect(all).not.toContain(new URL(url).password);
    expect(status).toBe(2);
  });

  it('jobs without a database, or with one that is not migrated', async () => {
    const without = await run(['jobs']);
    expect(without.all).toMatch(/^roundtrip: DATABASE_URL is not set[^\n]*\n$/);
    const empty = Object.assign(new URL(templateUrl()), { pathname: '/postgres' }).href;
    const fresh = await run(['jobs'], { DATABASE_URL: empty });
    expect(fresh.all).toMatch(/^roundtrip: [^\n]*run `roundtrip setup`[^\n]*\n$/);
    expect([without.status, fresh.status]).toEqual([2, 2]);
  });

  // Root may write anywhere, so it lends the command an account that may not; that one has to reach the checkout.
  it.skipIf(ordinary === null)('a data folder without the right to write', async () => {
    chmodSync(folder, 0o555);
    const { status, all } = await run(['start', '--port', String(await freePort())], {}, ordinary ?? {});
    expect(all).toMatch(/^roundtrip: The data folder \S+ cannot be written to \(EACCES, [^\n]*\n$/);
    expect(status).toBe(2);
  });
});

describe('roundtrip start', { timeout: 180_000 }, () => {
  /** The data folder of an installation that was started once and stopped: the tests after the first begin with a copy. */
  const installed = mkdtempSync(path.join(tmpdir(), 'roundtrip-installed-'));
  const install = () => execFileSync('cp', ['-a', `${installed}/.`, folder]);
  beforeAll(async () => {
    await build('web application');
  }, 180_000);
  afterAll(() => rmSync(installed, { recursive: true, force: true }));

  it.runIf(isLong)('starts, finds its data again, and leaves no process behind', async () => {
    // As Compose and service managers pass on what nobody set.
    const prober = ['ALLOW_PRIVATE', 'THREADS', 'SPOOL_MB', 'TOKEN', 'TOKEN_FILE', 'VANTAGE_NAME', 'VANTAGE_REGION'];
    const names = [...Object.keys(Environment.shape), ...prober.map((name) => `ROUNDTRIP_${name}`)];
    const unset = Object.fromEntries(names.map((name) => [name, '']));
    const env = { ...unset, ROUNDTRIP_DATA: folder, NODE_ENV: 'production' };
    const first = await startStack({ dataDir: folder, args: ['https://a.example'], env });
    expect(first.password).toMatch(/^\S{12,}$/);
    expect(statSync(path.join(folder, 'secret')).mode & 0o777).toBe(0o600);
    expect((await fetch(`${first.url}/api/ready`)).status).toBe(200);
    const link = await run(['sign-in']);
    expect(link.out).toMatch(new RegExp(`^${first.url}/login\\?token=rtl_[\\w-]+\n$`));
    const key = await run(['key', 'create', '--scope', 'read']);
    expect(key.out).toMatch(/^rt_\S+\n$/);
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(processesOf(folder)).toEqual([]);
    execFileSync('cp', ['-a', `${folder}/.`, installed]);

    const second = await startStack({ dataDir: folder, args: ['https://a.example/', 'https://b.example'] });
    expect(second.password).toBeNull();
    expect(second.output()).toContain('1 added, 1 known');
    const headers = { authorization: `Bearer ${key.out.trim()}` };
    const targets = (await (await fetch(`${second.url}/api/v1/targets`, { headers })).json()) as { data: unknown[] };
    expect(targets.data).toHaveLength(2);
    const third = await run(['start', '--port', String(await freePort())]);
    expect(third.status).toBe(2);

    // Whoever read what it prints is gone, as behind `npm start | head`: it goes on, and starts again what ends.
    second.child.stdout?.destroy();
    second.child.stderr?.destroy();
    process.kill(partPid(WEB) ?? 0, 'SIGKILL');
    const said = () => readFileSync(path.join(folder, 'logs/start.log'), 'utf8');
    await expect.poll(said).toMatch(/^Output closed: .*ended by SIGKILL.*, restarting in 1 s/m);
    const status = () =>
      fetch(`${second.url}/api/ready`).then(
        (answer) => answer.status,
        () => 0,
      );
    await expect.poll(status).toBe(200);
    expect(await second.stop('SIGINT')).toBe(0);
    expect(said()).toMatch(/^Output closed: Stopped\.$/m);
    expect(processesOf(folder)).toEqual([]);
  });

  it('has its keys made without a running server, by a command that prints the key alone', async () => {
    install();
    const { status, out } = await run(['key', 'create', '--scope', 'admin']);
    expect(out).toMatch(/^rt_[\w-]{40,}\n$/);
    expect(status).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  });

  it.runIf(isLong)(
    'starts a part again that was killed, and ends at once at a second Ctrl-C, with nothing left behind',
    async () => {
      install();
      const stack = await startStack({ dataDir: folder, args: ['--no-demo'] });
      const before = partPid(WEB);
      if (before === undefined) throw new Error('no web process');
      process.kill(before, 'SIGKILL');
      await expect.poll(stack.output).toContain('ended by SIGKILL, restarting in 1 s');
      const isReady = () => fetch(`${stack.url}/api/ready`).then(({ status }) => status, String);
      await expect.poll(isReady).toBe(200);
      // However often it ends: the pause before a restart does not grow.
      for (let end = 2; end <= 4; end += 1) {
        const pid = partPid(WEB) ?? 0;
        process.kill(pid, 'SIGKILL');
        const killedAt = performance.now();
        const isNew = () => ![undefined, pid].includes(partPid('next-server') ?? partPid('dist/server.mjs'));
        await expect.poll(isNew, { interval: 50 }).toBe(true);
        expect(performance.now() - killedAt).toBeLessThan(3_500);
        await expect.poll(isReady).toBe(200);
      }
      expect(stack.output().match(/ended by SIGKILL/g)).toHaveLength(2);
      expect(stack.output()).toContain('ended by SIGKILL, again: restarting every 2 s until it stays up');
      const server = partPid(WEB);
      if (server === undefined || server === before) throw new Error('no new web process');

      // A part that hangs: the stop waits for it, and the person does not want to.
      process.kill(server, 'SIGSTOP');
      const ended = once(stack.child, 'close');
      const impatience = setInterval(() => stack.child.kill('SIGINT'), 100);
      const [status] = await ended;
      clearInterval(impatience);
      expect(status).toBe(130);
      expect(processesOf(folder)).toEqual([]);
    },
  );

  it.runIf(isLong)(
    'runs web and jobs in one process, or each in its own, under a supervisor of at most 40 MB',
    async () => {
      install();
      const together = await startStack({ dataDir: folder, args: ['--no-demo'] });
      expect(partPid('dist/jobs.mjs')).toBeUndefined();
      if (process.platform === 'linux') {
        // In proportion to who else has the page.
        const memory = read(`/proc/${together.child.pid}/smaps_rollup`);
        expect(Number(/^Pss:\s+(\d+) kB/m.exec(memory)?.[1])).toBeLessThan(40 * 1_024);
      }
      expect(await together.stop()).toBe(0);
      const apart = await startStack({ dataDir: folder, args: ['--no-demo', '--apart'] });
      expect(partPid('dist/jobs.mjs')).toBeGreaterThan(0);
      expect(await apart.stop()).toBe(0);
      expect(processesOf(folder)).toEqual([]);
    },
  );

  it.runIf(isLong)('in CI ends when the script that ran npm is gone, with nothing left behind', async () => {
    install();
    const port = await freePort();
    // As npm runs it: a process between the script and Roundtrip, which hears nothing of the script's end.
    const script = `("${process.execPath}" cli/roundtrip.mjs start --no-demo --port ${port}; true) & wait`;
    const env = { ...process.env, CI: 'true', npm_lifecycle_event: 'start', ROUNDTRIP_DATA: folder };
    const launcher = spawn('sh', ['-c', script], { cwd: ROOT, env, stdio: 'ignore' });
    const isReady = () => fetch(`http://127.0.0.1:${port}/api/ready`).then(({ status }) => status, String);
    await expect.poll(isReady).toBe(200);
    launcher.kill('SIGKILL');
    await expect.poll(() => processesOf(folder)).toEqual([]);
  });

  // As every service of docker-compose.yml does: containers.test.ts.
  it.runIf(isLong)('serves on a database elsewhere, which setup prepared, and leaves it running', async () => {
    const name = `roundtrip_start_${process.pid}`;
    const server = withDatabase(templateUrl(), 'postgres');
    await onServer(server, `create database ${name}`);
    const DATABASE_URL = withDatabase(server, name);
    try {
      const first = await run(['setup'], { DATABASE_URL });
      expect(first.out).toMatch(/^Admin password: \S{12,} /m);
      const again = await run(['setup', '--prober', folder], { DATABASE_URL });
      expect(again.out).toMatch(/^Admin password: set\nLocal prober: created a vantage/);
      expect(statSync(path.join(folder, 'token')).mode & 0o777).toBe(0o600);
      const stack = await startStack({ dataDir: folder, args: ['--no-demo'], env: { DATABASE_URL } });
      expect(stack.password).toBeNull();
      expect(stack.output()).toContain(`database ${name}`);
      expect(await stack.stop()).toBe(0);
      expect(processesOf(folder)).toEqual([]);
    } finally {
      await onServer(server, `drop database ${name} with (force)`);
    }
  });

  it.runIf(isLong)('takes its parts and PostgreSQL along when it is killed, and starts again', async () => {
    install();
    const killed = await startStack({ dataDir: folder, args: ['--no-demo'] });
    await killed.stop('SIGKILL');
    await expect.poll(() => processesOf(folder)).toEqual([]);
    const next = await startStack({ dataDir: folder, args: ['--no-demo'] });
    expect(next.output()).not.toContain('left behind');
    expect(await next.stop()).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  });

  it.runIf(isLong)('names a port at once that was taken after it had been checked', async () => {
    install();
    const port = await freePort();
    const child = spawnRoundtrip(['start', '--no-demo', '--port', String(port)], { ROUNDTRIP_DATA: folder });
    const said = collect(child);
    const closed = once(child, 'close');
    await expect.poll(said, { interval: 5 }).toContain('PostgreSQL   embedded');
    // As an outgoing connection of any program that gets this number for its end.
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const [status] = await closed;
    other.close();
    expect(said()).toMatch(new RegExp(`^roundtrip: Port ${port} on 127\\.0\\.0\\.1 is in use[^\\n]*$`, 'm'));
    expect(said().match(/restarting/g) ?? []).toHaveLength(1);
    expect(status).toBe(2);
    expect(processesOf(folder)).toEqual([]);
  });
});

it('roundtrip --version says the version alone', async () => {
  const { status, all } = await run(['--version']);
  expect([status, all]).toEqual([0, `${manifest.version}\n`]);
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
    /^Roundtrip needs Node 24 or newer, but this is v\S+: run `npm ci` first, which installs it\.\n$/,
  );
  expect(status).toBe(2);
});
