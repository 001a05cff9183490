import { describe, expect, it } from 'vitest';
import { shownText, shownUrl, unmaskedUrl } from '#server/access/secret-parameters.ts';
import { words } from '../support/words.ts';

// The process reads it once, at the first question.
process.env.ROUNDTRIP_SECRET_PARAMETERS = 'pin, Tenant_Ref, 密码';

describe('a URL as it is shown', () => {
  it.each([
    'token=S',
    'TOKEN=S',
    'access_token=S',
    'accessToken=S',
    'access%5Ftoken=S',
    '%74oken=S',
    'to\tken=S',
    ...words(`
      auth[token]=S api_key=S apikey=S apiKey=S API-Key=S userAPIKey=S key=S key2=S client_secret=S sig=S
      X-Amz-Signature=S X-Amz-Credential=S HTTPSig=S password=S passwd=S pwd=S auth=S code=S login_code=S JSESSIONID=S
      PHPSESSID=S connect.sid=S sign=S ticket=S appkey=S otp=S
    `),
    // By the setting: as words, too.
    'pin=S',
    'user-pin=S',
    'tenantRef=S',
    // To its end, whatever is in it.
    'token=S=S;S/S?S:S@S',
    'token=%53&token=S',
    // The fragment, and where semicolons part.
    '#access_token=S',
    'a=1;token=S',
    // An address inside, also one that is encoded more than once.
    'next=/home%3Ftoken%3DS',
    'next=%2Fhome%253Fa%253D1%2526token%253DS',
    'next=/home?token=S',
    'next=/home%3Ftoken%3DS%zz%ff',
    'params=token%3DS%26page%3D1',
    '%E5%AF%86%E7%A0%81=S',
    // JSON, however it is encoded, also where it parts.
    'q={"token":"S"}',
    'q=%7B%22page%22%3A1%2C%22access_token%22%20%3A%20%22S%22%7D',
    "q={'api_key':'S'}",
    'q=%257B%2522a%2522%253A%255B%257B%2522pin%2522%253A%2522S%2522%257D%255D%257D',
    'q={"body":"{\\\\"token\\\\":\\\\"S\\\\"}"}',
  ])('does not show the value: %s', (query) => {
    const shown = shownUrl(`https://shop.example/path?a=b&${query}&page=2`);
    expect(shown).not.toMatch(/S(?=[^\w-]|$)|%53|%3DS|%253DS/);
    expect(shown).toContain('=***');
    expect(shown).toMatch(/^https:\/\/shop\.example\/path\?a=b&.*page=2$/);
  });

  it.each(
    words(`
      monkey=S keyword=S author=S zipcode=S zip_code=S country_code=S design=S signal=S pinned=S encoded=S passenger=S
      q=token next=/home%3Fpage%3DS q={"monkey":"S","name":"token"}
      q=%7B%22name%22%3A%22auth%22%2C%22author%22%3A%22S%22%7D q="token" token broken=%zz q=***
    `),
  )('shows what is none: %s', (query) => {
    const url = `https://token.example/key=1/code?${query}&b=c#top`;
    expect(shownUrl(url)).toBe(url);
  });

  it.each([
    ['https://user:S@shop.example/a?b=c', 'https://***@shop.example/a?b=c'],
    ['//user@shop.example/', '//***@shop.example/'],
    ['https:\\\\user:S@shop.example/', 'https://***@shop.example/'],
    ['/login?token=S e"S', '/login?token=***'],
    ['?code=S', '?code=***'],
    ['/login/https%3A%2F%2Fa%2F%3Ftoken%3DS', '/login/***'],
    ['/login/%2Fhome%3Fa%3D1%26token%3DS/end?page=2#top', '/login/***/end?page=2#top'],
    ['/login/https%253A%252F%252Fa%252F%253Ftoken%253DS', '/login/***'],
    ['/login/x%3Ftoken=S', '/login/***'],
    ['x%3Ftoken%3DS', '***'],
    ['/?{"token":"S"}&a=b', '/?***&a=b'],
    ['/#{"token":"S"}', '/#***'],
    ['/?q={"a":"x&y","token":"S"}', '/?q={"a":"x&***'],
    ['/api/%7B%22token%22%3A%22S%22%7D/2', '/api/***/2'],
    ['/login/https%3A%2F%2Fa%2F%3Fpage%3D2', '/login/https%3A%2F%2Fa%2F%3Fpage%3D2'],
    ['/a%20b/key=1/token%3D1?page=2', '/a%20b/key=1/token%3D1?page=2'],
    ['/%7B%22monkey%22%3A1%7D', '/%7B%22monkey%22%3A1%7D'],
  ])('shows of a redirect to %s', (location, shown) => expect(shownUrl(location)).toBe(shown));

  it('is masked within a text, which goes on', () => {
    const text = 'at https://a.example/?token=S&b=1 "https://b.example/#key=S": no answer; key=value';
    expect(shownText(text)).toBe(
      'at https://a.example/?token=***&b=1 "https://b.example/#key=***": no answer; key=value',
    );
  });

  it('has no user name and password within a text', () => {
    const text = 'at https://user:S:S@S@a.example/@b, ftp://S@b.example and me@c.example: see //d';
    expect(shownText(text)).toBe('at https://***@a.example/@b, ftp://***@b.example and me@c.example: see //d');
  });

  it('is masked in paths and JSON of URLs within a text', () => {
    const text = 'at https://a.example/to/%2Fb%3Fkey%3DS/c?q=%7B%22token%22%3A%22S%22%7D: 50% of "token": 3; #1';
    expect(shownText(text)).toBe('at https://a.example/to/***/c?q=*** 50% of "token": 3; #1');
  });

  it('takes no time to speak of, however it is made', () => {
    const before = performance.now();
    for (const part of [...words(';a= ;a=+ %25 a%253D ? &= = ;a=%3Ba%253D " \\" %22'), '%22 ', '/%3Fa', '/'])
      shownUrl(`/?${part.repeat(2_000 / part.length)}token=S`);
    expect(performance.now() - before).toBeLessThan(500);
  });
});

describe('a URL that is given back', () => {
  const stored = 'https://shop.example/to/b%3Fkey%3DS?token=S&next=/a%3Fkey%3DS&q=***';

  it.each([
    ['as it is', stored],
    ['masked', shownUrl(stored)],
  ])('keeps the stored one: %s', (_, given) => expect(unmaskedUrl(given, stored)).toBe(stored));

  it.each([
    [shownUrl(stored).replace('shop', 'other'), stored],
    [shownUrl(stored), null],
    ['https://shop.example/?token=***', stored],
    ['https://shop.example/?token=%2A%2a%2A#top', null],
    ['https://shop.example/to/***/c', stored],
  ])('is refused with a mask that stands for nothing: %s', (given, known) => {
    expect(() => unmaskedUrl(given, known)).toThrow(/url holds the mask/);
  });

  it('replaces the stored one', () => {
    const given = 'https://shop.example/?token=other';
    expect([unmaskedUrl(given, stored), unmaskedUrl(given, null)]).toEqual([given, given]);
  });
});
