import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodableTarget, isAtHttps, plainTarget, prepareRequests } from '#server/http/arrival.ts';

describe('a request target', () => {
  it.each([
    ['/api/../login?a=..', '/login?a=..'],
    ['/_next/static/../../incidents', '/incidents'],
    ['/api/ingest/%2E%2e/v1/targets', '/api/v1/targets'],
    ['/api\\..\\login', '/login'],
    ['/./x/.', '/x/'],
    ['/../..', '/'],
  ])('is read as everybody behind reads it: %s', (target, plain) => {
    expect(plainTarget(target)).toBe(plain);
  });

  it.each(['/', '*', '//a//b/', '/a..b/.c', '/a%2fb', '/x?y=/../z', '/%zz'])('without dots stays: %s', (target) => {
    expect(plainTarget(target)).toBe(target);
  });

  it.each([
    ['/targets/%zz', '/targets/%25zz'],
    ['/results/%', '/results/%25'],
    ['/results/%E0%A4%A', '/results/%25E0%25A4%25A'],
    ['/targets/%ff?to=%20', '/targets/%25ff?to=%20'],
  ])('with a broken escape means the characters themselves: %s', (target, mended) => {
    expect(decodableTarget(target)).toBe(mended);
  });

  it.each(['/', '*', '/a%20b', '/%E4%BA%AC?q=%', '/a?b=%zz?c'])('that can be decoded stays as it is: %s', (target) => {
    expect(decodableTarget(target)).toBe(target);
  });

  it('can always be decoded afterwards, whatever came, and keeps its query', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (path, query) => {
        const [mended = '', ...rest] = decodableTarget(`/${path.replaceAll('?', '')}%?${query}`).split('?');
        expect(() => decodeURIComponent(mended)).not.toThrow();
        expect(rest.join('?')).toBe(query);
      }),
    );
  });
});

describe('the host of a request', () => {
  it.each([
    ['https://monitor.example.org', 'monitor.example.org'],
    ['https://monitor.example.org', 'Monitor.example.org:443'],
    ['https://monitor.example.org:8443/', 'monitor.example.org:8443'],
    ['https://[2001:db8::1]', '[2001:db8::1]'],
  ])('is reached over https where %s is public: %s', (publicUrl, host) => {
    expect(isAtHttps(publicUrl, host)).toBe(true);
  });

  it.each([
    ['https://monitor.example.org', 'monitor.example.org:80'],
    ['https://monitor.example.org', 'monitor.example.org:3000'],
    ['https://monitor.example.org:8443', 'monitor.example.org'],
    ['https://monitor.example.org', 'localhost'],
    ['https://monitor.example.org', ''],
    ['https://monitor.example.org', undefined],
    ['http://monitor.example.org', 'monitor.example.org'],
    [undefined, 'monitor.example.org'],
  ])('says nothing of https where %s is public: %s', (publicUrl, host) => {
    expect(isAtHttps(publicUrl, host)).toBe(false);
  });
});

describe('a server whose process mends escapes', () => {
  const server = createServer((request, response) => response.end(request.url));
  beforeAll(async () => {
    prepareRequests();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
  });

  it('sees a path that can be decoded', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.end('GET /targets/%zz?a=%20 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/\r\n\r\n.*\/targets\/%25zz\?a=%20/s);
  });
});
