import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { createServer as createHttp1Server } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import { extent } from '../support/extent.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { type Listening, listen } from '../support/probing.ts';
import { ENTRY, resultsOf, roundtrip } from '../support/roundtrip.ts';

let folder: string;
let roots: string;
let server: Listening;
/** Speaks HTTP/1.1 alone, which every probe that offers HTTP/2 finds. */
let plainServer: Listening;

beforeAll(async () => {
  const root = await createAuthority({ name: 'CLI root', key: 'ec' });
  const leaf = await issue(root, { names: ['localhost', 'pinned.example'] });
  const http2 = createSecureServer({ key: leaf.keyPem, cert: leaf.chainPem }, (_, response) => response.end('hello'));
  server = await listen(http2);
  plainServer = await listen(
    createHttp1Server({ key: leaf.keyPem, cert: leaf.chainPem }, (_, response) => response.end('hello')),
  );
  folder = await mkdtemp(path.join(os.tmpdir(), 'roundtrip-cli-'));
  roots = path.join(folder, 'root.pem');
  await writeFile(roots, root.certPem);
});

afterAll(async () => {
  await server.close();
  await plainServer.close();
  await rm(folder, { recursive: true });
});

const roundtripProbe = (...args: string[]) => roundtrip(['probe', ...args]);

const withSlash = (url: string) => new URL(url).href;

describe('roundtrip probe', () => {
  it('prints a waterfall for people, without colour into a pipe', async () => {
    const { status, stdout } = await roundtripProbe(server.url, '--cacert', roots);
    expect(status).toBe(0);
    expect(stdout).toMatch(/tls\s+\d+\.\d+ ms\s+█/);
    expect(stdout).toContain('TLSv1.3');
    expect(stdout).not.toContain('\u001b');
  });

  it('says what is waste, what changes would be worth, and explains its findings', async () => {
    const args = ['--cacert', roots, '--what-if', 'tls=1.3,chain=1k', '--explain'];
    const { status, stdout } = await roundtripProbe(server.url, ...args);
    expect(status).toBe(0);
    // On loopback a busy machine's pauses are many round trips long: figures are tested with made Results.
    expect(stdout).toMatch(/\n\n {2}what if {6}tls=1\.3,chain=1k\n/);
    const json = await roundtripProbe(server.url, ...args, '--json');
    const line = JSON.parse(json.stdout);
    expect(Result.parse(line).ok).toBe(true);
    expect(line).toHaveProperty('whatIf');
    const wrong = await roundtripProbe(server.url, '--what-if', 'tls=1.3,http3=on');
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain("'http3=on' is no change that can be predicted. Possible: tls=1.3, chain=1k");
  });

  it('sums up findings and what changes would be worth where many are probed', async () => {
    const args = ['--cacert', roots, '--count', '3', '--explain', '--what-if', 'tls=1.3'];
    const { stdout } = await roundtripProbe(plainServer.url, ...args);
    const conclusion = stdout.slice(stdout.indexOf('3 probes in'));
    expect(conclusion).toMatch(/\n {2}finding +info http1_only in 3 of 3 probes\n +the server spoke HTTP\/1\.1/);
    expect(conclusion).toMatch(/what if {6}tls=1\.3\n/);
  });

  it('sets two addresses side by side, probed in turn', async () => {
    const other = `https://localhost:${server.port}/other`;
    const args = ['--cacert', roots, '--compare', other, '--count', '2'];
    const { status, stdout } = await roundtripProbe(server.url, ...args);
    expect(status).toBe(0);
    expect(stdout).toMatch(/A +https:\/\/localhost:\d+\/, 2 probed\n {2}B +https:\/\/localhost:\d+\/other, 2 probed/);
    expect(stdout).toMatch(/\n {2}tls +[\d.]+ ms +[\d.]+ ms +[+-]?[\d.]+ ms\n/);
    const json = await roundtripProbe(server.url, ...args, '--json');
    expect(resultsOf(json).map(({ url }) => url)).toEqual([server.url, other, server.url, other].map(withSlash));
    const refused = await roundtripProbe(server.url, ...args, '--threads', '2');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain("option '--threads' cannot be combined with '--compare'");
  });

  it('prints one Result a line with --json, over several threads too', async () => {
    const args = ['--cacert', roots, '--json', '--count', '20', '--concurrency', '8', '--threads', '2'];
    const { status, stdout } = await roundtripProbe(server.url, ...args);
    const results = resultsOf({ stdout });
    expect(status).toBe(0);
    expect(new Set(results.map(({ id }) => id)).size).toBe(20);
    expect(results.every(({ ok }) => ok)).toBe(true);
  });

  it('follows each probe with a resumed one when asked', async () => {
    const { stdout } = await roundtripProbe(server.url, '--cacert', roots, '--json', '--resume');
    expect(resultsOf({ stdout }).map(({ tls }) => tls?.resumed)).toEqual([false, true]);
  });

  it('takes --resolve as curl does', async () => {
    const entry = `pinned.example:${server.port}:127.0.0.1`;
    const url = `https://pinned.example:${server.port}/`;
    const { status, stdout } = await roundtripProbe(url, '--cacert', roots, '--json', '--resolve', entry);
    expect(status).toBe(0);
    expect(resultsOf({ stdout })[0]?.network.peerAddress).toBe('127.0.0.1');
  });

  it('takes an absolute name, whose last dot is no part of the certificate, and an IDN in --resolve', async () => {
    const absolute = `https://pinned.example.:${server.port}/`;
    const entry = `PINNED.example:${server.port}:127.0.0.1`;
    const pinned = await roundtripProbe(absolute, '--cacert', roots, '--json', '--resolve', entry);
    expect(resultsOf(pinned)[0]).toMatchObject({ ok: true, network: { peerAddress: '127.0.0.1' } });
    const idn = `https://münchen.example:${server.port}/`;
    const written = `münchen.example:${server.port}:127.0.0.1`;
    const { stdout } = await roundtripProbe(idn, '--insecure', '--json', '--resolve', written);
    expect(resultsOf({ stdout })[0]).toMatchObject({ ok: true, network: { peerAddress: '127.0.0.1' } });
  });

  it('sums up what was measured when it is interrupted', async () => {
    const args = ['probe', server.url, '--cacert', roots, '--count', '100000', '--rate', '50'];
    const child = spawn(process.execPath, [ENTRY, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await expect.poll(() => printed).toContain('\nok');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(printed).toMatch(/\d+ probes in .* 0 failed\n[\s\S]*first byte/);
  });

  it('ends when nobody reads on', async () => {
    const args = ['probe', server.url, '--cacert', roots, '--json', '--count', '100000', '--rate', '50'];
    const child = spawn(process.execPath, [ENTRY, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = text(child.stderr);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(await said).toBe('');
  });

  it('prints nothing wider than 80 columns', async () => {
    const { stdout } = await roundtripProbe(server.url, '--cacert', roots, '--tls', '1.2');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('shows a failed probe and ends with status 1', async () => {
    const people = await roundtripProbe(server.url);
    expect(people).toMatchObject({ status: 1, stdout: expect.stringContaining('cert_') });
    const machine = await roundtripProbe(server.url, '--json', '--no-http');
    expect(machine.status).toBe(1);
    expect(resultsOf(machine)[0]?.failure?.phase).toBe('tls');
  });

  it('goes on with --insecure', async () => {
    const { status, stdout } = await roundtripProbe(server.url, '--insecure', '--json', '--tls', '1.2', '--alpn', 'h2');
    expect(status).toBe(0);
    expect(resultsOf({ stdout })[0]?.tls).toMatchObject({ version: 'TLSv1.2', certificate: { verified: false } });
  });

  const refused = [
    ['--count', '0'],
    ['--resolve', 'localhost:443:999.1.1.1'],
    ['--cacert', 'no/such/file'],
    ['--bogus'],
    ['--rate', 'fast'],
    ['--tls', '1.1'],
    ['--alpn', 'h3'],
    ['--family', '5'],
    ['--resolve', 'nonsense'],
    ['--cacert', import.meta.filename],
  ];
  it.each(refused.slice(0, extent(4, 10)).map((args) => [args, args[0] ?? ''] as const))(
    'ends with status 2 and a sentence for %s',
    async (args, named) => {
      const { status, stdout, stderr } = await roundtripProbe('https://localhost/', ...args);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(named);
    },
  );

  const urls = [
    ['https://user:pass@example.org/', 'https://***@example.org/'],
    ['http://example.org/', 'http://example.org/'],
    ['https://example.org:70000/', 'https://example.org:70000/'],
    ['ftp://x', 'ftp://x'],
  ] as const;
  it.each(urls.slice(0, extent(2, 4)))('refuses %s as a URL', async (url, said) => {
    const { status, stderr } = await roundtripProbe(url);
    expect(status).toBe(2);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('pass@');
  });
});
