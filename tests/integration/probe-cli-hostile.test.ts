import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttps } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MAX_NAMES } from '#contract/certificate.ts';
import { Result } from '#contract/result.ts';
import { MAX_BODY_BYTES } from '#probe/http/exchange.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { extent } from '../support/extent.ts';
import { type Authority, createAuthority, issue } from '../support/pki.ts';
import { type Listening, listen } from '../support/probing.ts';

// `roundtrip probe` against resolvers, servers and arguments that are out of order.

const ENTRY = path.join(import.meta.dirname, '../../cli/roundtrip.mjs');
/** What a terminal obeys, but for the end of a line. */
const UNSAFE = /(?!\n)\p{Cc}|\p{Cf}/u;
/**
 * The process is gone so long after its answer was printed, ms, or less. On a quiet machine it takes 20; a look-up that is
 * not cancelled takes 5,000 and more.
 */
const GONE_MS = 2_500;

let folder: string;
let roots: string;
let root: Authority;

beforeAll(async () => {
  root = await createAuthority({ name: 'Hostile root', key: 'ec' });
  folder = await mkdtemp(path.join(os.tmpdir(), 'roundtrip-hostile-'));
  roots = path.join(folder, 'root.pem');
  await writeFile(roots, root.certPem);
});
afterAll(() => rm(folder, { recursive: true }));

type Ran = { status: number | null; stdout: string; stderr: string; lingeredMs: number };

/** Runs a command to its end; `lingeredMs` is from the last that it printed until it was gone. */
async function run(command: string, args: string[]): Promise<Ran> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  let lastAt = performance.now();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      printed[name] += chunk.toString();
      lastAt = performance.now();
    });
  }
  const [status] = await once(child, 'close');
  return { status, ...printed, lingeredMs: performance.now() - lastAt };
}

const roundtripProbe = (...args: string[]) => run(process.execPath, [ENTRY, 'probe', ...args]);
const resultOf = ({ stdout }: Ran) => Result.parse(JSON.parse(stdout.trim()));

/** A resolver that answers each query after so long; null: never. */
async function slowResolver(afterMs: number | null, onEnd: (close: () => void) => void): Promise<string> {
  const socket = createSocket('udp4');
  const timers = new Set<NodeJS.Timeout>();
  socket.on('message', (query, { port, address }) => {
    if (afterMs === null) return;
    const answer = Buffer.from(query);
    answer.writeUInt16BE(0x8183, 2);
    timers.add(setTimeout(() => socket.send(answer, port, address), afterMs));
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onEnd(() => {
    for (const timer of timers) clearTimeout(timer);
    socket.close();
  });
  return `127.0.0.1:${socket.address().port}`;
}

async function serve(names: string[], answer: Parameters<typeof createHttps>[1]): Promise<Listening> {
  const leaf = await issue(root, { names });
  const server = await listen(createHttps({ key: leaf.keyPem, cert: leaf.chainPem }, answer));
  onTestFinished(() => server.close());
  return server;
}

describe.concurrent('a resolver that is silent, or answers too late', () => {
  const LATE: [string, number | null][] = [
    ['never', null],
    ['after 3,000 ms', 3_000],
  ];
  it.for(LATE.slice(0, extent(1, 2)))('%s', async ([, afterMs], { onTestFinished }) => {
    const resolver = await slowResolver(afterMs, onTestFinished);
    for (const more of [[], ['--threads', '2', '--count', '2', '--concurrency', '2']]) {
      const ran = await roundtripProbe(
        'https://a.example/',
        '--resolver',
        resolver,
        '--timeout',
        '1500',
        '--json',
        ...more,
      );
      expect(ran.status).toBe(1);
      for (const line of ran.stdout.trim().split('\n')) {
        expect(Result.parse(JSON.parse(line)).failure).toMatchObject({ phase: 'dns', reason: 'dns_timeout' });
      }
      expect(ran.lingeredMs).toBeLessThan(GONE_MS);
    }
  });

  // A network and a resolv.conf of its own are root's to make.
  it.runIf(process.getuid?.() === 0 && existsSync('/usr/bin/unshare')).each([
    ['asked by us', 'a.example'],
    ["asked by the machine's own library, which cannot be cancelled", 'intranet'],
  ])("the system's, %s", async (_name, host) => {
    const silent = `require('dgram').createSocket('udp4').bind(53,'127.0.0.1',()=>console.error('bound'))`;
    const script = `ip link set lo up && echo nameserver 127.0.0.1 > ${folder}/resolv.conf &&
      mount --bind ${folder}/resolv.conf /etc/resolv.conf &&
      { '${process.execPath}' -e "${silent}" & silent=$!; } && ss -lun 2>/dev/null | grep -q :53 ;
      '${process.execPath}' '${ENTRY}' probe https://${host}/ --timeout 1500 --json; status=$?; kill $silent; exit $status`;
    const ran = await run('unshare', ['-nm', 'sh', '-c', script]);
    expect(ran.status, ran.stderr).toBe(1);
    expect(resultOf(ran).failure).toMatchObject({ phase: 'dns' });
    expect(ran.lingeredMs).toBeLessThan(GONE_MS);
  });
});

describe('--resolve with several addresses', () => {
  it('goes on where one refuses, and measures the one that answers', async () => {
    const server = await serve(['pinned.example'], (_, response) => response.end('hello'));
    const url = `https://pinned.example:${server.port}/`;
    // Nobody listens at 127.0.0.2 but for what binds every address, which this server does not.
    const entry = `pinned.example:${server.port}:127.0.0.2,[::1],127.0.0.1`;
    const ran = await roundtripProbe(url, '--cacert', roots, '--json', '--resolve', entry, '--timeout', '8000');
    expect(ran.status, ran.stdout).toBe(0);
    const result = resultOf(ran);
    expect(result).toMatchObject({ ok: true, network: { peerAddress: '127.0.0.1', family: 4 } });
    expect(result.phases.tcp).toBeLessThan(200);
    const six = await roundtripProbe(url, '--cacert', roots, '--json', '--resolve', entry, '--family', '6');
    expect(resultOf(six).network.peerAddress).toBe('::1');
  });

  it('says all that it tried where none answers', async () => {
    const server = await serve(['pinned.example'], (_, response) => response.end('hello'));
    const url = `https://pinned.example:${server.port}/`;
    const refused = `pinned.example:${server.port}:127.0.0.2,127.0.0.4`;
    const { failure } = resultOf(await roundtripProbe(url, '--cacert', roots, '--json', '--resolve', refused));
    expect(failure).toMatchObject({ phase: 'tcp', reason: 'tcp_refused' });
    expect(failure?.message).toContain('(tried 127.0.0.2, 127.0.0.4)');
  });

  it('prefers an entry for the host to one for any', async () => {
    const server = await serve(['pinned.example'], (_, response) => response.end('hello'));
    const url = `https://pinned.example:${server.port}/`;
    const own = ['--resolve', `pinned.example:${server.port}:127.0.0.1`];
    const any = ['--resolve', `*:${server.port}:127.0.0.2`];
    const ran = await roundtripProbe(url, '--cacert', roots, '--json', ...own, ...any);
    expect(resultOf(ran).network.peerAddress).toBe('127.0.0.1');
  });
});

describe('what must not reach the terminal', () => {
  it('a password in a URL, or the value of a header', async () => {
    for (const args of [
      ['https://user:hunter2@host.example/'],
      ['user:hunter2@host.example'],
      ['https://host.example/', '--header', 'Authorization hunter2'],
      ['https://host.example/', '--data', `${'x'.repeat(20_000)}hunter2`],
    ]) {
      const { status, stdout, stderr } = await roundtripProbe(...args);
      expect(status).toBe(2);
      expect(stdout + stderr).not.toContain('hunter2');
      expect(stderr).toMatch(/^roundtrip: /);
    }
  });

  it('control characters of an argument', async () => {
    for (const args of [
      ['https://\u001b]0;owned\u0007\u009b31m\u202ehost/ \u0000'.replace('\u0000', '')],
      ['https://host.example/', '--sni', 'a\u001b[31mb'],
      ['https://host.example/', '--resolve', '\u001b[2J'],
      ['https://host.example/', '--unknown\u001b[2J'],
    ]) {
      const { stdout, stderr } = await roundtripProbe(...args, '--timeout', '500');
      expect(stdout + stderr).not.toMatch(UNSAFE);
    }
  });

  it("control characters of the server's: headers, certificate, address", async () => {
    const server = await serve(['localhost'], (_, response) => {
      response.socket?.end(
        'HTTP/1.1 302 Found\r\nServer: a\u009b31m\u202eb\r\nLocation: /\u009b2J\r\nContent-Length: 0\r\n\r\n',
      );
    });
    const { stdout } = await roundtripProbe(server.url, '--cacert', roots);
    expect(stdout).toContain('302');
    expect(stdout).not.toMatch(UNSAFE);
    const asJson = await roundtripProbe(server.url, '--cacert', roots, '--json');
    expect(asJson.stdout).not.toMatch(UNSAFE);
    expect(Result.parse(JSON.parse(asJson.stdout)).http?.server).toBe('a\u009b31m\u202eb');
  });
});

it('tells how many names a certificate has, and keeps the one that matched', async () => {
  const names = Array.from({ length: 1_500 }, (_, n) => `n${n}.example`);
  const server = await serve([...names, 'localhost'], (_, response) => response.end('hello'));
  const { certificate } = resultOf(await roundtripProbe(server.url, '--cacert', roots, '--json')).tls ?? {};
  expect(certificate).toMatchObject({ namesTotal: 1_501, verified: true });
  expect(certificate?.names).toHaveLength(MAX_NAMES);
  expect(certificate?.names.at(-1)).toBe('localhost');
  expect(certificate?.names[998]).toBe('n998.example');
  const { stdout } = await roundtripProbe(server.url, '--cacert', roots);
  expect(stdout).toContain('1501 names, 1000 in the Result');
});

describe('a body that was not read to its end', () => {
  it('says that the prober stopped at its limit', async () => {
    const size = 3 * MAX_BODY_BYTES;
    const server = await serve(['localhost'], (_, response) => {
      response.writeHead(200, { 'content-length': size });
      response.end(Buffer.alloc(size));
    });
    const result = resultOf(await roundtripProbe(server.url, '--cacert', roots, '--json'));
    expect(result).toMatchObject({ ok: true, http: { bodyCut: { by: 'limit', expectedBytes: size } } });
    const { stdout } = await roundtripProbe(server.url, '--cacert', roots);
    expect(stdout.replace(/\s+/g, ' ')).toContain(`of ${size} (only the first MiB is read)`);
  });

  it('says after how many bytes the server cut it', async () => {
    const server = await serve(['localhost'], (_, response) => {
      response.writeHead(200, { 'content-length': 5_000 });
      response.write(Buffer.alloc(2_000), () => response.socket?.end());
    });
    const ran = await roundtripProbe(server.url, '--cacert', roots, '--json');
    const result = resultOf(ran);
    expect(result.http).toMatchObject({ bytes: 2_000, bodyCut: { by: 'server', expectedBytes: 5_000 } });
    expect(result.failure?.message).toContain('the body was cut after 2000 of 5000 bytes');
  });

  it('says nothing of one that is whole', async () => {
    const server = await serve(['localhost'], (_, response) => response.end(Buffer.alloc(MAX_BODY_BYTES / 2)));
    expect(resultOf(await roundtripProbe(server.url, '--cacert', roots, '--json')).http?.bodyCut).toBeUndefined();
  });
});

it('asks no resolver twice for what it gave up, and the next look-up is not cancelled with it', async () => {
  const dns = await startDnsServer({ 'slow.example': null, 'here.example': ['127.0.0.1'] });
  onTestFinished(() => dns.close());

  const { systemNetwork } = await import('#probe/network/system.ts');
  const network = systemNetwork();
  const abort = new AbortController();
  const given = network.resolve('slow.example', 4, abort.signal, undefined, dns.resolver);
  const kept = network.resolve('here.example', 4, new AbortController().signal, undefined, dns.resolver);
  await expect.poll(() => dns.asked.length).toBe(2);
  abort.abort();
  await expect(given).rejects.toThrow('given up');
  expect((await kept).addresses).toEqual([{ address: '127.0.0.1', family: 4 }]);
  const again = network.resolve('here.example', 4, new AbortController().signal, undefined, dns.resolver);
  expect((await again).addresses).toHaveLength(1);
});
