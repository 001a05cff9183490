import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEB_BUILD } from '#cli/dist.mjs';
import type { EnrolResponse } from '#contract/ingest.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { WebhookEventType } from '#contract/webhook-event.ts';
import { setAdminPassword } from '#server/access/admin.ts';
import { signIn } from '#server/access/session.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { getPool } from '#server/database/database.ts';
import { adviseResult } from '../support/advised.ts';
import { allowLoopback, enqueue, makeEvent, makeWebhook, pump, TestClock } from '../support/deliveries.ts';
import { makeDetection, record } from '../support/detections.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { startReceiver } from '../support/receiver.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeVantage } from '../support/vantages.ts';

// Every page, server action and operation of the built web process, asked without a session: none of the names that the
// rows carry comes back, nothing ends as a 500, and nobody is shown a stack. Then all that can be read, by everybody who can ask:
// the secrets of a target come back where they are meant to, and nowhere else.

/** Part of everything that a person named. */
const NAME = 'zz-unmistakable';
const AT = new Date('2026-11-20T12:00:00Z');

let open: TestServer;
/** By the folder of app/ that takes it, a real id. */
const ids: Record<string, string> = {};

allowLoopback();
const api = prepareApi({ ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1', ROUNDTRIP_RATE_LIMIT: '100000' });
beforeAll(async () => {
  const env = { ROUNDTRIP_PUBLIC_DASHBOARD: '1', ROUNDTRIP_RATE_LIMIT: '100000' };
  open = await startTestServer({ env });
  const vantage = { ...makeVantage('CN-GD', 'telecom'), name: `${NAME} vantage` };
  await insertProber([vantage]);
  const targetId = await insertTarget({ name: `${NAME} target` });
  const made = async (at: string, body: unknown) => {
    const { status, text, json } = await api.ask('POST', `/api/v1/${at}`, { body });
    expect(status, text).toBe(201);
    return (json as { id: string }).id;
  };
  ids.targets = targetId;
  ids.vantages = vantage.id;
  ids['alert-rules'] = ids.rules = await made('alert-rules', { kind: 'down', name: `${NAME} rule` });
  ids.webhooks = await made('webhooks', {
    name: `${NAME} webhook`,
    format: 'standard',
    url: `http://127.0.0.1:9/${NAME}`,
  });
  ids.markers = await made('markers', { title: `${NAME} marker`, targetId });
  ids.comparisons = ids.exports = await made('comparisons', { markerId: ids.markers, title: `${NAME} comparison` });
  ids.silences = await made('silences', { comment: `${NAME} silence`, endsAt: '2099-01-01T00:00:00Z' });
  const { json: measured } = await api.ask('POST', '/api/v1/measurements', {
    body: { url: `https://${NAME}.example/` },
  });
  ids.probe = ids.measurements = (measured as { id: string }).id;
  ids['status-pages'] = await made('status-pages', { title: `${NAME} status page` });
  ids.keys = await made('keys', { name: `${NAME} key`, scope: 'read' });
  const result = makeResult({ targetId, vantage, startedAt: AT.getTime() });
  await insertResults([{ ...result, url: `https://${NAME}.example/` }]);
  ids.results = result.id;
  await record([makeDetection({ targetId, vantage, at: AT })], [], AT);
  await enqueue([makeEvent({}, { targetName: `${NAME} target` })], AT);
  const one = async (table: string) =>
    (await getPool().query<{ id: string }>(`select id from ${table} limit 1`)).rows[0]?.id;
  ids.incidents = (await one('incident')) ?? '';
  ids.deliveries = (await one('delivery')) ?? '';
  expect(Object.entries(ids).filter(([, id]) => !id)).toEqual([]);
}, 300_000);
afterAll(async () => {
  await open?.stop();
});

/** The paths of all pages of app/, with real ids; not that of a link, which shows a thing to whoever has its token. */
const pages = () =>
  globSync('app/**/page.tsx', { exclude: ['app/shared/**'] }).map((file) => {
    const parts = path.dirname(file).split(path.sep).slice(1);
    return `/${parts.map((part, n) => (part === '[delivery]' ? ids.deliveries : part === '[id]' ? ids[parts[n - 1] ?? ''] : part)).join('/')}`;
  });

const actionIds = (): string[] =>
  Object.keys(
    JSON.parse(readFileSync(path.join(WEB_BUILD, '.next/server/server-reference-manifest.json'), 'utf8')).node,
  );

type Asked = { what: string; status: number; text: string; headers: Headers };

async function ask(base: string, url: string, init: RequestInit = {}, what = ''): Promise<Asked> {
  const response = await fetch(base + url, { redirect: 'manual', ...init });
  const name = `${init.method ?? 'GET'} ${url} ${what}`;
  // A stream has no end: what comes first is looked at.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const text = isStream ? await firstOf(response) : await response.text();
  return { what: name, status: response.status, text, headers: response.headers };
}

async function firstOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/** Those answers that say too much, each in one line. */
function leaks(answers: Asked[]): string[] {
  return answers.flatMap(({ what, status, text, headers }) => {
    const all = `${text}${JSON.stringify([...headers])}`;
    const found = [
      status >= 500 ? `status ${status}` : '',
      all.includes(NAME) ? `says «${all.slice(Math.max(0, all.indexOf(NAME) - 60), all.indexOf(NAME) + 40)}»` : '',
      /\bat \S+ \(?(file:|\/)\S+:\d+:\d+/.test(text) ? 'shows a stack' : '',
    ].filter(Boolean);
    return found.map((problem) => `${what}: ${problem}`);
  });
}

/** As a browser asks for a page: whole, on a navigation, and ahead of one. */
const WAYS: Record<string, Record<string, string>> = {
  document: {},
  navigation: { RSC: '1' },
  prefetch: { RSC: '1', 'Next-Router-Prefetch': '1' },
  'segment tree': { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_tree' },
  'segment head': { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Router-Segment-Prefetch': '/_head' },
  'broken cookies': { cookie: 'tz=%zz; theme=%; locale=%; rt_session=rts_%zz; rt_browser=a.b.c' },
  'robot of a link preview': { 'user-agent': 'Twitterbot/1.0' },
};

describe('without a session', () => {
  it('a page sends everybody to sign in, however it is asked for, and names nothing', async () => {
    const answers: Asked[] = [];
    for (const page of pages()) {
      for (const [way, headers] of Object.entries(WAYS))
        answers.push(await ask(api.server.baseUrl, page, { headers }, way));
    }
    expect(answers.length).toBeGreaterThan(100);
    expect(leaks(answers)).toEqual([]);
    const documents = answers.filter(({ what }) => what.endsWith(' document') && !what.includes('/login'));
    for (const { what, status, headers, text } of documents) {
      expect([200, 307], what).toContain(status);
      expect(`${headers.get('location')} ${text}`, what).toContain('/login?next=');
    }
  }, 300_000);

  it('says the same of a thing that is there as of one that is not', async () => {
    const missing = '01970000-0000-7000-8000-000000000000';
    for (const kind of ['targets', 'incidents', 'webhooks', 'results']) {
      const [there, gone] = await Promise.all(
        [ids[kind], missing].map((id) => ask(api.server.baseUrl, `/${kind}/${id}`, { headers: { RSC: '1' } })),
      );
      expect([there?.status, /<title>.*?<\/title>/.exec(there?.text ?? '')?.[0]]).toEqual([
        gone?.status,
        /<title>.*?<\/title>/.exec(gone?.text ?? '')?.[0],
      ]);
    }
  });

  it.each([
    ['nobody may read', () => api.server.baseUrl],
    ['anybody may read', () => open.baseUrl],
  ])(
    'no server action is served, whatever its body, where %s',
    async (_name, base) => {
      const form = () => {
        const body = new FormData();
        body.set('0', '["$K1"]');
        body.set('1_name', NAME);
        return body;
      };
      const bodies: [string, () => RequestInit][] = [
        ['empty', () => ({ body: '' })],
        ['garbage', () => ({ body: '\u0000{[garbage', headers: { 'content-type': 'text/plain;charset=UTF-8' } })],
        ['no arguments', () => ({ body: '[]', headers: { 'content-type': 'text/plain;charset=UTF-8' } })],
        [
          'null arguments',
          () => ({ body: '[null,null,null]', headers: { 'content-type': 'text/plain;charset=UTF-8' } }),
        ],
        ['broken form', () => ({ body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=y' } })],
        ['form', () => ({ body: form() })],
      ];
      const actions = actionIds();
      expect(actions.length).toBeGreaterThan(20);
      const answers: Asked[] = [];
      // Each action with each body and at each page, each body at each page.
      const from = ['/', '/login', `/targets/${ids.targets}`, '/no.such/page'];
      for (const [at, id] of actions.entries()) {
        for (const [nth, [name, make]] of bodies.entries()) {
          const { body, headers } = make();
          const init = { method: 'POST', body: body ?? '', headers: { ...headers, 'next-action': id } };
          answers.push(await ask(base(), from[(at + nth) % from.length] ?? '/', init, `${id} ${name}`));
        }
      }
      expect(leaks(answers)).toEqual([]);
      expect([...new Set(answers.map(({ status }) => status))]).toEqual([401]);
      // As a browser without scripts posts a form.
      const plain = form();
      plain.set(`$ACTION_ID_${actions[0]}`, '');
      expect((await ask(base(), '/', { method: 'POST', body: plain })).status).toBe(401);
    },
    300_000,
  );

  it('a form of ours that is not one is refused', async () => {
    for (const url of ['/sign-in', '/sign-out', '/preferences', '/metrics']) {
      for (const body of ['', '\u0000garbage', '[]']) {
        const answer = await ask(api.server.baseUrl, url, { method: 'POST', body });
        expect(leaks([answer])).toEqual([]);
        expect(answer.status, answer.what).toBeGreaterThanOrEqual(400);
      }
    }
  });

  it('no operation answers but the open ones, and those name nothing', async () => {
    const answers: [Operation, Asked][] = [];
    for (const operation of OPERATIONS) {
      const url = operation.path.replace('{id}', ids[operation.path.split('/')[3] ?? ''] ?? '');
      const method = operation.method.toUpperCase();
      for (const body of method === 'GET' ? [undefined] : ['', '{"garbage', '{}', 'null']) {
        const init =
          body === undefined ? { method } : { method, body, headers: { 'content-type': 'application/json' } };
        answers.push([operation, await ask(api.server.baseUrl, url, init)]);
      }
    }
    // The jobs do not run here, and /api/ready says so on purpose.
    expect(leaks(answers.map(([, answer]) => answer)).filter((line) => !line.includes('/api/ready'))).toEqual([]);
    for (const [{ access, id }, { status, what }] of answers) {
      if (access !== 'public' && id !== 'enrolProber') expect(status, what).toBe(401);
    }
  });
});

describe('with ROUNDTRIP_PUBLIC_DASHBOARD=1', () => {
  const adminOnly = /\/(new|edit|probe)$/;

  it('readers see names, and are sent to sign in where one changes things', async () => {
    const faults: string[] = [];
    for (const page of pages().filter((url) => url !== '/login')) {
      const { status, text, headers } = await ask(open.baseUrl, page);
      const sent = `${headers.get('location')} ${text}`.includes('/login?next=');
      if (status >= 500 || sent !== adminOnly.test(page)) faults.push(`${page}: ${status}, sent to sign in: ${sent}`);
      if (sent && text.includes(NAME)) faults.push(`${page}: names something`);
    }
    expect(faults).toEqual([]);
    expect((await ask(open.baseUrl, `/targets/${ids.targets}`)).text).toContain(`${NAME} target`);
    expect((await ask(open.baseUrl, '/metrics/probes')).status).toBe(200);
    const session = { signedIn: false, scope: 'read', publicDashboard: true };
    expect(JSON.parse((await ask(open.baseUrl, '/api/v1/session')).text)).toEqual(session);
  });

  it('they change nothing, and see no key, session or address of a webhook', async () => {
    for (const { access, method, path: template, id } of OPERATIONS) {
      if (access === 'public' || access === 'prober') continue;
      const url = template.replace('{id}', ids[template.split('/')[3] ?? ''] ?? '');
      const { status, text } = await ask(open.baseUrl, url, { method: method.toUpperCase() });
      expect(text, id).not.toContain(`127.0.0.1:9/${NAME}`);
      if (access !== 'read') expect(status, id).toBe(401);
      else expect(status, `${id} ${text}`).toBeLessThan(500);
    }
    const settings = (await ask(open.baseUrl, '/settings')).text;
    expect(settings).not.toContain(`${NAME} key`);
    const webhook = (await ask(open.baseUrl, `/webhooks/${ids.webhooks}`)).text;
    expect(webhook).toContain(`${NAME} webhook`);
    expect(webhook).not.toContain(`127.0.0.1:9/${NAME}`);
  });
});

/** What webhooks are told of an incident. */
const INCIDENT_EVENTS = ['tls.spike.opened', 'tls.spike.updated', 'tls.spike.resolved'] as const;

describe('the secrets of a target', () => {
  /** What each is, and its text. */
  const SECRETS = {
    'header by name': 'qq-authorization',
    'marked header': 'qq-pin',
    'other header': 'qq-shop',
    body: 'qq-body',
    parameter: 'qq-parameter',
    'address in a path': 'qq-path',
    JSON: 'qq-json',
    finding: 'qq-finding',
    'address of a marker': 'qq-marker',
    'words of a marker': 'qq-words',
    'password in words': 'qq-password',
  };
  const URL_OF_TARGET = ['parameter', 'address in a path', 'JSON'];
  const WRITER = ['other header', 'body', ...URL_OF_TARGET];
  const RESULT = [...URL_OF_TARGET, 'finding'];
  const MARKER = ['address of a marker', 'words of a marker', 'password in words'];
  const json = encodeURIComponent(JSON.stringify({ page: 1, token: SECRETS.JSON }));
  const inPath = encodeURIComponent(`https://login.example/?token=${SECRETS['address in a path']}`);
  const url = `https://${NAME}.example/to/${inPath}?token=${SECRETS.parameter}&page=1&q=${json}`;

  /** Everybody who can ask: of which server, and with what. */
  const askers: { who: string; base: string; headers: Record<string, string> }[] = [];
  const sharedPages: string[] = [];

  beforeAll(async () => {
    await makeSecrets();
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    const base = api.server.baseUrl;
    askers.push({ who: 'nobody', base, headers: {} }, { who: 'public dashboard', base: open.baseUrl, headers: {} });
    for (const [scope, key] of Object.entries(api.keys)) askers.push({ who: scope, base, headers: bearer(key) });
    await setAdminPassword('correct horse battery staple');
    const from = { address: '192.0.2.1', network: '192.0.2.1', userAgent: 'test', browser: undefined };
    const [session] = (await signIn('correct horse battery staple', from)).cookies;
    askers.push({ who: 'session', base, headers: { cookie: `${session?.name}=${session?.value}` } });
    for (const mayHoldSecrets of [false, true]) {
      const place = { name: `holds secrets: ${mayHoldSecrets}`, region: 'CN-SH', carrier: 'unicom', mayHoldSecrets };
      const { token } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
      const enrolled = await api.ask('POST', '/api/ingest/enrol', { body: { token, engineVersion: 1 } });
      const { credential = '', vantages } = enrolled.json as EnrolResponse;
      await measureNow(vantages.map(({ id }) => id));
      askers.push({ who: mayHoldSecrets ? 'trusted prober' : 'prober', base, headers: bearer(credential) });
    }
    await share('comparisons');
    await share('measurements');
  });

  /** The target of the rows above gets all of them, and results that repeat the parameters wherever a server can put them. */
  async function makeSecrets(): Promise<void> {
    const headers = [
      { name: 'Authorization', value: SECRETS['header by name'] },
      { name: 'X-Pin', value: SECRETS['marked header'], secret: true },
      { name: 'X-Shop', value: SECRETS['other header'] },
    ];
    const settings = { request: { method: 'POST', headers, body: SECRETS.body } };
    const patched = await api.ask('PATCH', `/api/v1/targets/${ids.targets}`, { body: { url, settings, vantages: {} } });
    expect(patched.status, patched.text).toBe(200);
    // Nothing but its URL is secret: every prober probes it.
    const plain = { url: `https://plain.example/?sig=${SECRETS.parameter}` };
    expect((await api.ask('POST', '/api/v1/targets', { body: plain })).status).toBe(201);
    const vantage = { ...makeVantage('CN-GD', 'telecom'), id: ids.vantages ?? '' };
    const redirect = { status: 302, location: `/home?next=%2F%3Ftoken%3D${SECRETS.parameter}` };
    const results = Array.from({ length: 4 }, (_, n) => {
      const startedAt = new Date(Date.now() - (n + 1) * 60_000).toISOString();
      return { ...adviseResult({ url, startedAt, vantage, http: redirect }), targetId: ids.targets ?? '', vantage };
    });
    const [failed, ...others] = results;
    if (!failed) throw new Error('no result was made');
    const message = `the redirects come back to ${url}`;
    const failure = { phase: 'firstByte', reason: 'redirect_loop', source: 'target', message } as const;
    const quoted = `https://${NAME}.example/?key=${SECRETS.finding}`;
    const finding = { code: 'http_malformed', severity: 'warning', savesRoundTrips: null, savesMs: null } as const;
    const findings = [{ ...finding, evidence: `it answered "${quoted}"`, values: { oddities: quoted } }];
    await insertResults([{ ...failed, ok: false, failure, findings }, ...others]);
    const marker = {
      title: `${NAME} deploy`,
      text: `see https://ci.example/?token=${SECRETS['words of a marker']} https://ci:${SECRETS['password in words']}@ci.example/`,
      url: `https://ci.example/job?token=${SECRETS['address of a marker']}`,
    };
    const marked = await api.ask('POST', '/api/v1/markers', { body: { ...marker, targetId: ids.targets } });
    expect(marked.status, marked.text).toBe(201);
    expect(secretsIn(marked.text)).toEqual(MARKER);
    ids.markers = (marked.json as { id: string }).id;
    ids.results = failed.id;
    await computeDue();
  }

  async function share(kind: 'comparisons' | 'measurements'): Promise<void> {
    const { status, text, json } = await api.ask('POST', `/api/v1/${kind}/${ids[kind]}/share`);
    expect(status, text).toBe(201);
    sharedPages.push((json as { path: string }).path);
  }

  /** Of the target, with whatever of it a measurement has. */
  async function measureNow(vantageIds: string[]): Promise<void> {
    const body = { targetId: ids.targets, vantageIds };
    const { status, text, json } = await api.ask('POST', '/api/v1/measurements', { body });
    expect(status, text).toBe(202);
    ids.probe = ids.measurements = (json as { id: string }).id;
  }

  const secretsIn = (text: string) =>
    Object.entries(SECRETS).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

  /** Queries without which an operation answers less than it can, or nothing. */
  const queriesOf = (id: string): string[] => {
    if (id === 'listResults') return ['', '?format=csv', '?format=ndjson'];
    if (id === 'exportResults') return ['?format=csv', '?format=ndjson'];
    if (id === 'getComparison') return ['', '?format=csv'];
    if (id === 'getTargetFigures') return ['', '?groupBy=region', `?ids=${ids.targets}&groupBy=carrier`];
    if (id === 'getMakeup') return [`?target=${ids.targets}&property=tls`];
    if (['getSeries', 'getMatrix', 'getDistribution'].includes(id)) return [`?target=${ids.targets}&metric=tls`];
    return id === 'previewWebhook' ? WebhookEventType.options.map((type) => `?event=${type}`) : [''];
  };

  it('are in the answers of operations to those alone who may have them', async () => {
    const seen: Record<string, string[]> = {};
    const refused: string[] = [];
    let advice = '';
    for (const { who, base, headers } of askers) {
      for (const { id, method, path: template, access } of OPERATIONS) {
        if (method !== 'get') continue;
        for (const query of queriesOf(id)) {
          const at = template.replace('{id}', ids[template.split('/')[3] ?? ''] ?? '') + query;
          const { status, text, headers: answered } = await ask(base, at, { headers });
          const found = secretsIn(`${text}${JSON.stringify([...answered])}`);
          if (found.length > 0) seen[`${who}: ${id}${query}`] = found;
          if (who === 'admin' && access !== 'prober' && status !== 200) refused.push(`${id}${query} ${status} ${text}`);
          if (who === 'admin' && id === 'getAdvice') advice = text;
        }
      }
    }
    // The jobs do not run here, which is what /api/ready says.
    expect(refused.filter((line) => !line.startsWith('getReady 503'))).toEqual([]);
    expect(advice).toContain('/home?next=***');
    const writers = ['write', 'admin', 'session'].flatMap((who) => [
      [`${who}: listTargets`, WRITER],
      [`${who}: getTarget`, WRITER],
      [`${who}: getConfiguration`, WRITER],
      // The CSV has the codes of findings alone.
      ...['listResults', 'exportResults'].flatMap((id) =>
        queriesOf(id).map((query) => [`${who}: ${id}${query}`, query.includes('csv') ? URL_OF_TARGET : RESULT]),
      ),
      [`${who}: getResult`, RESULT],
      [`${who}: listMarkers`, MARKER],
      [`${who}: getMarker`, MARKER],
      [`${who}: listMeasurements`, URL_OF_TARGET],
      [`${who}: getMeasurement`, URL_OF_TARGET],
    ]);
    expect(seen).toEqual({
      ...Object.fromEntries(writers),
      'prober: getAssignments': ['parameter'],
      'trusted prober: getAssignments': ['header by name', 'marked header', ...WRITER],
      'prober: getTasks': URL_OF_TARGET,
      'trusted prober: getTasks': URL_OF_TARGET,
    });
  });

  it('are in the answer to a change as to who made it', async () => {
    const change = { body: { name: `${NAME} target` }, key: api.keys.write };
    expect(secretsIn((await api.ask('PATCH', `/api/v1/targets/${ids.targets}`, change)).text)).toEqual(WRITER);
  });

  it('are on the form of the target alone, and on no other page', async () => {
    const seen: Record<string, string[]> = {};
    const shown: Record<string, number> = {};
    for (const { who, base, headers } of askers) {
      for (const page of [...pages(), ...sharedPages]) {
        for (const way of ['document', 'navigation']) {
          const init = { headers: { ...headers, ...WAYS[way] } };
          const first = await ask(base, page, init);
          // Next sends a navigation to the address of its kind of answer. The sign-in page is asked for by itself.
          const isSent =
            first.status >= 300 && first.status < 400 && !first.headers.get('location')?.includes('/login');
          const { status, text } = isSent ? await ask(base, page, { ...init, redirect: 'follow' }) : first;
          const found = secretsIn(first.text + text);
          if (found.length > 0) seen[`${who}: ${page} ${way}`] = found;
          if (status === 200 && text.includes('***')) shown[who] = (shown[who] ?? 0) + 1;
        }
      }
    }
    const form = `session: /targets/${ids.targets}/edit`;
    expect(seen).toEqual({ [`${form} document`]: WRITER, [`${form} navigation`]: WRITER });
    // The target's pages, and those of its results, show that there is something.
    expect(shown.session).toBeGreaterThan(10);
    expect(shown['public dashboard']).toBeGreaterThan(10);
  });

  it('are in no message and in no log', async () => {
    const receiver = await startReceiver();
    const hooks = [
      await makeWebhook({ name: 'all of it', format: 'standard', url: receiver.url }),
      await makeWebhook({ name: 'in words', format: 'slack', url: receiver.url }),
    ];
    const { json: incident } = await api.ask('GET', `/api/v1/incidents/${ids.incidents}`);
    const events = INCIDENT_EVENTS.map((type) => makeEvent({ type }, incident as object));
    await enqueue(events, new Date());
    await pump(TestClock.fromNow());
    await receiver.stop();
    expect(receiver.received.length).toBeGreaterThanOrEqual(hooks.length);
    expect(receiver.received.map(({ body }) => body).join('')).toContain(`${NAME} target`);
    expect(secretsIn(JSON.stringify(receiver.received))).toEqual([]);
    const { rows } = await getPool().query<{ text: string }>(
      'select row_to_json(delivery)::text as text from delivery',
    );
    expect(rows.length).toBeGreaterThan(hooks.length);
    expect(secretsIn(JSON.stringify(rows))).toEqual([]);
    expect(secretsIn(api.server.output() + open.output())).toEqual([]);
  });
});
