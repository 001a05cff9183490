import { describe, expect, it } from 'vitest';
import { type ProbeOptions, planOf } from '#cli/probe/plan.ts';
import { ProbeSettings } from '#contract/target.ts';
import { createAuthority, issue } from '../../support/pki.ts';

const URL = 'https://example.org/';
const plain: ProbeOptions = {
  count: 1,
  threads: 1,
  json: true,
  explain: false,
  resume: false,
  insecure: false,
  http: true,
};
const settings = (options: Partial<ProbeOptions>) => planOf(URL, { ...plain, ...options }).settings;

describe('a plan', () => {
  it('without options has the settings of a target without settings', () => {
    expect(settings({})).toEqual(ProbeSettings.parse({}));
  });

  it('carries every choice', () => {
    const chosen = settings({
      tls: '1.3',
      alpn: ['h2'],
      sigalgs: 'both',
      resume: true,
      reuse: true,
      sni: 'www.example.org',
      family: '6',
      resolver: '192.0.2.53:5353',
      insecure: true,
      method: 'PUT',
      header: [{ name: 'A', value: 'b' }],
      data: 'body',
      expectStatus: ['2xx'],
      expectText: 'yes',
      expectNoText: 'no',
      redirects: 4,
    });
    expect(chosen).toEqual({
      ...ProbeSettings.parse({}),
      tlsVersion: '1.3',
      alpn: ['h2'],
      sigalgs: 'both',
      resume: true,
      reuse: true,
      sni: 'www.example.org',
      family: 6,
      resolver: '192.0.2.53:5353',
      verify: false,
      request: { method: 'PUT', headers: [{ name: 'A', value: 'b' }], body: 'body' },
      expect: { status: ['2xx'], bodyContains: 'yes', bodyLacks: 'no' },
      redirects: 4,
    });
  });

  it('posts a body where no method is named, as curl does', () => {
    expect(settings({ data: 'a=1' }).request).toMatchObject({ method: 'POST', body: 'a=1' });
    expect(settings({ data: 'a=1', method: 'GET' }).request.method).toBe('GET');
  });

  it.each([
    ['--method', { method: 'GET' }],
    ['--header', { header: [] }],
    ['--data', { data: '' }],
    ['--expect-status', { expectStatus: ['200'] }],
    ['--expect-text', { expectText: 'x' }],
    ['--expect-no-text', { expectNoText: 'x' }],
    ['--reuse', { reuse: true }],
    ['--compressed', { compressed: true }],
    ['--redirects', { redirects: 0 }],
  ] satisfies [string, Partial<ProbeOptions>][])('refuses %s where nothing is sent', (option, given) => {
    expect(() => settings({ ...given, http: false })).toThrow(`option '${option}' has no effect`);
  });

  it('refuses a text in the answer to HEAD', () => {
    expect(() => settings({ method: 'HEAD', expectText: 'x' })).toThrow("option '--expect-text' cannot be checked");
  });
});

describe('a client certificate', () => {
  it('is taken with the key of --key, or the one beside it', async () => {
    const root = await createAuthority({ name: 'Plan root', key: 'ec' });
    const { certPem, keyPem } = await issue(root, { names: ['me'], client: true });
    expect(settings({ cert: { certPem, keyPem } }).clientCertificate).toEqual({ certPem, keyPem });
    expect(settings({ cert: { certPem, keyPem: null }, key: keyPem }).clientCertificate).toEqual({ certPem, keyPem });
    expect(() => settings({ cert: { certPem, keyPem: null } })).toThrow("'--cert' needs the key");
    expect(() => settings({ key: keyPem })).toThrow("'--key' needs the certificate");
    const other = await issue(root, { names: ['other'], client: true });
    expect(() => settings({ cert: { certPem, keyPem }, key: other.keyPem })).toThrow('(--key) does not belong');
  });

  it('of one kind does not go with the other kind pinned, nor with both', async () => {
    const root = await createAuthority({ name: 'Plan root', key: 'ec' });
    const { certPem, keyPem } = await issue(root, { names: ['me'], client: true });
    expect(settings({ cert: { certPem, keyPem }, sigalgs: 'ECDSA' }).sigalgs).toBe('ECDSA');
    for (const sigalgs of ['RSA', 'both'] as const) {
      expect(() => settings({ cert: { certPem, keyPem }, sigalgs })).toThrow('pinned to RSA (--sigalgs)');
    }
  });
});
