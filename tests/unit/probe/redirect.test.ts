import { describe, expect, it } from 'vitest';
import type { ResultHttp } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { redirectTarget, settingsForRedirect } from '#probe/http/redirect.ts';

const HERE = 'https://shop.example/cart?id=1';

function answered(status: number, location: string | null, url = HERE): { url: string; http: ResultHttp } {
  const sizes = { bytes: 0, firstRecordBytes: null, maxRecordBytes: null, records: null };
  return { url, http: { version: '2', status, server: null, location, ...sizes } };
}

describe('where a redirect leads', () => {
  it.each([
    ['https://other.example/x', 'https://other.example/x'],
    ['/login', 'https://shop.example/login'],
    ['?id=2', 'https://shop.example/cart?id=2'],
    ['//cdn.example', 'https://cdn.example/'],
    ['https://other.example/#part', 'https://other.example/'],
    ['/登录', 'https://shop.example/%E7%99%BB%E5%BD%95'],
    ['http://shop.example/', null],
    ['ftp://shop.example/', null],
    ['https://user:pass@shop.example/', null],
    ['https://', null],
    [`/${'x'.repeat(1_999)}`, null],
    [null, null],
  ])('%s: %s', (location, target) => {
    expect(redirectTarget(answered(302, location))).toBe(target);
  });

  it.each([200, 300, 304, 404])('is nowhere after status %d', (status) => {
    expect(redirectTarget(answered(status, '/login'))).toBeNull();
    expect(redirectTarget({ url: HERE, http: null })).toBeNull();
  });
});

describe('the settings that go along', () => {
  const headers = [
    { name: 'Authorization', value: 'Bearer secret' },
    { name: 'Cookie', value: 'session=secret' },
    { name: 'X-Api-Key', value: 'secret' },
    { name: 'Accept-Language', value: 'zh-CN' },
    { name: 'User-Agent', value: 'secret', secret: true },
    { name: 'Content-Type', value: 'text/plain' },
  ];
  const settings = ProbeSettings.parse({
    address: '192.0.2.7',
    sni: 'inner.example',
    clientCertificate: { certPem: 'cert', keyPem: 'secret' },
    request: { method: 'POST', headers, body: 'secret' },
    expect: { bodyContains: 'hello' },
  });

  it('hold no secret for another origin', () => {
    for (const to of ['https://evil.example/', 'https://shop.example:8443/', 'https://sub.shop.example/']) {
      for (const status of [301, 303, 307, 308]) {
        const next = settingsForRedirect(settings, answered(status, to), to);
        expect(JSON.stringify(next)).not.toContain('secret');
        expect(next.clientCertificate).toBeNull();
        expect(next.request).toMatchObject({ method: 'GET', headers: [headers[3]] });
        expect(next.expect).toEqual(settings.expect);
      }
    }
  });

  it('keep address and name for another port of the host, and for no other host', () => {
    const port = settingsForRedirect(settings, answered(301, ''), 'https://shop.example:8443/');
    expect(port).toMatchObject({ address: '192.0.2.7', sni: 'inner.example' });
    const host = settingsForRedirect(settings, answered(301, ''), 'https://www.shop.example/');
    expect(host).toMatchObject({ address: null, sni: null });
  });

  it('stay as they are within the origin, and the method follows the status', () => {
    const to = 'https://shop.example/login';
    const kept = settingsForRedirect(settings, answered(307, to), to);
    expect(kept).toEqual(settings);
    const { request, clientCertificate } = settingsForRedirect(settings, answered(302, to), to);
    expect(clientCertificate).toEqual(settings.clientCertificate);
    expect(request).toEqual({ method: 'GET', headers: headers.slice(0, 5), body: null });
    const head = { ...settings, request: { ...settings.request, method: 'HEAD' as const } };
    expect(settingsForRedirect(head, answered(302, to), to).request.method).toBe('HEAD');
  });
});
