import { createServer, type Server, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import { type Authority, createAuthority, type Issued, issue } from '../support/pki.ts';
import { type Listening, listen, probe } from '../support/probing.ts';

let root: Authority;
let leaf: Issued;
const servers: Listening[] = [];

beforeAll(async () => {
  root = await createAuthority({ name: 'Key exchange root', key: 'ec' });
  leaf = await issue(root, { names: ['localhost'], key: 'rsa2048' });
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

const codesOf = ({ findings }: Result) => findings.map(({ code }) => code);

/** What a handshake with a server of these options shows. */
async function shownBy(options: TlsOptions) {
  const server: Server = createServer({ key: leaf.keyPem, cert: leaf.chainPem, ...options }, (socket) => {
    socket.on('error', () => {});
  });
  const listening = await listen(server);
  servers.push(listening);
  const settings = { caPem: root.certPem, http: false };
  let { result, session } = await probe(listening.url, { settings });
  // A busy machine makes the first answer so slow that nothing is counted by it.
  for (let more = 20; more > 0 && codesOf(result).includes('implausible_ratio'); more -= 1) {
    ({ result, session } = await probe(listening.url, { settings }));
  }
  return { result, session, url: listening.url };
}

const OLD = { maxVersion: 'TLSv1.2', ALPNProtocols: ['h2'] } as const;
const named = (ciphers: string): TlsOptions => ({
  ...OLD,
  ciphers,
  ...(ciphers.startsWith('DHE') ? { dhparam: 'auto' } : {}),
});

describe('the key exchange of a handshake', () => {
  it.each([
    ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE', true],
    ['ECDHE-RSA-CHACHA20-POLY1305', 'ECDHE', true],
    ['ECDHE-RSA-AES128-SHA256', 'ECDHE', false],
    ['DHE-RSA-AES128-GCM-SHA256', 'DHE', false],
    ['AES128-GCM-SHA256', 'RSA', false],
  ])('with %s is %s, and lets browsers start early: %s', async (cipher, keyExchange, falseStart) => {
    const { result } = await shownBy(named(cipher));
    expect(result).toMatchObject({ ok: true, tls: { version: 'TLSv1.2', keyExchange, falseStart } });
    const codes = codesOf(result);
    expect(codes).toContain('tls12_full_handshake');
    expect(codes.includes('no_false_start')).toBe(!falseStart);
  });

  it('without ALPN keeps browsers waiting', async () => {
    const { result } = await shownBy({ maxVersion: 'TLSv1.2' });
    expect(result.tls).toMatchObject({ keyExchange: 'ECDHE', alpn: null, falseStart: false });
    expect(result.findings.find(({ code }) => code === 'no_false_start')?.evidence).toContain('no ALPN');
  });

  it('of TLS 1.3 needs no early start', async () => {
    const { result } = await shownBy({ ALPNProtocols: ['h2'] });
    expect(result.tls).toMatchObject({ version: 'TLSv1.3', keyExchange: 'ECDHE', falseStart: null });
    expect(result.tls?.flightBytes).toBeGreaterThan(result.tls?.certificate?.chainBytes ?? Number.NaN);
  });

  it('of a session of TLS 1.2 is that session alone', async () => {
    const { url, session } = await shownBy(OLD);
    const resumed = await probe(url, { settings: { caPem: root.certPem, http: false }, session: session ?? undefined });
    expect(resumed.result.tls).toMatchObject({
      resumed: true,
      keyExchange: 'PSK',
      falseStart: null,
      flightBytes: null,
    });
  });
});
