import { describe, expect, it } from 'vitest';
import { settingFacts } from '#components/target/setting-facts.ts';
import { ProbeSettings, TargetCreate } from '#contract/target.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { targetInput, unknownSecretName } from '../../app/targets/form-values.ts';
import { words } from '../support/words.ts';

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  const checked = { 'settings.verify': 'on', 'settings.certificateCompression': 'on' };
  for (const [name, value] of Object.entries({ url: 'https://example.org/', ...checked, ...fields })) {
    form.append(name, value);
  }
  return form;
}

const UI: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'system' };
const settingsOf = (fields: Record<string, string>) => TargetCreate.parse(targetInput(formOf(fields))).settings;

describe("a target's form", () => {
  it('left as it is makes a target without settings', () => {
    expect(settingsOf({ 'settings.http': 'on' })).toEqual(ProbeSettings.parse({}));
  });

  it.each([
    ['example.org', 'https://example.org'],
    ['example.org:8443/a', 'https://example.org:8443/a'],
    [' https://example.org/ ', 'https://example.org/'],
  ])('completes what people type: %s', (url, completed) => {
    expect(TargetCreate.parse(targetInput(formOf({ url }))).url).toBe(completed);
  });

  it('refuses another scheme, and no URL at all', () => {
    for (const url of ['http://example.org', 'ftp://example.org', ''])
      expect(TargetCreate.safeParse(targetInput(formOf({ url }))).error?.issues[0]?.path).toEqual(['url']);
  });

  it('has one header a line, and keeps a body but for the line ends of HTTP', () => {
    const { request } = settingsOf({
      'settings.request.method': 'POST',
      'settings.request.headers': 'Accept: text/html\r\n\r\n X-Time : 12:30\r\nX-Empty:\r\nAccept: *',
      'settings.request.body': ' a\r\nb\r\n',
    });
    expect(request.headers).toEqual([
      { name: 'Accept', value: 'text/html' },
      { name: 'X-Time', value: '12:30' },
      { name: 'X-Empty', value: '' },
      { name: 'Accept', value: '*' },
    ]);
    expect(request).toMatchObject({ method: 'POST', body: ' a\nb\n' });
  });

  it('marks the headers that are named as secret, and says which name no header has', () => {
    const headers = 'X-Pin: 1\r\nX-Account: 2\r\nAccept: *\r\nx-pin: 3';
    const form = (names: string) =>
      ({ 'settings.request.headers': headers, 'settings.request.secretHeaders': names }) as const;
    const marked = settingsOf(form(' x-PIN，X-Account, ')).request.headers;
    expect(marked.map(({ secret }) => secret)).toEqual([true, true, undefined, true]);
    expect(settingsOf(form('')).request.headers.some((header) => 'secret' in header)).toBe(false);
    expect(unknownSecretName(formOf(form('X-Pin X-Acount')))).toBe('x-acount');
    expect(unknownSecretName(formOf(form('X-Pin')))).toBeUndefined();
  });

  it('has a second request and a compressed body where they are wanted, and leaves them out elsewhere', () => {
    const wanted = settingsOf({ 'settings.reuse': 'on', 'settings.compression': 'on' });
    expect(wanted).toMatchObject({ reuse: true, compression: true });
    expect(Object.keys(settingsOf({}))).not.toContain('reuse');
  });

  it('offers certificate compression unless that is unchecked, which is a fact of its own', () => {
    expect(Object.keys(settingsOf({}))).not.toContain('certificateCompression');
    const form = formOf({});
    form.delete('settings.certificateCompression');
    const { settings } = TargetCreate.parse(targetInput(form));
    expect(settings.certificateCompression).toBe(false);
    expect(settingFacts(UI, settings)).toContainEqual({
      group: 'tls',
      term: 'Certificate compression',
      value: 'not offered',
    });
  });

  it('refuses a header line without a colon', () => {
    const parsed = TargetCreate.safeParse(targetInput(formOf({ 'settings.request.headers': 'A: b\nnonsense' })));
    expect(parsed.error?.issues[0]?.path.join('.')).toBe('settings.request.headers.1.name');
  });

  it('looks for text exactly as it was typed', () => {
    const typed = { 'settings.expect.bodyContains': ' two\r\nlines ', 'settings.expect.bodyLacks': '' };
    expect(settingsOf(typed).expect).toMatchObject({ bodyContains: ' two\nlines ', bodyLacks: null });
  });

  it('takes statuses apart at commas and spaces', () => {
    expect(settingsOf({ 'settings.expect.status': ' 200,201 3xx ' }).expect.status).toEqual(['200', '201', '3xx']);
  });

  it('lets both kinds of certificate win over a pinned one', () => {
    expect(settingsOf({ 'settings.bothKinds': 'on', 'settings.sigalgs': 'RSA' }).sigalgs).toBe('both');
    expect(settingsOf({ 'settings.sigalgs': 'RSA' }).sigalgs).toBe('RSA');
  });

  it('tells a certificate whose key is to stay from none, and leaves a lonely key to be refused', () => {
    const [cert, key] = ['settings.clientCertificate.certPem', 'settings.clientCertificate.keyPem'];
    expect(settingsOf({ [cert]: '', [key]: '' }).clientCertificate).toBeNull();
    expect(settingsOf({ [cert]: 'PEM\r\n', [key]: '' }).clientCertificate).toEqual({ certPem: 'PEM', keyPem: null });
    expect(settingsOf({ [cert]: '', [key]: 'KEY' }).clientCertificate).toEqual({ certPem: '', keyPem: 'KEY' });
  });
});

describe('the list of settings', () => {
  const facts = (settings: object) => settingFacts(UI, ProbeSettings.parse(settings));

  it('is empty for a target without settings', () => {
    expect(facts({})).toEqual([]);
  });

  it('names what is out of the ordinary, in its group, and no body', () => {
    const found = facts({
      verify: false,
      timeouts: { tls: 4_000 },
      request: { method: 'POST', headers: [{ name: 'A', value: 'b' }], body: 'password' },
      expect: { status: ['2xx'] },
      resume: true,
      reuse: true,
      compression: true,
      sigalgs: 'both',
    });
    expect(found.map(({ group }) => group)).toEqual(words('tls network request request request request answer pairs'));
    expect(found.map(({ value }) => value)).toEqual(expect.arrayContaining(['TLS 4,000 ms', 'POST', 'A: b', '2xx']));
    expect(JSON.stringify(found)).not.toContain('password');
  });
});
