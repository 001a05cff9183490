import { createServer as createTlsServer } from 'node:tls';
import { GeneralizedTime } from 'asn1js';
import * as pkijs from 'pkijs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ProbeSettings } from '#contract/target.ts';
import { toArrayBuffer } from '#probe/certificate/der.ts';
import { type Authority, createAuthority, issue, ocspResponse } from '../support/pki.ts';
import { type Listening, listen, probe } from '../support/probing.ts';

const engine = new pkijs.CryptoEngine({ name: 'node', crypto: globalThis.crypto });
const ALT_NAME = '2.5.29.17';
const [MAIL, DNS, URI] = [1, 2, 6] as const;
let root: Authority;
let server: Listening | null = null;

beforeAll(async () => {
  root = await createAuthority({ name: 'Odd root', key: 'ec' });
});
afterEach(async () => {
  await server?.close();
  server = null;
});

type Change = (certificate: pkijs.Certificate) => void;

/** Probes a server whose certificate was changed and signed anew by the root. */
async function probeChanged(
  change: Change,
  settings: Partial<ProbeSettings> = {},
  names = ['localhost'],
  after = (der: Buffer) => der,
) {
  const leaf = await issue(root, { names });
  const certificate = pkijs.Certificate.fromBER(toArrayBuffer(leaf.der));
  change(certificate);
  await certificate.sign(root.privateKey, 'SHA-256', engine);
  const der = after(Buffer.from(certificate.toSchema().toBER()));
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const tls = createTlsServer({ key: leaf.keyPem, cert });
  tls.on('tlsClientError', () => {});
  server = await listen(tls);
  const { result } = await probe(server.url, { settings: { caPem: root.certPem, http: false, ...settings } });
  return result;
}

const named = (values: string[]) => namedOf(values.map((value) => ({ type: DNS, value })));

const namedOf =
  (values: { type: typeof MAIL | typeof DNS | typeof URI; value: string }[]): Change =>
  (certificate) => {
    const names = values.map((value) => new pkijs.GeneralName(value));
    const extnValue = new pkijs.GeneralNames({ names }).toSchema().toBER();
    const others = certificate.extensions?.filter(({ extnID }) => extnID !== ALT_NAME) ?? [];
    certificate.extensions = [...others, new pkijs.Extension({ extnID: ALT_NAME, critical: false, extnValue })];
  };

const until =
  (text: string): Change =>
  ({ notAfter }) => {
    notAfter.type = pkijs.TimeType.GeneralizedTime;
    notAfter.value = new GeneralizedTime({ value: text }).toDate();
  };
const from =
  (date: Date): Change =>
  ({ notBefore }) => {
    notBefore.type = date.getUTCFullYear() >= 2050 ? pkijs.TimeType.GeneralizedTime : pkijs.TimeType.UTCTime;
    notBefore.value = date;
  };

describe('odd names', () => {
  it('a NUL does not end a name', async () => {
    const result = await probeChanged(named(['localhost\0.evil.example']));
    expect(result.failure?.reason).toBe('cert_name_mismatch');
    expect(result.tls?.certificate?.names.join()).not.toContain('\0');
    expect(result.tls?.certificate?.names.join()).toContain('localhost\\u0000.evil.example');
  });

  it('commas, quotes and line breaks make no further names', async () => {
    const result = await probeChanged(named(['a.example, DNS:localhost', 'b"c\nDNS:localhost']));
    expect(result.failure?.reason).toBe('cert_name_mismatch');
    expect(result.tls?.certificate?.names).toHaveLength(2);
  });

  it('a thousand and one names are listed up to the thousandth, and the right one still counts', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `host-${at}.example`);
    const result = await probeChanged(named([...many, 'localhost']));
    expect(result.ok).toBe(true);
    expect(result.tls?.certificate?.names).toHaveLength(1_000);
  });

  it.each([
    ['*.example.org', 'www.example.org', true],
    ['*.example.org', 'example.org', false],
    ['*.example.org', 'a.b.example.org', false],
    ['w*.example.org', 'www.example.org', false],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example', true],
    ['EXAMPLE.org', 'example.ORG', true],
    ['*.example.test', 'shop_one.example.test', true],
    ['*.my_shop.test', 'www.my_shop.test', true],
    ['*.EXAMPLE.test', '_.example.test', true],
    ['*.test', 'shop_one.test', false],
    ['*', 'localhost', false],
    ['shop_*.example.test', 'shop_one.example.test', false],
    ['*.*.example.test', 'a.b.example.test', false],
    ['', 'localhost', false],
  ])('%s fits %s: %s', async (pattern, sni, fits) => {
    const result = await probeChanged(named([pattern]), { sni });
    expect(result.failure?.reason ?? null).toBe(fits ? null : 'cert_name_mismatch');
  });

  it('a common name is no name: browsers have stopped reading it', async () => {
    const result = await probeChanged((certificate) => {
      certificate.extensions = certificate.extensions?.filter(({ extnID }) => extnID !== ALT_NAME);
    });
    expect(result.tls?.certificate).toMatchObject({ subject: 'CN=localhost', names: [] });
    expect(result.failure).toMatchObject({ reason: 'cert_name_mismatch' });
    expect(result.failure?.message).toContain('no subject alternative name');
  });

  it('mail addresses and URIs are no hosts, whatever they hold', async () => {
    const others = [
      { type: MAIL, value: 'localhost' },
      { type: MAIL, value: 'me@mail.example, DNS:localhost' },
      { type: URI, value: 'https://localhost/' },
    ];
    const without = await probeChanged(namedOf(others));
    expect(without.tls?.certificate?.names).toEqual([]);
    expect(without.failure?.reason).toBe('cert_name_mismatch');
    expect(without.failure?.message).toContain('for no host');
    await server?.close();
    const beside = await probeChanged(namedOf([...others, { type: DNS, value: 'shop.example' }]));
    expect(beside.tls?.certificate?.names).toEqual(['shop.example']);
    expect(beside.failure?.message).toContain('is not for localhost but for shop.example');
    await server?.close();
    const right = await probeChanged(namedOf([...others, { type: DNS, value: 'localhost' }]));
    expect(right).toMatchObject({ ok: true, tls: { certificate: { names: ['localhost'] } } });
  });

  it('an address is a name of its own', async () => {
    const result = await probeChanged(() => {}, { sni: '127.0.0.1' }, ['127.0.0.1', '::1']);
    expect(result.ok).toBe(true);
    expect(result.tls?.certificate?.names[0]).toBe('127.0.0.1');
  });
});

describe('odd dates', () => {
  it('no end at all is the end of the year 9999, and expires nothing', async () => {
    const result = await probeChanged(until('99991231235959Z'));
    expect(result.ok).toBe(true);
    expect(result.findings.map(({ code }) => code)).not.toContain('cert_expires_soon');
    expect(result.tls?.certificate?.notAfter).toBe('9999-12-31T23:59:59.000Z');
  });

  it('a beginning in 1950 is one', async () => {
    const result = await probeChanged(from(new Date('1950-01-01T00:00:00Z')));
    expect(result.ok).toBe(true);
    expect(result.tls?.certificate?.notBefore).toBe('1950-01-01T00:00:00.000Z');
  });

  it('a beginning in 2100 is not yet', async () => {
    const result = await probeChanged((certificate) => {
      from(new Date('2100-01-01T00:00:00Z'))(certificate);
      until('99991231235959Z')(certificate);
    });
    expect(result.failure?.reason).toBe('cert_not_yet_valid');
    expect(result.tls?.certificate?.notBefore).toBe('2100-01-01T00:00:00.000Z');
  });

  const END = '99991231235959Z';
  // Written into the finished certificate, since no Date has such a year: its signature is no longer right.
  it.each([
    ['00000101000000Z', null],
    ['00001231235959Z', null],
    ['00010101000000Z', '0001-01-01T00:00:00.000Z'],
    ['00991231235959Z', '0099-12-31T23:59:59.000Z'],
    ['20261399999999Z', null],
    ['not a date, atZ', null],
  ])('an end written %s is told as %s, and costs nothing else', async (written, told) => {
    const rewrite = (der: Buffer) => Buffer.from(der.toString('latin1').replace(END, written), 'latin1');
    const result = await probeChanged(until(END), { verify: false }, ['localhost'], rewrite);
    expect(result.tls?.certificate).toMatchObject({ notAfter: told, subject: 'CN=localhost', names: ['localhost'] });
    expect(result.tls?.certificate?.sent?.certificates[0]?.notAfter).toBe(told);
  });

  it('an end before the beginning is an end', async () => {
    const result = await probeChanged(until('19990101000000Z'));
    expect(result.failure?.reason).toBe('cert_expired');
  });
});

describe('odd staples', () => {
  async function staplePadded(pad: (response: Buffer) => Buffer) {
    const leaf = await issue(root, { names: ['localhost'], ocspUrl: 'http://ocsp.example/' });
    const response = pad(await ocspResponse(root, leaf));
    const tls = createTlsServer({ key: leaf.keyPem, cert: leaf.chainPem });
    tls.on('OCSPRequest', (_certificate, _issuer, answer) => answer(null, response));
    server = await listen(tls);
    const { result } = await probe(server.url, { settings: { caPem: root.certPem, http: false } });
    return result.tls?.staple;
  }

  it('a response with bytes behind it is malformed', async () => {
    expect(await staplePadded((good) => good)).toMatchObject({ status: 'good' });
    await server?.close();
    expect(await staplePadded((good) => Buffer.concat([good, Buffer.from([0])]))).toMatchObject({
      status: 'malformed',
    });
  });

  it('the largest that TLS can carry is read, and malformed where it is garbage', async () => {
    const staple = await staplePadded(() => Buffer.alloc(60_000, 0x30));
    expect(staple).toMatchObject({ status: 'malformed', bytes: 60_000, producedAt: null });
  });
});
