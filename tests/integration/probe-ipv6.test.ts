import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProbeSettings } from '#contract/target.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { probe } from '../support/probing.ts';

const hasIPv6 = Object.values(os.networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));

describe.skipIf(!hasIPv6)('a server on an IPv6 address', () => {
  let caPem: string;
  let port: number;
  /** The names that the server was asked for; false where a client sent none. */
  const asked: unknown[] = [];
  const server = createServer(({ socket }, response) => {
    asked.push((socket as TLSSocket).servername);
    response.end('six');
  });

  beforeAll(async () => {
    const root = await createAuthority({ name: 'IPv6 root', key: 'ec' });
    const leaf = await issue(root, { names: ['localhost', '::1'] });
    server.setSecureContext({ key: leaf.keyPem, cert: leaf.chainPem });
    caPem = root.certPem;
    await once(server.listen(0, '::1'), 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const probed = async (host: string, settings: Partial<ProbeSettings> = {}) =>
    (await probe(`https://${host}:${port}/`, { settings: { caPem, ...settings } })).result;

  it('is probed by its address, which its certificate must carry, with no look-up and no SNI', async () => {
    const result = await probed('[::1]');
    expect(result).toMatchObject({ ok: true, phases: { dns: null }, http: { status: 200, bytes: 3 } });
    expect(result.network).toMatchObject({ peerAddress: '::1', peerPort: port, localAddress: '::1', family: 6 });
    expect(asked.at(-1)).toBe(false);
  });

  it('is probed at a fixed address under its name', async () => {
    const result = await probed('localhost', { address: '::1', family: 6 });
    expect(result).toMatchObject({ ok: true, phases: { dns: null }, network: { peerAddress: '::1', family: 6 } });
    expect(asked.at(-1)).toBe('localhost');
  });

  it.each([
    ['[::1]', { family: 4 }],
    ['127.0.0.1', { family: 6 }],
    ['localhost', { address: '::1', family: 4 }],
  ] as const)('is not mistaken for one of the other family: %s with %o', async (host, settings) => {
    const result = await probed(host, settings);
    expect(result.failure).toMatchObject({ phase: 'dns', reason: 'dns_no_address', source: 'target' });
    expect(result.phases).toMatchObject({ dns: null, tcp: null });
  });
});
