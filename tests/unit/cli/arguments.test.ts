import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { oneOf, resolveEntry, resolverAddress, serverName } from '#cli/probe/arguments.ts';
import { certificateFile, keyFile } from '#cli/probe/files.ts';
import { bodyText, expectedText, headerEntry, statusList } from '#cli/probe/request-arguments.ts';
import { MAX_REQUEST_HEADERS } from '#contract/target.ts';
import { prepareFolder } from '../../support/folder.ts';

const folder = prepareFolder('arguments');

function file(name: string, content: string | Buffer): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}

describe('--header', () => {
  it.each([
    ['Accept: text/html', { name: 'Accept', value: 'text/html' }],
    ['Accept:text/html', { name: 'Accept', value: 'text/html' }],
    ['X-Time: 12:30', { name: 'X-Time', value: '12:30' }],
    ['X-Empty;', { name: 'X-Empty', value: '' }],
  ])('reads %j as curl does', (text, header) => {
    expect(headerEntry(text)).toEqual([header]);
  });

  it('keeps those before it, the same name too, up to the limit', () => {
    const two = headerEntry('A: 2', headerEntry('A: 1'));
    expect(two.map(({ value }) => value)).toEqual(['1', '2']);
    const most = Array.from({ length: MAX_REQUEST_HEADERS }, () => ({ name: 'A', value: '' }));
    expect(headerEntry('A: 1', most.slice(1))).toHaveLength(MAX_REQUEST_HEADERS);
    expect(() => headerEntry('A: 1', most)).toThrow(`more than ${MAX_REQUEST_HEADERS}`);
  });

  it.each([
    ['no colon', /Name: value/],
    ['X-Empty:', /Name;/],
    ['A B: c', /name must be a header name/],
    ['Host: example.org', /name is a header that the probe sets by itself/],
    ['Content-Length: 3', /by itself/],
    ['A: b\nC: d', /Name: value|line break/],
    ['A: \ud83d', /value must not contain NUL or an unpaired surrogate/],
    ['A: b\u0007', /value must hold no line break or control character/],
  ])('refuses %j', (text, sentence) => {
    expect(() => headerEntry(text)).toThrow(sentence);
    expect(() => headerEntry(text)).toThrow(InvalidArgumentError);
  });
});

describe('--data', () => {
  it('is the text itself, or a file as it is', () => {
    expect(bodyText('a=1')).toBe('a=1');
    expect(bodyText(`@${file('body', 'line\r\n行\n')}`)).toBe('line\r\n行\n');
  });

  it('refuses a file that is missing, binary or too long', () => {
    expect(() => bodyText('@no/such/file')).toThrow('cannot be read');
    expect(() => bodyText(`@${file('binary', Buffer.from([0xff, 0xfe, 0x00]))}`)).toThrow('not UTF-8 text');
    expect(bodyText('x'.repeat(16_384))).toHaveLength(16_384);
    expect(() => bodyText('x'.repeat(16_385))).toThrow('longer than 16384');
  });
});

describe('--expect-status', () => {
  it('takes statuses, ranges and classes', () => {
    expect(statusList('200, 200-204,3XX')).toEqual(['200', '200-204', '3xx']);
  });
  it.each(['', '99', '600', '204-200', '2x', '200,,201', 'ok'])('refuses %j', (text) => {
    expect(() => statusList(text)).toThrow(InvalidArgumentError);
  });
});

it('--expect-text must hold something, and not too much', () => {
  expect(expectedText(' a ')).toBe(' a ');
  expect(() => expectedText('')).toThrow('1 to 1000');
  expect(() => expectedText('x'.repeat(1_001))).toThrow('1 to 1000');
});

describe('--resolver', () => {
  it.each(['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:53', '1.1.1.1:65535'])(
    'takes %s',
    (text) => {
      expect(resolverAddress(text)).toBe(text);
    },
  );
  it.each(['dns.example.org', '1.2.3', '1.2.3.4:0', '1.2.3.4:65536', '1.2.3.400', '[::1]', '::g', '1.2.3.4:', ''])(
    'refuses %j',
    (text) => {
      expect(() => resolverAddress(text)).toThrow(InvalidArgumentError);
    },
  );
});

describe('--sni', () => {
  it('takes a host name, an IDN too', () => {
    expect(serverName('WWW.example.org')).toBe('www.example.org');
    expect(serverName('münchen.example')).toBe('xn--mnchen-3ya.example');
  });
  it.each(['two words', 'a..b', '*', '-a.example', `${'a'.repeat(64)}.example`, ''])('refuses %j', (text) => {
    expect(() => serverName(text)).toThrow('host name');
  });
});

describe('--cert and --key', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  const key = '-----BEGIN EC PRIVATE KEY-----\nBBBB\n-----END EC PRIVATE KEY-----';

  it('may be one file, as for curl; no key is left among the certificates', () => {
    const both = file('both.pem', `${key}\n${certificate}\n${certificate}\n`);
    expect(certificateFile(both)).toEqual({ certPem: `${certificate}\n${certificate}\n`, keyPem: key });
    expect(keyFile(both)).toBe(key);
    expect(certificateFile(file('cert.pem', certificate)).keyPem).toBeNull();
  });

  it('say what is missing in a file', () => {
    expect(() => certificateFile(file('key.pem', key))).toThrow('no PEM certificate');
    expect(() => keyFile(file('only-cert.pem', certificate))).toThrow('no PEM private key');
  });
});

it('--resolve takes several addresses, and those in brackets', () => {
  expect(resolveEntry('+example.org:443:192.0.2.1,192.0.2.2')).toEqual([
    { host: 'example.org', port: 443, addresses: ['192.0.2.1', '192.0.2.2'] },
  ]);
  expect(resolveEntry('*:443:[2001:db8::1],192.0.2.1').at(-1)).toEqual({
    host: '*',
    port: 443,
    addresses: ['2001:db8::1', '192.0.2.1'],
  });
  expect(() => resolveEntry('example.org:443:192.0.2.1,nonsense')).toThrow('Address 2 of 2 is not an IP address');
  expect(() => resolveEntry('example.org:443:192.0.2.1,')).toThrow('Address 2 of 2');
  expect(() => resolveEntry(`example.org:443:${Array(17).fill('::1').join()}`)).toThrow('more than 16');
});

it('a choice is named in a sentence', () => {
  expect(() => oneOf('GET', 'HEAD', 'POST')('FETCH')).toThrow('It must be GET, HEAD or POST.');
  expect(oneOf('RSA', 'both')('BOTH')).toBe('both');
});
