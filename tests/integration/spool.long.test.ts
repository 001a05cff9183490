import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '#demo/random.ts';
import { prepareFolder } from '../support/folder.ts';
import { fillDisk } from '../support/full-disk.ts';
import { IngestServer } from '../support/ingest-server.ts';
import { collect, stop } from '../support/process.ts';
import { resultOf } from '../support/spool-crash-child.ts';
import type { FullDiskOutcome } from '../support/spool-full-child.ts';
import { startTlsTarget, TEST_VANTAGE, type TlsTarget } from '../support/tls-target.ts';

const CRASH = join(import.meta.dirname, '../support/spool-crash-child.ts');
const FULL = join(import.meta.dirname, '../support/spool-full-child.ts');
const PROBER = join(import.meta.dirname, '../../workers/prober/main.ts');
/** Another run of the killings: ROUNDTRIP_TEST_SEED=5. */
const SEED = Number(process.env.ROUNDTRIP_TEST_SEED ?? 1);
const KILLS = 12;
const within = { timeout: 60_000, interval: 20 };

const folder = prepareFolder('spool');

describe('a spool whose process is killed', () => {
  it(`delivers all that was flushed, nothing torn or invented, and nothing twice that was acknowledged (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    const given = new Map<number, number>();
    const acknowledged = new Set<number>();
    let [next, durable, givenAgain] = [0, 0, 0];

    const lifeOf = async (mode: 'until killed' | 'drain') => {
      const before = new Set(acknowledged);
      const child = spawn(process.execPath, [CRASH, folder, String(next), mode], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      const lines = createInterface({ input: child.stdout });
      let counts = null;
      const alive = Promise.withResolvers<void>();
      lines.on('line', (line) => {
        const [word, rest] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
        if (word === 'appending') next = Number(rest);
        else if (word === 'durable') durable = Number(rest);
        else if (word === 'acknowledged') for (const n of rest.split(',')) acknowledged.add(Number(n));
        else if (word === 'counts') counts = JSON.parse(rest);
        else if (word === 'given') {
          const { n } = JSON.parse(rest);
          expect(rest).toBe(resultOf(n));
          expect(n).toBeLessThan(next);
          if (before.has(n)) givenAgain += 1;
          given.set(n, (given.get(n) ?? 0) + 1);
          if (mode === 'until killed') alive.resolve();
        }
      });
      const ended = once(lines, 'close');
      if (mode === 'until killed') {
        await alive.promise;
        await wait(random() * 150);
        child.kill('SIGKILL');
      }
      await Promise.all([exited, ended]);
      return counts;
    };

    const flushed: [from: number, to: number][] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const from = next;
      durable = from;
      await lifeOf('until killed');
      flushed.push([from, durable]);
    }
    const counts = await lifeOf('drain');

    const missing = flushed.flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, index) => from + index).filter((n) => !given.has(n)),
    );
    expect(missing).toEqual([]);
    expect(givenAgain).toBe(0);
    expect(flushed.reduce((sum, [from, to]) => sum + to - from, 0)).toBeGreaterThan(KILLS * 20);
    expect(counts).toMatchObject({ dropped: 0 });
    expect(readdirSync(folder).filter((name) => /^\d{12}\./.test(name))).toEqual([]);
  });
});

/** Why no file system can be mounted here for a process of one's own; null where it can. */
function mountingFails(): string | null {
  const probe = ['--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()];
  try {
    execFileSync('unshare', probe, { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `no file system can be mounted here: ${String(error)}`;
  }
}

/** Runs node with a tmpfs mounted on the folder, in which `prepare` (shell) ran; it ends with the process. */
function spawnOnTmpfs(mountPoint: string, options: string, args: string[], prepare = ':'): ChildProcess {
  mkdirSync(mountPoint);
  const script = `mount -t tmpfs -o ${options},mode=700 tmpfs "$0" && ${prepare} && exec "$@"`;
  const command = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, mountPoint, process.execPath, ...args];
  return spawn('unshare', command, { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function outcomeOf(child: ChildProcess): Promise<FullDiskOutcome> {
  const [[status], said, errors] = await Promise.all([
    once(child, 'exit'),
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
  ]);
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  return JSON.parse(said);
}

/** Nothing is lost until memory is full; then the oldest in memory are, and are counted; all the others come, once each. */
function expectOnlyCountedLosses(outcome: FullDiskOutcome, onDisk: number): void {
  const { appended, counts, deliveredFull, deliveredFreed } = outcome;
  expect(outcome.droppedBefore).toBe(0);
  expect(outcome.inMemory).toBeGreaterThan(3_900);
  expect(deliveredFull).toHaveLength(600);
  const kept = Array.from({ length: appended }, (_, n) => n).filter((n) => n < onDisk || n >= onDisk + counts.dropped);
  expect([...deliveredFull, ...deliveredFreed]).toEqual(kept);
  expect(counts.dropped).toBeGreaterThan(0);
  expect(counts).toEqual({ dropped: counts.dropped, droppedFromMemory: counts.dropped, torn: 0 });
  expect(outcome.inMemoryFreed).toBe(0);
  expect(outcome.warnings.map((message) => message.replace(/: Error.*|\d+ of them.*/, ''))).toEqual([
    'the spool cannot be written, results are kept in memory, at most 32 MiB of them',
    'the disk takes no results and memory is full: ',
    'the spool can be written again',
  ]);
}

const noMount = mountingFails();
if (noMount) console.info(`skipped: a full file system; ${noMount}`);

describe('a full disk at the vantage', () => {
  it.skipIf(noMount)('costs a spool on a file system of 48 MB nothing until 32 MiB are in memory', async () => {
    const place = join(folder, 'mounted');
    const outcome = await outcomeOf(spawnOnTmpfs(place, 'size=48m', [FULL, place, 'mount']));
    expect(outcome.warnings[0]).toContain('ENOSPC');
    expectOnlyCountedLosses(outcome, 100);
  });

  it.skipIf(process.platform !== 'linux')(
    'costs as little where writes end half-way, at a limit of file sizes',
    async () => {
      const place = join(folder, 'limited');
      mkdirSync(place);
      const command = ['--fsize=20000:unlimited', process.execPath, FULL, place, 'limit'];
      const outcome = await outcomeOf(spawn('prlimit', command, { stdio: ['ignore', 'pipe', 'pipe'] }));
      expect(outcome.warnings[0]).toContain('EFBIG');
      expectOnlyCountedLosses(outcome, 0);
    },
  );

  describe('with a whole prober', () => {
    let target: TlsTarget;
    let server: IngestServer;
    let prober: ChildProcess;
    let log: () => string;
    beforeEach(async () => {
      target = await startTlsTarget();
      server = new IngestServer(TEST_VANTAGE);
      for (let count = 0; count < 3; count += 1) server.put(target.check());
      await server.open();
    });
    afterEach(async () => {
      await stop(prober, 'SIGKILL');
      await server.close();
      await target.close();
      expect(server.faults).toEqual([]);
    });
    const argumentsFor = (data: string) => {
      const access = ['--server', server.url, '--token', server.token, '--allow-private', '127.0.0.0/8'];
      return [PROBER, ...access, '--data', data];
    };
    const logged = (words: string) => vi.waitFor(() => expect(log()).toContain(words), within);
    const moreProbes = async (more: number) => {
      const goal = target.handshakes.length + more;
      await vi.waitFor(() => expect(target.handshakes.length).toBeGreaterThanOrEqual(goal), within);
    };
    /** Ended in order, every handshake that the target saw is a result at the server. */
    const expectAllDelivered = async () => {
      expect(await stop(prober)).toBe(0);
      expect(server.results.size).toBe(target.handshakes.length);
    };

    it.skipIf(noMount)(
      'it measures on while server and disk are away, uploads from memory, and loses nothing',
      async () => {
        const place = join(folder, 'prober-full');
        prober = spawnOnTmpfs(place, 'size=4m', argumentsFor(place));
        log = collect(prober);
        await server.until(() => server.results.size >= 3);
        await server.close();
        const ballast = `/proc/${prober.pid}/root${place}/ballast`;
        fillDisk(ballast);
        await moreProbes(6);
        await logged('results are kept in memory, at most 32 MiB of them: Error: ENOSPC');
        await server.open();
        const before = target.handshakes.length;
        await server.until(() => server.results.size >= before);
        await server.close();
        await moreProbes(3);
        rmSync(ballast);
        await logged('the spool can be written again');
        await moreProbes(3);
        await server.open();
        await server.until(() => server.results.size >= before + 6);
        await expectAllDelivered();
      },
    );

    it.skipIf(noMount)('it starts again where not even a folder can be made', async () => {
      const kept = join(folder, 'kept');
      prober = spawn(process.execPath, argumentsFor(kept), { stdio: ['ignore', 'pipe', 'pipe'] });
      await server.until(() => server.results.size >= 3);
      await expectAllDelivered();
      await server.close();
      const place = join(folder, 'prober-starts');
      const files = readdirSync(kept).filter((name) => name.endsWith('.json'));
      // A place for the mounted folder and for the files that the prober kept, and for nothing else.
      const options = `size=4m,nr_inodes=${files.length + 1}`;
      prober = spawnOnTmpfs(place, options, argumentsFor(place), `cp ${kept}/*.json "$0"`);
      log = collect(prober);
      await logged('results are kept in memory, at most 32 MiB of them: Error: ENOSPC');
      await moreProbes(6);
      await server.open();
      await server.until(() => server.results.size >= target.handshakes.length);
      await expectAllDelivered();
    });
  });
});
