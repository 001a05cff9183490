import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { addTargets } from '#cli/start/targets.ts';
import type { Assignments } from '#contract/check.ts';
import type { EnrolResponse } from '#contract/ingest.ts';
import type { Problem } from '#contract/problem.ts';
import type { ClientCertificate, Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { openSettings } from '#server/targets/secrets.ts';
import { type Answer, asker } from '../support/openapi.ts';
import { createAuthority, type Issued, issue } from '../support/pki.ts';
import { prepareApi } from '../support/prepare.ts';

let ours: Issued;
let other: Issued;
let caPem: string;
process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
const api = prepareApi({ ROUNDTRIP_PUBLIC_DASHBOARD: '1' });
beforeAll(async () => {
  const root = await createAuthority({ name: 'Settings root', key: 'ec' });
  ours = await issue(root, { names: ['prober.example'], client: true });
  other = await issue(root, { names: ['other.example'], client: true });
  caPem = root.certPem;
});

type Settings = Record<string, unknown>;
let made = 0;
const post = (settings: Settings) => {
  made += 1;
  return api.ask('POST', '/api/v1/targets', { body: { url: `https://settings${made}.example.org/`, settings } });
};
const create = async (settings: Settings) => {
  const answer = await post(settings);
  expect(answer.text).toMatch(/^\{"id"/);
  return answer.json as Target;
};
const patch = (id: string, settings: Settings) => api.ask('PATCH', `/api/v1/targets/${id}`, { body: { settings } });
const fieldsOf = (answer: Answer) => (answer.json as Problem).errors?.map(({ field }) => field);
const stored = async (id: string) => openSettings(await getPrisma().target.findUniqueOrThrow({ where: { id } }));
/** A vantage with a prober: its id, and the check of a target that its prober is given. */
async function enrolled(options: { mayHoldSecrets?: boolean } = {}) {
  const place = { name: `Settings ${made}`, region: 'CN-GD', carrier: 'telecom', ...options };
  const { token, vantage } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
  const { credential } = (
    await asker(api.server.baseUrl)('POST', '/api/ingest/enrol', { body: { token, engineVersion: 1 } })
  ).json as Required<EnrolResponse>;
  const assignments = async (since = '') =>
    (await asker(api.server.baseUrl, credential)('GET', `/api/ingest/assignments${since}`)).json as Assignments;
  const check = async (id: string) => (await assignments()).checks.find(({ targetId }) => targetId === id);
  return { vantage, check, assignments };
}

const identity = ({ certPem, keyPem }: Issued): ClientCertificate => ({ certPem, keyPem });

describe('the settings of a target', () => {
  it('come back as they were given, all of them', async () => {
    const settings = {
      alpn: ['http/1.1'],
      tlsVersion: '1.3',
      sigalgs: 'ECDSA',
      resume: true,
      sni: 'www.example.org',
      family: 6,
      address: '2606:4700::1111',
      resolver: '[2606:4700::1111]:5353',
      verify: false,
      http: true,
      caPem,
      request: {
        method: 'POST',
        headers: [
          { name: 'X-Shop', value: 'one' },
          { name: 'x-shop', value: 'two' },
          { name: 'Accept', value: '' },
        ],
        body: '{"a": 1}\n',
      },
      expect: { status: ['200-204', '3xx'], bodyContains: 'ok', bodyLacks: 'error' },
      redirects: 3,
      timeouts: { dns: 1_000, tcp: 1_000, tls: 1_000, firstByte: 1_000, download: 1_000 },
    };
    const target = await create({ ...settings, clientCertificate: identity(ours) });
    expect(target.settings).toMatchObject(settings);
    expect((await api.ask('GET', `/api/v1/targets/${target.id}`)).json).toEqual(target);
    expect(await stored(target.id)).toMatchObject({ ...settings, clientCertificate: identity(ours) });
  });

  it.each([
    ['a resolver with a port too high', { resolver: '9.9.9.9:99999' }, 'settings.resolver'],
    ['a resolver that is no address', { resolver: '999.1.1.1:53' }, 'settings.resolver'],
    ['a private resolver', { resolver: '192.168.1.1:53' }, 'settings.resolver'],
    ['a loopback resolver of IPv6', { resolver: '[::1]:53' }, 'settings.resolver'],
    ['a server name that is none', { sni: 'two words' }, 'settings.sni'],
    ['a status that is none', { expect: { status: ['2xx', '600'] } }, 'settings.expect.status.1'],
    ['a range of statuses upside down', { expect: { status: ['204-200'] } }, 'settings.expect.status.0'],
    ['an empty text', { expect: { bodyContains: '' } }, 'settings.expect.bodyContains'],
    [
      'a text in the answer to HEAD',
      { request: { method: 'HEAD' }, expect: { bodyContains: 'x' } },
      'settings.expect.bodyContains',
    ],
    ['a method that is none', { request: { method: 'CONNECT' } }, 'settings.request.method'],
    [
      'a header with a line break',
      { request: { headers: [{ name: 'A', value: 'b\r\nC: d' }] } },
      'settings.request.headers.0.value',
    ],
    [
      'a header name with a space',
      { request: { headers: [{ name: 'A B', value: 'c' }] } },
      'settings.request.headers.0.name',
    ],
    [
      'a header of the connection',
      { request: { headers: [{ name: 'Host', value: 'c' }] } },
      'settings.request.headers.0.name',
    ],
    [
      'a mask without a value',
      { request: { headers: [{ name: 'Cookie', value: '***' }] } },
      'settings.request.headers.0.value',
    ],
    ['a body too long', { request: { body: 'x'.repeat(16_385) } }, 'settings.request.body'],
    ['too many redirects', { redirects: 11 }, 'settings.redirects'],
  ])('are refused with the field named: %s', async (_, settings, field) => {
    const before = await getPrisma().target.count();
    const answer = await post(settings);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
    expect(await getPrisma().target.count()).toBe(before);
  });

  it('are refused with all that is wrong at once', async () => {
    const answer = await post({ sni: 'two words', caPem: 'roots', clientCertificate: { certPem: 'me', keyPem: null } });
    expect(fieldsOf(answer)).toEqual(['settings.sni', 'settings.caPem', 'settings.clientCertificate.certPem']);
  });
});

describe('a client certificate', () => {
  it('is shown, its key to nobody but the prober', async () => {
    const target = await create({ clientCertificate: identity(ours) });
    expect(target.settings.clientCertificate).toEqual({ certPem: ours.certPem, keyPem: null });
    const secret = ours.keyPem.split('\n')[1] ?? 'nothing';
    for (const key of Object.values(api.keys)) {
      for (const path of [`/api/v1/targets/${target.id}`, '/api/v1/targets', '/api/v1/openapi.json', '/metrics']) {
        expect((await api.ask('GET', path, { key })).text).not.toContain(secret);
      }
    }
    const { check } = await enrolled({ mayHoldSecrets: true });
    expect((await check(target.id))?.settings.clientCertificate).toEqual(identity(ours));
  });

  it('keeps its key through a change that gives it back as it was read', async () => {
    const { id, settings } = await create({ clientCertificate: identity(ours) });
    const changed = await patch(id, { ...settings, tlsVersion: '1.3' });
    expect(changed.json).toMatchObject({ settings: { tlsVersion: '1.3', clientCertificate: { keyPem: null } } });
    // A form sends the ends of lines that HTTP likes.
    const fromForm = { certPem: ours.certPem.trim().replaceAll('\n', '\r\n'), keyPem: null };
    expect((await patch(id, { clientCertificate: fromForm })).status).toBe(200);
    expect((await stored(id))?.clientCertificate).toEqual(identity(ours));
  });

  it('is replaced with its key, and taken off', async () => {
    const { id } = await create({ clientCertificate: identity(ours) });
    expect((await patch(id, { clientCertificate: identity(other) })).status).toBe(200);
    expect((await stored(id))?.clientCertificate).toEqual(identity(other));
    expect((await patch(id, {})).status).toBe(200);
    expect((await stored(id))?.clientCertificate).toBeNull();
  });

  it('with another certificate needs another key', async () => {
    const { id } = await create({ clientCertificate: identity(ours) });
    const answer = await patch(id, { clientCertificate: { certPem: other.certPem, keyPem: null } });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['settings.clientCertificate.keyPem']]);
    expect((await stored(id))?.clientCertificate).toEqual(identity(ours));
  });

  const encrypted = () =>
    String(
      createPrivateKey(ours.keyPem).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    );

  it.each([
    ['no key', () => ({ ...identity(ours), keyPem: null }), 'keyPem'],
    ['the key of another', () => ({ ...identity(ours), keyPem: other.keyPem }), 'keyPem'],
    ['a key under a passphrase', () => ({ ...identity(ours), keyPem: encrypted() }), 'keyPem'],
    ['a key that is none', () => ({ ...identity(ours), keyPem: 'secret' }), 'keyPem'],
    ['a certificate that is none', () => ({ ...identity(ours), certPem: 'me' }), 'certPem'],
    ['a key among the certificates', () => ({ ...identity(ours), certPem: ours.certPem + ours.keyPem }), 'certPem'],
  ])('is refused with the part named and no word of the key: %s', async (_, certificate, part) => {
    const answer = await post({ clientCertificate: certificate() });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [`settings.clientCertificate.${part}`]]);
    expect(answer.text).not.toContain(ours.keyPem.split('\n')[1]);
  });

  it.each(['RSA', 'both'])('of one kind does not go with %s', async (sigalgs) => {
    expect(fieldsOf(await post({ clientCertificate: identity(ours), sigalgs }))).toEqual(['settings.sigalgs']);
    expect((await create({ sigalgs })).settings.sigalgs).toBe(sigalgs);
  });

  it('belongs not among the trusted roots, with its key', async () => {
    expect(fieldsOf(await post({ caPem: caPem + ours.keyPem }))).toEqual(['settings.caPem']);
  });
});

describe('secret parameters of a URL', () => {
  const url = 'https://parameters.example.org/?token=t0ken&page=1';
  const shown = url.replace('t0ken', '***');

  it('are shown to who may write, and kept where the mask comes back', async () => {
    const { id } = (await api.ask('POST', '/api/v1/targets', { body: { url } })).json as Target;
    const read = async (key: string) => ((await api.ask('GET', `/api/v1/targets/${id}`, { key })).json as Target).url;
    expect(await read(api.keys.read)).toBe(shown);
    expect([await read(api.keys.write), await read(api.keys.admin)]).toEqual([url, url]);
    const change = (body: object) => api.ask('PATCH', `/api/v1/targets/${id}`, { key: api.keys.write, body });
    expect((await change({ url: shown, name: 'renamed' })).json).toMatchObject({ url, name: 'renamed' });
    const refused = await change({ url: shown.replace('page=1', 'page=2') });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['url']]);
    expect(refused.text).toContain('holds the mask of a value');
    expect(fieldsOf(await api.ask('POST', '/api/v1/targets', { body: { url: shown } }))).toEqual(['url']);
    expect((await change({ url: url.replace('t0ken', 'other') })).status).toBe(200);
    expect(await read(api.keys.write)).toBe(url.replace('t0ken', 'other'));
  });

  it('do not keep a target of the command line from being known at the next start', async () => {
    const given = [url.replace('parameters', 'start')];
    expect([await addTargets(given), await addTargets(given)]).toEqual([1, 0]);
  });
});

describe('secrets in the request', () => {
  const request = {
    method: 'POST',
    headers: [
      { name: 'Authorization', value: 'Bearer s3cret' },
      { name: 'Cookie', value: 'a=s3cret' },
      { name: 'Cookie', value: 'b=s3cret' },
      { name: 'X-Api-Key', value: 's3cret' },
      { name: 'X-Shop', value: 'sh0p' },
      { name: 'Accept', value: 'text/html' },
    ],
    body: 'password=b0dy',
  };
  const read = async (id: string, key: string) =>
    (await api.ask('GET', `/api/v1/targets/${id}`, { key })).json as Target;
  const values = ({ settings }: Target) => settings.request.headers.map(({ value }) => value);

  it('are shown to nobody, the rest to those who may change it', async () => {
    const target = await create({ request });
    const editors = [target, await read(target.id, api.keys.write), await read(target.id, api.keys.admin)];
    for (const seen of editors) {
      expect(values(seen)).toEqual(['***', '***', '***', '***', 'sh0p', 'text/html']);
      expect(seen.settings.request.body).toBe(request.body);
    }
    const reader = await read(target.id, api.keys.read);
    expect(values(reader)).toEqual(['***', '***', '***', '***', '***', 'text/html']);
    expect(reader.settings.request.body).toBe('***');
    const listed = await api.ask('GET', '/api/v1/targets?limit=1000', { key: api.keys.read });
    expect(listed.text).not.toMatch(/s3cret|b0dy|sh0p/);
  });

  it('are sealed in the database, and go to vantages that may hold them alone', async () => {
    const target = await create({ request, clientCertificate: identity(ours) });
    const plain = await create({ request: { headers: [{ name: 'X-Shop', value: 'one' }] } });
    const clear = new RegExp(`s3cret|b0dy|${ours.keyPem.split('\n')[1]?.slice(0, 20).replaceAll('+', '\\+')}`);
    const { rows } = await getPool().query<{ row: string }>('select row_to_json(target)::text as row from target');
    expect(rows.filter(({ row }) => clear.test(row))).toEqual([]);
    const { vantage, check, assignments } = await enrolled();
    expect(vantage.mayHoldSecrets).toBe(false);
    const before = await assignments();
    expect(JSON.stringify(before)).not.toMatch(clear);
    expect([await check(target.id), (await check(plain.id))?.targetId]).toEqual([undefined, plain.id]);
    // Why stands on the target's page: the names of vantages for the administrator alone.
    const page = async () => await (await fetch(`${api.server.baseUrl}/targets/${target.id}`)).text();
    expect(await page()).toContain('The settings hold secrets.');
    expect(await page()).not.toMatch(clear);
    const mark = (mayHoldSecrets: boolean) =>
      api.ask('PATCH', `/api/v1/vantages/${vantage.id}`, { body: { mayHoldSecrets } });
    expect((await mark(true)).json).toMatchObject({ mayHoldSecrets: true });
    const marked = await assignments(`?since=${before.revision}`);
    expect(marked.checks.find(({ targetId }) => targetId === target.id)?.settings).toMatchObject({
      request,
      clientCertificate: identity(ours),
    });
    expect((await mark(false)).status).toBe(200);
    const id = marked.checks.find(({ targetId }) => targetId === target.id)?.id;
    expect((await assignments(`?since=${marked.revision}`)).removed).toContain(id);
    // A target that gets its first secret leaves the vantage, too.
    expect((await patch(plain.id, { request: { headers: [{ name: 'Cookie', value: 's3cret' }] } })).status).toBe(200);
    expect(await check(plain.id)).toBeUndefined();
  });

  it('cannot be had by a key that may not read them, with a prober of its own', async () => {
    const key = api.keys.write;
    const place = { name: 'Taken', region: 'CN-GD', carrier: 'telecom' };
    const { vantage: marked } = await enrolled({ mayHoldSecrets: true });
    const { vantage: plain } = await enrolled();
    const refused = await Promise.all([
      api.ask('POST', '/api/v1/enrolments', { body: { ...place, mayHoldSecrets: true }, key }),
      api.ask('PATCH', `/api/v1/vantages/${plain.id}`, { body: { mayHoldSecrets: true }, key }),
      api.ask('POST', `/api/v1/vantages/${marked.id}/enrolments`, { body: {}, key }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    const { rows } = await getPool().query(
      `select count(*) filter (where name = 'Taken')::int as taken, bool_or(may_hold_secrets) filter (where id = $1) as marked
         from vantage`,
      [plain.id],
    );
    expect(rows).toEqual([{ taken: 0, marked: false }]);
    const allowed = await Promise.all([
      api.ask('POST', '/api/v1/enrolments', { body: place, key }),
      api.ask('PATCH', `/api/v1/vantages/${plain.id}`, { body: { name: 'renamed' }, key }),
      api.ask('PATCH', `/api/v1/vantages/${marked.id}`, { body: { mayHoldSecrets: false }, key }),
      api.ask('POST', `/api/v1/vantages/${plain.id}/enrolments`, { body: {}, key }),
    ]);
    expect(allowed.map(({ status }) => status)).toEqual([201, 200, 200, 201]);
  });

  it('cannot be had by a token that such a key made before the vantage was marked, or just then', async () => {
    const { vantage } = await enrolled();
    const renew = () => api.ask('POST', `/api/v1/vantages/${vantage.id}/enrolments`, { body: {}, key: api.keys.write });
    const before = await renew();
    expect(before.status).toBe(201);
    const marking = api.ask('PATCH', `/api/v1/vantages/${vantage.id}`, { body: { mayHoldSecrets: true } });
    const during = await Promise.all(Array.from({ length: 20 }, renew));
    expect((await marking).json).toMatchObject({ mayHoldSecrets: true });
    for (const { status, json } of [before, ...during]) {
      expect([201, 403]).toContain(status);
      const { token } = json as { token?: string };
      if (token) expect((await api.ask('POST', '/api/ingest/enrol', { body: { token } })).status).toBe(401);
    }
    expect((await renew()).status).toBe(403);
  });

  it('that were sealed with another ROUNDTRIP_SECRET are not probed with, and can be given again', async () => {
    const target = await create({ request });
    const { check } = await enrolled({ mayHoldSecrets: true });
    expect((await check(target.id))?.settings.request).toEqual(request);
    await getPrisma().target.update({ where: { id: target.id }, data: { secrets: `v1.${'A'.repeat(80)}` } });
    expect(await check(target.id)).toBeUndefined();
    expect(values(await read(target.id, api.keys.admin))).toEqual(['***', '***', '***', '***', 'sh0p', 'text/html']);
    const change = (body: object) => api.ask('PATCH', `/api/v1/targets/${target.id}`, { body });
    expect((await change({ name: 'renamed' })).status).toBe(200);
    expect((await change({ url: 'https://elsewhere.example/' })).status).toBe(400);
    expect(fieldsOf(await patch(target.id, target.settings))).toEqual(['settings.request.headers.0.value']);
    expect((await patch(target.id, { request })).status).toBe(200);
    expect((await check(target.id))?.settings.request).toEqual(request);
  });

  it('stay as they are where the mask comes back, each in its place', async () => {
    const { id } = await create({ request });
    const { settings } = await read(id, api.keys.read);
    const [, first, second] = settings.request.headers;
    expect((await patch(id, { ...settings, redirects: 1 })).status).toBe(200);
    expect((await stored(id))?.request).toEqual(request);
    expect((await patch(id, { request: { headers: [first, { ...second, value: 'c=1' }] } })).status).toBe(200);
    expect((await stored(id))?.request).toMatchObject({
      headers: [{ value: 'a=s3cret' }, { value: 'c=1' }],
      body: null,
    });
    const third = await patch(id, { request: { headers: [first, second, second] } });
    expect(fieldsOf(third)).toEqual(['settings.request.headers.2.value']);
    expect(fieldsOf(await patch(id, { request: { body: '***' } }))).toEqual(['settings.request.body']);
  });

  it('are headers that are marked so, like those that are by their name', async () => {
    const pin = { name: 'X-Pin', value: '0000', secret: true };
    const headers = [pin, { name: 'x-pin', value: 'open' }, { name: 'Accept', value: 'p1n/0000', secret: true }];
    const { id } = await create({ request: { headers } });
    for (const key of Object.values(api.keys)) {
      const seen = await read(id, key);
      const open = key === api.keys.read ? '***' : 'open';
      expect(seen.settings.request.headers).toEqual([
        { ...pin, value: '***' },
        { name: 'x-pin', value: open },
        { name: 'Accept', value: '***', secret: true },
      ]);
    }
    const { settings: atRest } = await getPrisma().target.findUniqueOrThrow({ where: { id } });
    expect(JSON.stringify(atRest)).not.toContain('0000');
    const may = await enrolled({ mayHoldSecrets: true });
    const mayNot = await enrolled();
    expect((await may.check(id))?.settings.request.headers).toEqual(headers);
    expect(await mayNot.check(id)).toBeUndefined();
    // The mask keeps the value, and the mark with it: taking it off would show the value to who could not read it.
    const change = (given: object[]) => {
      const body = { settings: { request: { headers: given } } };
      return api.ask('PATCH', `/api/v1/targets/${id}`, { key: api.keys.write, body });
    };
    for (const mark of [{}, { secret: false }]) {
      const unmarked = await change([{ name: 'X-Pin', value: '***', ...mark }]);
      expect(fieldsOf(unmarked)).toEqual(['settings.request.headers.0.value']);
      expect(unmarked.text).toContain('marked as secret');
    }
    const kept = [
      { ...pin, value: '***' },
      { name: 'x-pin', value: '***', secret: true },
    ];
    expect((await change(kept)).status).toBe(200);
    expect((await stored(id))?.request.headers).toEqual([pin, { name: 'x-pin', value: 'open', secret: true }]);
    expect((await change([{ name: 'X-Pin', value: 'given', secret: false }])).status).toBe(200);
    expect((await stored(id))?.request.headers).toEqual([{ name: 'X-Pin', value: 'given' }]);
  });

  it('are not sent elsewhere by who cannot read them', async () => {
    const { id, url, settings } = await create({ request });
    const change = (body: object) => api.ask('PATCH', `/api/v1/targets/${id}`, { key: api.keys.write, body });
    const masked = ['settings.request.headers.0.value'];
    expect(fieldsOf(await change({ url: 'https://elsewhere.example/' }))).toEqual(masked);
    expect(fieldsOf(await change({ url: Object.assign(new URL(url), { port: '8443' }).href }))).toEqual(masked);
    expect(fieldsOf(await change({ settings: { ...settings, address: '9.9.9.9' } }))).toEqual(masked);
    expect(fieldsOf(await change({ settings: { ...settings, resolver: '9.9.9.9' } }))).toEqual(masked);
    expect((await stored(id))?.request).toEqual(request);
    expect((await change({ url: new URL('/other', url).href })).status).toBe(200);
    const own = { ...request, headers: [{ name: 'Authorization', value: 'Bearer new' }] };
    const both = await change({ url: 'https://elsewhere.example/', settings: { request: own } });
    expect(both.status).toBe(200);
    expect((await stored(id))?.request).toEqual(own);
  });
});
