import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { canReach } from '#cli/database/postgres/account.ts';
import { StartError } from '#cli/start-error.ts';
import { startOf } from '#probe/kernel/process-identity.ts';
import { extent, isLong } from '../support/extent.ts';

const isRoot = process.getuid?.() === 0;
const module = new URL('../../cli/database/embedded-postgres.ts', import.meta.url).href;

// Root may write anywhere: it lends the numbers of `nobody`, who has to reach the checkout.
const NOBODY = { uid: 65_534, gid: 65_534 };
const ordinary = isRoot ? ((await canReach(NOBODY, import.meta.dirname)) ? NOBODY : null) : {};

let folder: string;
let dataDir: string;
let lines: string[];
let running: EmbeddedPostgres[];

/** The data folder of an installation that was started once and stopped, for those that do not ask how a cluster is made. */
let installed: string;
beforeAll(async () => {
  installed = await mkdtemp(path.join(tmpdir(), 'roundtrip-pg-installed-'));
  await chmod(installed, 0o711);
  const { stop } = await startEmbeddedPostgres({ dataDir: path.join(installed, 'data'), log: () => {} });
  await stop();
});
afterAll(() => rm(installed, { recursive: true, force: true }));
const install = () => promisify(execFile)('cp', ['-a', path.join(installed, 'data'), dataDir]);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-pg-'));
  // A temporary folder is for its maker alone; PostgreSQL's user has to pass through it.
  await chmod(folder, 0o711);
  dataDir = path.join(folder, 'data');
  lines = [];
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function start(dir = dataDir): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: dir, log: (line) => lines.push(line) });
  running.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // The server may end meanwhile: that is the query's failure.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function serverPid(location: string): Promise<number> {
  return Number((await readFile(path.join(location, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** The process that `postmaster.pid` names, wherever the cluster is; 0 where there is none. */
const newPid = async () =>
  (await findEmbeddedPostgres(dataDir)) === null ? 0 : serverPid(running.at(-1)?.location ?? '');

/** The processes that work in a folder, as all of a cluster's do. */
async function processesIn(cluster: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, n) => folders[n] === cluster);
}

const isAlive = async (pid: number): Promise<boolean> => (await startOf(pid)) !== null;

/** What a start as this account in `dataDir` ends with. */
async function refusalFor(account: { uid?: number; gid?: number }): Promise<string> {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module)});
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: () => {} })
      .then(({ stop }) => stop(), ({ name, message }) => process.stdout.write(name + ': ' + message));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: '/',
    ...account,
  });
  return stdout;
}

/** A Roundtrip in a process and a process group of its own, which can be killed. */
async function startElsewhere(): Promise<ChildProcess> {
  const child = spawnStarter();
  await once(child.stdout as Readable, 'data');
  return child;
}

function spawnStarter(): ChildProcess {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module)});
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: () => {} });
    process.on('SIGINT', () => console.log('interrupted'));
    console.log('ready');
    setInterval(() => {}, 60_000);`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  return spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Ends the shells that tie a server to its starter, as somebody does who ends everything of a name. */
async function cutTies(location: string): Promise<void> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const isTie = async (pid: string) => {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.includes('roundtrip-postgres') && command.includes(`${location}/cluster`);
  };
  const found = await Promise.all(pids.map(isTie));
  for (const pid of pids.filter((_, n) => found[n])) process.kill(Number(pid), 'SIGKILL');
}

describe('embedded PostgreSQL', () => {
  test('starts with safe settings, answers at 127.0.0.1 alone, and leaves no process behind', async () => {
    const server = await start();
    const [row] = await query(
      server.url,
      `select current_database() as database, current_setting('data_checksums') as checksums,
        current_setting('listen_addresses') as listen, current_setting('server_encoding') as encoding,
        current_setting('synchronous_commit') as commit, current_setting('max_connections') as connections,
        (select rolpassword like 'SCRAM-SHA-256$%' from pg_authid where rolname = current_user) as scram`,
    );
    expect(row).toEqual({
      database: 'roundtrip',
      checksums: 'on',
      listen: '127.0.0.1',
      encoding: 'UTF8',
      commit: 'on',
      connections: '60',
      scram: true,
    });
    expect((await stat(path.join(server.location, 'password'))).mode & 0o777).toBe(0o600);
    await expect(query(server.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
    const pid = await serverPid(server.location);
    await server.stop();
    expect(await isAlive(pid)).toBe(false);
  });

  test.runIf(isLong)('finds its data and its port again after a restart', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(await findEmbeddedPostgres(dataDir)).toBeNull();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await findEmbeddedPostgres(dataDir)).toBe(first.url);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('recovers after the server was killed', async () => {
    await install();
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    process.kill(await serverPid(first.location), 'SIGKILL');
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test.runIf(isLong)('is started again on its port where that cannot be remembered', async () => {
    const server = await start();
    const remembered = path.join(server.location, 'port');
    await rm(remembered);
    await mkdir(remembered);
    process.kill(await serverPid(server.location), 'SIGKILL');
    const again = () => lines.filter((line) => line.includes('answers again'));
    await expect.poll(again).toHaveLength(1);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  const BUSY = `select count(*)::int as busy from pg_stat_activity where query like '%1e12%' and pid <> pg_backend_pid()`;
  const MOMENTS: [string, (pid: number) => Promise<boolean>][] = [
    ['in the middle of', async (pid) => ![0, pid].includes(await newPid())],
    ['before', async () => lines.some((line) => line.includes('restarting'))],
  ];
  test.each(MOMENTS.slice(0, extent(1, 2)))(
    'leaves nothing behind where it is stopped %s a new start',
    async (_when, reached) => {
      await install();
      const server = await start();
      const pid = await serverPid(server.location);
      // Hears nothing of the server's end, and would outlive it.
      const busy = query(server.url, 'select count(*) from generate_series(1, 1e12::bigint)').catch(() => {});
      await expect.poll(() => query(server.url, BUSY)).toEqual([{ busy: 1 }]);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => reached(pid), { interval: 1 }).toBe(true);
      await server.stop();
      expect(await newPid()).toBe(0);
      expect(await processesIn(`${server.location}/cluster`)).toEqual([]);
      await busy;
    },
  );

  test.runIf(isLong)(
    'ends with a starter that was killed, at any moment of the start, and keeps its data',
    async () => {
      const child = await startElsewhere();
      const url = (await findEmbeddedPostgres(dataDir)) ?? '';
      await query(url, 'create table kept as select 42 as answer');
      // Stays connected: it does not keep the server from ending.
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      const cluster = path.join(dataDir, 'postgres/cluster');
      const busy = client.query('select pg_sleep(600)').catch((error: Error) => error.message);
      child.kill('SIGKILL');
      await expect.poll(() => processesIn(cluster)).toEqual([]);
      expect(await busy).toMatch(/terminat/);
      // In the middle of a start: as soon as there is a process.
      const second = spawnStarter();
      await expect.poll(async () => (await processesIn(cluster)).length, { interval: 5 }).toBeGreaterThan(0);
      second.kill('SIGKILL');
      await expect.poll(() => processesIn(cluster)).toEqual([]);
      const server = await start();
      expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    },
  );

  test('stops a server that a start left behind which was killed with all that ties them, and starts its own', async () => {
    await install();
    const child = await startElsewhere();
    const url = (await findEmbeddedPostgres(dataDir)) ?? '';
    await query(url, 'create table kept as select 42 as answer');
    const left = await serverPid(path.join(dataDir, 'postgres'));
    // Held still: a starter that lives ends a server whose ties are gone.
    child.kill('SIGSTOP');
    await cutTies(path.join(dataDir, 'postgres'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isAlive(left)).toBe(true);
    const server = await start();
    expect(lines.join()).toContain(`Stopping a PostgreSQL that was left behind (process ${left})`);
    expect(await isAlive(left)).toBe(false);
    expect(server.url).toBe(url);
    expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test.runIf(isLong)('outlives a Ctrl-C that reaches the whole process group, until its starter ends', async () => {
    const child = await startElsewhere();
    const interrupted = once(child.stdout as Readable, 'data');
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await interrupted;
    const url = (await findEmbeddedPostgres(dataDir)) ?? '';
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    child.kill('SIGTERM');
    await expect.poll(() => processesIn(path.join(dataDir, 'postgres/cluster'))).toEqual([]);
  });

  test('refuses a second start in the same folder with one clear sentence', async () => {
    await install();
    await start();
    const second = start();
    await expect(second).rejects.toThrow(StartError);
    await expect(second).rejects.toThrow(/already running in .*process \d+.*ROUNDTRIP_DATA/);
  });

  test('starts whatever the shell says of another PostgreSQL', async () => {
    await install();
    const shell = { PGSSLMODE: 'require', PGOPTIONS: '-c no_such_setting=1', PGPORT: '1', PGREPLICATION: 'database' };
    Object.assign(process.env, shell);
    try {
      const { url } = await start();
      expect(await query(url, 'select 42 as answer')).toEqual([{ answer: 42 }]);
      Object.assign(process.env, shell);
      expect(await findEmbeddedPostgres(dataDir)).toBe(url);
      expect(await query(url, 'select 42 as answer')).toEqual([{ answer: 42 }]);
    } finally {
      for (const name of Object.keys(shell)) delete process.env[name];
    }
  });

  test('is started once more where it ended before it was ready', async () => {
    await install();
    const settings = path.join(dataDir, 'postgres/cluster/postgresql.auto.conf');
    const before = readFileSync(settings);
    await writeFile(settings, 'no_such_setting = 1\n');
    const refused = start();
    await expect(refused).rejects.toThrow(/did not start: .*configuration file .* contains errors.*server\.log/);
    expect(lines.filter((line) => line.includes('once more'))).toHaveLength(1);
    const log = (line: string) => line.includes('once more') && writeFileSync(settings, before);
    const server = await startEmbeddedPostgres({ dataDir, log });
    running.push(server);
    expect(await query(server.url, 'select 42 as answer')).toEqual([{ answer: 42 }]);
  });

  test('writes at the new end of its log when that was emptied, and at the next start', async () => {
    await install();
    const { url, logFile, stop } = await start();
    await appendFile(logFile.file, 'x'.repeat(10 * 2 ** 20));
    logFile.keepSmall();
    await expect(query(url, 'select no_such_column')).rejects.toThrow();
    const written = () => readFileSync(logFile.file, 'utf8');
    expect(written()).toMatch(/^[^\0]*ERROR: {2}column "no_such_column" does not exist/);
    expect((await stat(`${logFile.file}.1`)).size).toBeGreaterThan(10 * 2 ** 20);
    await stop();
    await appendFile(logFile.file, 'x'.repeat(10 * 2 ** 20));
    await start();
    expect(written()).toContain('database system is ready to accept connections');
    expect(written()).not.toContain('xxx');
  });

  test('starts again where a volume has given its group the right to write', async () => {
    await install();
    const cluster = path.join(dataDir, 'postgres/cluster');
    await chmod(cluster, 0o2770);
    const { url } = await start();
    expect(await query(url, 'select 42 as answer')).toEqual([{ answer: 42 }]);
    expect((await stat(cluster)).mode & 0o777).toBe(0o700);
  });

  test.runIf(isRoot && ordinary !== null)('says what to do where such a right cannot be taken away', async () => {
    const cluster = path.join(dataDir, 'postgres/cluster');
    await mkdir(cluster, { recursive: true });
    await writeFile(path.join(cluster, 'PG_VERSION'), '18\n');
    for (const one of [dataDir, path.dirname(cluster)]) await chown(one, NOBODY.uid, NOBODY.gid);
    await writeFile(path.join(dataDir, 'postgres/password'), 'x\n');
    await chown(cluster, 0, NOBODY.gid);
    await chmod(cluster, 0o770);
    expect(await refusalFor(NOBODY)).toMatch(/^StartError: \S+cluster has the rights 770, .* \(EPERM\), .* chmod 700/);
  });

  test('refuses a cluster of another major version', async () => {
    const cluster = path.join(dataDir, 'postgres/cluster');
    await mkdir(cluster, { recursive: true });
    await writeFile(path.join(cluster, 'PG_VERSION'), '17\n');
    await writeFile(path.join(dataDir, 'postgres/password'), 'x\n');
    await expect(start()).rejects.toThrow(/created by PostgreSQL 17.*includes PostgreSQL 18/);
  });

  test('says so when the data folder cannot be a folder', async () => {
    await writeFile(dataDir, 'a file');
    await expect(start()).rejects.toThrow(/data folder .* cannot be written to \(ENOTDIR.*ROUNDTRIP_DATA/);
  });

  test.skipIf(ordinary === null)('says so when the data folder cannot be written', async () => {
    await mkdir(dataDir, { mode: 0o555 });
    expect(await refusalFor(ordinary ?? {})).toMatch(/data folder .* cannot be written to \(EACCES.*ROUNDTRIP_DATA/);
  });

  test.runIf(isLong && isRoot)(
    'keeps the data elsewhere when only root may enter the folder, and finds it again',
    async () => {
      await chmod(folder, 0o700);
      const first = await start();
      try {
        expect(first.location).not.toContain(folder);
        expect(await readFile(path.join(dataDir, 'postgres/location'), 'utf8')).toBe(`${first.location}\n`);
        await query(first.url, 'create table kept as select 42 as answer');
        await first.stop();
        const second = await start();
        expect(second.location).toBe(first.location);
        expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
        await second.stop();
      } finally {
        await rm(first.location, { recursive: true });
      }
    },
  );
});
