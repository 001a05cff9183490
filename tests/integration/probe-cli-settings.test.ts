import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { prepareFolder } from '../support/folder.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { type Listening, listen } from '../support/probing.ts';
import { roundtrip } from '../support/roundtrip.ts';

let server: Listening;
let dns: DnsServer;
const asked: string[] = [];
const inFolder = (name: string) => path.join(folder, name);

const folder = prepareFolder('cli-settings');
beforeAll(async () => {
  const root = await createAuthority({ name: 'CLI settings root', key: 'ec' });
  const leaf = await issue(root, { names: ['shop.example', 'other.example'] });
  const client = await issue(root, { names: ['prober.example'], client: true });
  const stranger = await issue(root, { names: ['stranger.example'], client: true });
  await writeFile(inFolder('root.pem'), root.certPem);
  await writeFile(inFolder('client.pem'), client.certPem);
  await writeFile(inFolder('client.key'), client.keyPem);
  await writeFile(inFolder('both.pem'), client.certPem + client.keyPem);
  await writeFile(inFolder('stranger.key'), stranger.keyPem);
  await writeFile(inFolder('order.json'), '{"id": 7}\n');
  const options = {
    key: leaf.keyPem,
    cert: leaf.chainPem,
    ca: root.certPem,
    requestCert: true,
    rejectUnauthorized: true,
  };
  const https = createServer(options, async (request, response) => {
    const socket = request.socket as TLSSocket & { servername?: string };
    const headers = request.rawHeaders.filter((_, index) => request.rawHeaders[index - 1]?.toLowerCase() === 'x-a');
    asked.push(`${request.method} ${socket.servername} ${headers.join('+')} ${await text(request)}`);
    response.writeHead(201).end('order accepted');
  });
  https.on('tlsClientError', () => {});
  server = await listen(https, 'shop.example');
  dns = await startDnsServer({ 'shop.example': ['127.0.0.1'] });
});

afterAll(async () => {
  await Promise.all([server.close(), dns.close()]);
});

const roundtripProbe = (...args: string[]) => roundtrip(['probe', ...args]);

const known = () => ['--json', '--resolver', dns.resolver, '--cacert', inFolder('root.pem')];
const probed = async (...args: string[]) => {
  const { status, stdout } = await roundtripProbe(server.url, ...known(), ...args);
  return { status, result: Result.parse(JSON.parse(stdout)) };
};

describe('roundtrip probe', () => {
  it('asks the resolver, shows the certificate and sends the request that it was told to', async () => {
    const identity = ['--cert', inFolder('client.pem'), '--key', inFolder('client.key'), '--sni', 'other.example'];
    const request = ['-d', `@${inFolder('order.json')}`, '-H', 'X-A: 1', '-H', 'X-A: 2'];
    const { status, result } = await probed(
      ...identity,
      ...request,
      '--expect-status',
      '201',
      '--expect-text',
      'accepted',
    );
    expect(status).toBe(0);
    expect(result).toMatchObject({ ok: true, network: { resolver: dns.resolver }, http: { status: 201 } });
    expect(asked.at(-1)).toBe('POST other.example 1+2 {"id": 7}\n');
  });

  it('takes certificate and key from one file, and fails where the answer is not as expected', async () => {
    const { status, result } = await probed('--cert', inFolder('both.pem'), '--expect-no-text', 'accepted');
    expect([status, result.failure?.reason]).toEqual([1, 'http_body_mismatch']);
    const other = await probed('--cert', inFolder('both.pem'), '--expect-status', '200,204');
    expect([other.status, other.result.failure?.reason]).toEqual([1, 'http_status']);
  });

  it.each([
    [['--header', 'none'], '--header'],
    [['--data', '@no/such/file'], '--data'],
    [['--expect-text', 'x', '--method', 'HEAD'], '--expect-text'],
    [['--cert', 'client.pem', '--key', 'stranger.key'], '--key'],
    [['--no-http', '--expect-status', '200'], '--expect-status'],
  ])('ends with status 2 and a sentence for %j', async (args, named) => {
    const there = args.map((arg) => (/^\w+\.(pem|key)$/.test(arg) ? inFolder(arg) : arg));
    const { status, stdout, stderr } = await roundtripProbe('https://localhost/', ...there);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(named);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
