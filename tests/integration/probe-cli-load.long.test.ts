import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { type Listening, listen } from '../support/probing.ts';
import { ENTRY, resultsOf, roundtrip } from '../support/roundtrip.ts';

let folder: string;
let roots: string;
let server: Listening;
let secure: Http2SecureServer;
/** When clients connected, in ms of performance.now(). */
const connects: number[] = [];

beforeAll(async () => {
  const root = await createAuthority({ name: 'Load root', key: 'ec' });
  const leaf = await issue(root, { names: ['localhost'] });
  secure = createSecureServer({ key: leaf.keyPem, cert: leaf.chainPem }, (request, response) => {
    if (request.url === '/moved') response.writeHead(301, { location: '/' });
    response.end('hello');
  });
  secure.on('connection', () => connects.push(performance.now()));
  server = await listen(secure);
  folder = await mkdtemp(path.join(os.tmpdir(), 'roundtrip-load-'));
  roots = path.join(folder, 'root.pem');
  await writeFile(roots, root.certPem);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const roundtripProbe = (url: string, ...args: string[]) => roundtrip(['probe', url, '--cacert', roots, ...args]);

/** The most connects within so many ms. */
function mostWithin(ms: number): number {
  return Math.max(...connects.map((at, index) => connects.slice(index).filter((later) => later < at + ms).length));
}

/** Results that may wait for a reader, and how many the pipe and the streams on both sides hold beside them. */
const MOST_WAITING = { results: 1_000, inPipes: 400 };

/** How many probes were started by the time when no more are. */
async function startsWhenStill(): Promise<number> {
  let last = -1;
  const still = () => {
    const before = last;
    last = connects.length;
    return last === before;
  };
  await expect.poll(still, { interval: 1_500 }).toBe(true);
  return last;
}

/** The most memory that a process has held so far, in MiB; null where nobody tells. */
async function peakOf(pid: number | undefined): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return kib === undefined ? null : Number(kib) / 1_024;
}

/** Probes that a slow server holds all at once. */
const HELD = 1_000;

describe('roundtrip probe under load', () => {
  it('admits 300 queued probes as fast as it can measure them, not at once', async () => {
    connects.length = 0;
    const args = ['--json', '--count', '300', '--concurrency', '300'];
    const { status, stdout } = await roundtripProbe(server.url, ...args);
    const results = resultsOf({ stdout });
    expect(status).toBe(0);
    expect(new Set(results.map(({ id }) => id)).size).toBe(300);
    // One start a millisecond at most; a stalled machine may accept several at once, never a hundred.
    expect(mostWithin(20)).toBeLessThan(100);
    // All at once they would wait for each other's cryptography: 300 handshakes, half a second of it and more.
    const median = results.map(({ phases }) => phases.tcp ?? Number.NaN).sort((a, b) => a - b)[150];
    expect(median).toBeLessThan(50);
  });

  it('keeps the pace over several threads and tells the rate that it reached', async () => {
    connects.length = 0;
    const { stdout } = await roundtripProbe(server.url, '--count', '120', '--rate', '60', '--threads', '3');
    const [, rate] = /120 probes in [\d.]+ s \(([\d.]+)\/s\), 0 failed/.exec(stdout) ?? [];
    expect(Number(rate)).toBeGreaterThan(20);
    expect(Number(rate)).toBeLessThan(70);
    expect(stdout).toMatch(/\n {2}tls +[\d.]+ ms +[\d.]+ ms +[\d.]+ ms\n {2}wire /);
  });

  it('prints each sequence together, in JSON and for people', async () => {
    const { stdout } = await roundtripProbe(
      `${server.url}moved`,
      '--json',
      '--count',
      '6',
      '--redirects',
      '1',
      '--resume',
    );
    const results = resultsOf({ stdout });
    expect(results.map(({ variant }) => variant)).toEqual(
      Array.from({ length: 6 }, () => ['main', 'resumed', 'redirect']).flat(),
    );
    for (const [index, result] of results.entries()) {
      if (result.variant !== 'main') expect(result.mainId).toBe(results[index - (index % 3)]?.id);
    }
    const people = await roundtripProbe(`${server.url}moved`, '--redirects', '1', '--resume');
    const flowing = people.stdout.replace(/\s+/g, ' ');
    expect(flowing).toMatch(
      /followed below.* full [\d.]+ ms .* resumed [\d.]+ ms .*(saves|takes) [\d.]+ ms.* redirect 1 /,
    );
    expect(Math.max(...people.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('has as many in flight as it may where the server is slow, and says so', async () => {
    const held: Socket[] = [];
    const slow = await listen(
      createServer({ pauseOnConnect: true }, (socket) => {
        held.push(socket);
        if (held.length === HELD) for (const each of held) secure.emit('connection', each);
      }),
    );
    const args = ['--json', '--no-http', '--count', `${HELD}`, '--concurrency', `${HELD}`, '--timeout', '60000'];
    const { status, stdout } = await roundtripProbe(slow.url, ...args);
    const results = resultsOf({ stdout });
    await slow.close();
    expect(new Set(results.map(({ id }) => id)).size).toBe(HELD);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(status).toBe(0);
    const inFlight = results.map(({ prober }) => prober.inFlight);
    // Nobody was let in before the last of them had come; from then on each that ends is one less, and the last is alone.
    expect(inFlight[0]).toBe(HELD);
    expect(inFlight.at(-1)).toBe(1);
    expect(inFlight.toSorted((a, b) => b - a)).toEqual(inFlight);
  });

  it('stops starting probes while nobody reads, and holds no more than it may', async () => {
    connects.length = 0;
    const args = [ENTRY, 'probe', server.url, '--cacert', roots, '--json', '--no-http', '--count', '100000'];
    const child = spawn(process.execPath, [...args, '--concurrency', '20'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = text(child.stderr);
    await once(child.stdout, 'readable');
    const last = await startsWhenStill();
    expect(last).toBeGreaterThan(MOST_WAITING.results);
    expect(last).toBeLessThan(MOST_WAITING.results + MOST_WAITING.inPipes);
    child.stdout.destroy();
    const [status] = await once(child, 'exit');
    expect(status).toBe(1);
    expect(await said).toBe('');
  });

  it('loses nothing to a slow reader, and holds no more for it', async () => {
    connects.length = 0;
    const count = 2_500;
    const args = [ENTRY, 'probe', server.url, '--cacert', roots, '--json', '--no-http', '--count', String(count)];
    const child = spawn(process.execPath, [...args, '--concurrency', '20'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    await once(child.stdout, 'readable');
    await startsWhenStill();
    const before = await peakOf(child.pid);
    const ids = new Set<string>();
    let peak = before;
    let mostAhead = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      ids.add(Result.parse(JSON.parse(line)).id);
      mostAhead = Math.max(mostAhead, connects.length - ids.size);
      if (ids.size % 100 === 0) peak = (await peakOf(child.pid)) ?? peak;
    }
    expect(await exit).toEqual([0, null]);
    expect(ids.size).toBe(count);
    expect(connects).toHaveLength(count);
    // A line that came is read on this side before it is counted: the reader's own streams hold some, too.
    expect(mostAhead).toBeLessThan(MOST_WAITING.results + MOST_WAITING.inPipes);
    if (before !== null) expect((peak ?? 0) - before).toBeLessThan(64);
  });
});
