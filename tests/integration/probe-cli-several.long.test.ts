import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_URLS } from '#cli/probe/arguments.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { prepareFolder } from '../support/folder.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { type Listening, listen } from '../support/probing.ts';
import { resultsOf, roundtrip } from '../support/roundtrip.ts';

// Several URLs in one call, the address family, and conditions on what was measured.

const hasIPv6 = Object.values(os.networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));
let server: Listening;
let dns: DnsServer;
/** Requests in progress, and the most that there have been at once. */
let inProgress = 0;
let mostAtOnce = 0;

const folder = prepareFolder('cli-several');
beforeAll(async () => {
  const root = await createAuthority({ name: 'CLI several root', key: 'ec' });
  const leaf = await issue(root, { names: ['four.example', 'both.example', 'six.example'] });
  await writeFile(path.join(folder, 'root.pem'), root.certPem);
  const https = createServer({ key: leaf.keyPem, cert: leaf.chainPem }, ({ url }, response) => {
    response.writeHead(url === '/teapot' ? 418 : 200).end('hello');
  });
  https.on('connection', (socket) => {
    inProgress += 1;
    mostAtOnce = Math.max(mostAtOnce, inProgress);
    socket.once('close', () => {
      inProgress -= 1;
    });
  });
  https.on('tlsClientError', () => {});
  server = await listen(https, 'four.example', hasIPv6 ? '::' : '127.0.0.1');
  dns = await startDnsServer({
    'four.example': ['127.0.0.1'],
    'six.example': ['::1'],
    'both.example': ['127.0.0.1', '::1'],
  });
});

afterAll(async () => {
  await Promise.all([server.close(), dns.close()]);
});

const roundtripProbe = (...args: string[]) =>
  roundtrip(['probe', ...args, '--resolver', dns.resolver, '--cacert', path.join(folder, 'root.pem')]);

const at = (host: string, rest = '/') => `https://${host}:${server.port}${rest}`;
describe('several URLs', () => {
  it('are one table, a row each in their order, probed one at a time', async () => {
    mostAtOnce = 0;
    const urls = [at('four.example'), at('both.example', '/a'), at('four.example', '/b')];
    const { status, stdout } = await roundtripProbe(...urls, '--count', '2');
    expect(status).toBe(0);
    const [title = '', ...rows] = stdout.trimEnd().split('\n');
    expect(title.trim().split(/\s{2,}/)).toEqual([
      ...['URL', 'state', 'dns ms', 'connect', 'tls', 'first byte', 'total', 'status', 'protocol', 'wrong'],
    ]);
    expect(rows.map((line) => line.trim().split(/\s+/)[0])).toEqual(urls);
    for (const line of rows) expect(line).toMatch(/ ok( +\d+\.\d){5} +200 +TLSv1\.3 HTTP\/1\.1/);
    expect(mostAtOnce).toBe(1);
  });

  it('end with status 1 where one failed, whose row says why', async () => {
    const urls = [at('four.example'), at('missing.example'), at('four.example', '/teapot')];
    const ran = await roundtripProbe(...urls);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/missing\.example:\d+\/ +FAILED .* - +- +dns_not_found: /);
    expect(ran.stdout).toMatch(/teapot +FAILED .* 418 .* http_status: /);
    expect(ran.stdout).toMatch(/four\.example:\d+\/ +ok /);
  });

  it('are one JSON Result per line with --json, in turn, and in threads of nobody else', async () => {
    const urls = [at('four.example'), at('both.example')];
    const ran = await roundtripProbe(...urls, '--json', '--count', '2');
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(resultsOf(ran).map(({ url }) => url)).toEqual([...urls, ...urls]);
  });

  it.each([
    [Array.from({ length: MAX_URLS + 1 }, (_, n) => `https://h${n}.example/`), `more than ${MAX_URLS} URLs`],
    [['https://a.example/', 'http://b.example/'], "'http://b.example/' is invalid for argument 'url'"],
    [['https://a.example/', 'https://b.example/', '--rate', '1'], "'--rate' cannot be combined with several URLs"],
    [['https://a.example/', 'https://b.example/', '--compare', 'c.example'], "'--compare' takes one URL"],
    [['https://a.example/', 'https://b.example/', '--count', '5001'], "'--count' is at most 5000 with 2 URLs"],
    [['https://a.example/', '-4', '-6'], "'-4' ('--family 4') and '-6'"],
    [['https://a.example/', '--ipv4', '--family', '6'], "'-4' ('--family 4') and '-6'"],
    [['https://a.example/', '--fail-if', 'tls>1,slow>2'], "'slow>2' is no condition. Known: dns, connect"],
  ])('and other arguments are refused with status 2 and a sentence: %#', async (args, named) => {
    const { status, stdout, stderr } = await roundtripProbe(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(named);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('may be as many as that', async () => {
    const urls = Array.from({ length: MAX_URLS }, (_, n) => at('four.example', `/${n}`));
    const ran = await roundtripProbe(...urls, '--json', '--no-http');
    expect(resultsOf(ran).map(({ url }) => url)).toEqual(urls);
  });
});

describe('the address family', () => {
  it.each([
    ['-4', 'both.example', 4],
    ['--ipv4', 'four.example', 4],
    ...(hasIPv6
      ? ([
          ['-6', 'both.example', 6],
          ['--ipv6', 'six.example', 6],
        ] as const)
      : []),
  ] as const)('%s reaches %s by IPv%d', async (option, host, family) => {
    const ran = await roundtripProbe(at(host), option, '--json');
    expect(ran.status).toBe(0);
    expect(resultsOf(ran)[0]?.network.family).toBe(family);
  });

  it.each([
    ['-6', 'four.example', 'IPv6'],
    ['-4', 'six.example', 'IPv4'],
  ])('%s fails where %s has no such address, and says so', async (option, host, said) => {
    const { status, stdout } = await roundtripProbe(at(host), option);
    expect(status).toBe(1);
    expect(stdout).toContain('FAILED in dns: dns_no_address (target)');
    expect(stdout).toContain(`${host} has no ${said} address`);
  });
});

describe('--fail-if', () => {
  const url = () => at('four.example');

  it('ends with status 3 and a line for each condition that is met, with what was found', async () => {
    const { status, stdout } = await roundtripProbe(url(), '--fail-if', 'tls>=0,expiry<1d,expiry<9999d,total>60s');
    expect(status).toBe(3);
    const lines = stdout.split('\n').filter((line) => line.startsWith('  fail-if'));
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}fail-if {6}tls>=0: \d+\.\d+ ms, https:\/\/four\.example:\d+\/$/),
      expect.stringMatching(/^ {2}fail-if {6}expiry<9999d: \d+\.\d\d d, https/),
    ]);
  });

  it('ends with status 0 where none is', async () => {
    const { status, stdout } = await roundtripProbe(url(), '--fail-if', 'total>60s,status>=400');
    expect(status).toBe(0);
    expect(stdout).not.toContain('fail-if');
  });

  it('takes an unknown value for met', async () => {
    const { status, stdout } = await roundtripProbe(url(), '--no-http', '--fail-if', 'status>=400');
    expect(status).toBe(3);
    expect(stdout).toContain('fail-if      status>=400: unknown, ');
  });

  it('leaves status 1 to probes that fail, and names what else was met', async () => {
    const { status, stdout } = await roundtripProbe(at('four.example', '/teapot'), '--fail-if', 'status>=400');
    expect(status).toBe(1);
    expect(stdout).toContain('fail-if      status>=400: 418, ');
  });

  it.each([
    ['of one URL', () => [url(), '--count', '3'], 1],
    ['in several threads', () => [url(), '--count', '3', '--threads', '3', '--concurrency', '3'], 1],
    ['of several URLs', () => [url(), at('both.example'), '--count', '3'], 2],
    ['of a comparison', () => [url(), '--compare', at('both.example'), '--count', '3'], 2],
  ])('counts over many probes %s, and writes to standard error beside JSON', async (_, args, lines) => {
    const ran = await roundtripProbe(...args(), '--json', '--fail-if', 'tls>=0');
    expect(ran.status).toBe(3);
    expect(resultsOf(ran)).toHaveLength(3 * lines);
    const said = ran.stderr.trimEnd().split('\n');
    expect(said).toHaveLength(lines);
    for (const line of said) {
      expect(line).toMatch(/^roundtrip: fail-if tls>=0: \d+\.\d+ ms at first, in 3 probes, https:/);
    }
  });
});
