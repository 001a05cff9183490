import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MEASUREMENTS_A_MINUTE } from '#contract/measurement.ts';
import { IDEMPOTENCY_HOURS, MAX_IDEMPOTENCY_KEY_LENGTH, takesIdempotencyKey } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { setAdminPassword } from '#server/access/admin.ts';
import { createKey } from '#server/access/keys.ts';
import { signIn } from '#server/access/session.ts';
import { closeDatabase, getPool, inTransaction, limitDatabase } from '#server/database/database.ts';
import { tidyAlone } from '#workers/jobs/housekeeping.ts';
import { testDatabase } from '../support/database.ts';
import { type IngestRoutes, serveIngest } from '../support/ingest-routes.ts';
import { type Asker, asker } from '../support/openapi.ts';
import { insertProber } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
process.env.LOG_LEVEL = 'silent';

const MEASUREMENTS = '/api/v1/measurements';
const body = { url: 'https://shop.example.org/', locations: [{ region: 'CN-GD', carrier: 'telecom' }] };
const silence = { comment: 'a night', endsAt: '2099-01-01T00:00:00Z' };

let drop: () => Promise<void>;
let routes: IngestRoutes;
let apiKey: string;
let call: Asker;
beforeAll(async () => {
  ({ drop } = await testDatabase());
  routes = await serveIngest();
  await insertProber([makeVantage('CN-GD', 'telecom')]);
});
afterAll(async () => {
  await routes.close();
  await drop();
});
beforeEach(async () => {
  await getPool().query('delete from measurement; delete from silence');
  apiKey = (await createKey({ name: 'ci', scope: 'admin' })).key;
  call = asker(routes.url, apiKey);
});

type Sent = { path?: string; sent?: object; ask?: Asker };

/** Status, location, whether it was there already. */
async function post(
  key: string,
  { path = MEASUREMENTS, sent = body, ask = call }: Sent = {},
): Promise<[number, string | null, string | null]> {
  const { status, headers } = await ask('POST', path, { body: sent, headers: { 'idempotency-key': key } });
  return [status, headers.get('location'), headers.get('idempotency-replayed')];
}
const count = async (table = 'measurement') => (await getPool().query(`select from ${table}`)).rows.length;
const made = async (path: string, sent: object) =>
  ((await call('POST', `/api/v1/${path}`, { body: sent })).json as { id: string }).id;

describe('an operation that makes something, asked twice with an Idempotency-Key', () => {
  const target = { url: 'https://a.example/', name: 'shop' };
  const window = (day: number) => ({ from: `2026-11-0${day}T00:00:00Z`, to: `2026-11-0${day}T01:00:00Z` });
  const webhook = { format: 'standard', url: 'https://hooks.example/' };
  const compare = async () => ({ targetId: await made('targets', target), before: window(1), after: window(2) });
  const vantageId = async () => (await call('GET', '/api/v1/vantages')).json as unknown as { data: [{ id: string }] };
  /** What is sent, and the table in which one row more is there then; null where a row changes. */
  const CASES: Record<string, [table: string | null, make: () => Promise<{ id?: string; sent?: object }>]> = {
    createTarget: ['target', async () => ({ sent: target })],
    createEnrolment: ['vantage', async () => ({ sent: { name: 'a', region: 'CN-BJ', carrier: 'unicom' } })],
    renewEnrolment: ['enrolment', async () => ({ id: (await vantageId()).data[0].id })],
    createMeasurement: ['measurement', async () => ({ sent: body })],
    shareMeasurement: [null, async () => ({ id: await made('measurements', body) })],
    createMarker: ['marker', async () => ({ sent: { title: 'deploy' } })],
    createComparison: ['comparison', async () => ({ sent: await compare() })],
    shareComparison: [null, async () => ({ id: await made('comparisons', await compare()) })],
    createAlertRule: ['alert_rule', async () => ({ sent: { kind: 'down', name: 'down' } })],
    createSilence: ['silence', async () => ({ sent: silence })],
    createWebhook: ['webhook', async () => ({ sent: webhook })],
    rotateWebhookSecret: [null, async () => ({ id: await made('webhooks', webhook), sent: { keepHours: 1 } })],
    testWebhook: ['delivery', async () => ({ id: await made('webhooks', webhook) })],
    createStatusPage: ['status_page', async () => ({ sent: { title: 'state' } })],
    createKey: ['api_key', async () => ({ sent: { name: 'new', scope: 'read' } })],
  };
  const operations = OPERATIONS.filter(takesIdempotencyKey);

  it('is one of these', () => {
    expect(operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(CASES).toSorted());
  });

  it.each(operations.map(({ id, path }) => [id, path]))('%s does it once, and answers the same', async (name, path) => {
    const { [name]: [table, make] = [null] } = CASES;
    const { id = '', sent } = (await make?.()) ?? {};
    const before = table === null ? 0 : await count(table);
    const at = path.replace('{id}', id);
    const ask = { ...(sent && { body: sent }), headers: { 'idempotency-key': name } };
    const first = await call('POST', at, ask);
    const again = await call('POST', at, ask);
    expect(again.text).toBe(first.text);
    expect([again.status, again.headers.get('location')]).toEqual([first.status, first.headers.get('location')]);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect([201, 202]).toContain(first.status);
    if (table !== null) expect(await count(table)).toBe(before + 1);
    // What the database has tells nobody what was answered, of a new key or token the less.
    const { rows } = await getPool().query<{ all: string }>('select i::text as all from idempotency i where key = $1', [
      name,
    ]);
    const secret = /"(?:key|token|secret|path)":"([^"]+)"/.exec(first.text)?.[1] ?? first.text;
    expect(rows.length).toBe(1);
    expect(rows[0]?.all).not.toContain(secret);
    // One key is of one request.
    const other = await call('POST', '/api/v1/markers', { ...ask, body: { title: 'another' } });
    expect(other.json).toMatchObject({ type: 'urn:roundtrip:problem:key-reused', status: 422 });
  });
});

describe('a request with an Idempotency-Key', () => {
  it('is the same in whatever order its fields are, and with the key in quotes; another body is refused', async () => {
    const [status, location, replayed] = await post('order-1');
    expect([status, location, replayed]).toEqual([202, expect.stringMatching(`^${MEASUREMENTS}/`), null]);
    // RFC 8941 has strings in quotes; the order of fields says nothing.
    const [place] = body.locations;
    const sent = { locations: [{ carrier: place?.carrier, region: place?.region }], url: body.url };
    expect(await post('"order-1"', { sent })).toEqual([202, location, 'true']);
    const other = { body: { url: body.url }, headers: { 'idempotency-key': 'order-1' } };
    expect((await call('POST', MEASUREMENTS, other)).json).toMatchObject({
      type: 'urn:roundtrip:problem:key-reused',
      errors: [{ field: 'Idempotency-Key', message: expect.stringContaining('another body') }],
    });
    expect(await count()).toBe(1);
    const again = await post('order-2');
    expect([again[0], again[2]]).toEqual([202, null]);
    // What it chose may be gone: it is the same measurement.
    await getPool().query('update vantage set deleted_at = now()');
    expect(await post('order-1')).toEqual([202, location, 'true']);
    await getPool().query('update vantage set deleted_at = null');
  });

  it.each([
    [MEASUREMENTS, body, 'measurement'],
    ['/api/v1/silences', silence, 'silence'],
  ])('of several at once, at two processes, one makes it, and the others get it: %s', async (path, sent, table) => {
    const another = await restarted();
    const asks = [call, asker(another.url, apiKey)];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => post('at-once', { path, sent, ask: asks[index % 2] ?? call })),
    );
    expect(new Set(answers.map(([status, location]) => `${status} ${location}`)).size).toBe(1);
    expect(answers.map(([, , replayed]) => replayed).toSorted()).toEqual([...Array(7).fill('true'), null].toSorted());
    expect(await count(table)).toBe(1);
    await another.close();
  });

  it('is told to come again while another process takes long to answer the first', async () => {
    await closeDatabase();
    limitDatabase('pages');
    const owner = "encode(sha256(convert_to($1, 'UTF8')), 'hex')";
    await inTransaction(async (client) => {
      const lock = `select pg_advisory_xact_lock(hashtext('idempotency'), hashtext(${owner} || ' slow'))`;
      await client.query(lock, [apiKey]);
      const ask = { body: silence, headers: { 'idempotency-key': 'slow' } };
      const { json, headers } = await call('POST', '/api/v1/silences', ask);
      expect(json).toMatchObject({ status: 409, type: 'urn:roundtrip:problem:conflict' });
      expect(headers.get('retry-after')).toBe('1');
    });
    await closeDatabase();
    limitDatabase('jobs');
    const [status, , replayed] = await post('slow', { path: '/api/v1/silences', sent: silence });
    expect([status, replayed]).toEqual([201, null]);
  });

  it('is known after a restart of the server', async () => {
    const [, location] = await post('before');
    await routes.close();
    routes = await restarted();
    call = asker(routes.url, apiKey);
    expect(await post('before')).toEqual([202, location, 'true']);
  });

  it('counts for no limit of measurements when it comes again', async () => {
    const { length } = await Promise.all(Array.from({ length: MEASUREMENTS_A_MINUTE.key }, (_, at) => post(`k${at}`)));
    expect([length, (await post('one-more'))[0]]).toEqual([MEASUREMENTS_A_MINUTE.key, 429]);
    expect(await post('k3')).toEqual([202, expect.any(String), 'true']);
  });

  it('that was refused may be sent again, and is then done', async () => {
    const id = await made('targets', { url: 'https://b.example/' });
    const rule = { path: '/api/v1/alert-rules', sent: { kind: 'down', name: 'down', targetIds: [id] } };
    await getPool().query('update target set deleted_at = now() where id = $1', [id]);
    expect((await post('refused', rule))[0]).toBe(400);
    await getPool().query('update target set deleted_at = null where id = $1', [id]);
    expect((await post('refused', rule)).filter((_, at) => at !== 1)).toEqual([201, null]);
  });

  it.each([
    [MEASUREMENTS, body, 'measurement', 202],
    ['/api/v1/silences', silence, 'silence', 201],
  ])('whose answer cannot be stored makes nothing, and can be sent again: %s', async (path, sent, table, done) => {
    await getPool().query(`alter table idempotency add constraint never check (key <> 'crash') not valid`);
    expect((await post('crash', { path, sent }))[0]).toBe(500);
    expect(await count(table)).toBe(0);
    await getPool().query('alter table idempotency drop constraint never');
    expect((await post('crash', { path, sent })).filter((_, at) => at !== 1)).toEqual([done, null]);
  });

  it('stands for nothing of another API key or session', async () => {
    await setAdminPassword('correct horse battery staple');
    const sessions = await Promise.all([signedIn(), signedIn()]);
    const { key } = await createKey({ name: 'other', scope: 'write' });
    const askers: [Asker, object][] = [[call, body], [asker(routes.url, key), { url: body.url }], ...sessions];
    const locations = new Set<string | null>();
    for (const [ask, sent] of askers) {
      const [status, location, replayed] = await post('mine', { sent, ask });
      expect([status, replayed]).toEqual([202, null]);
      expect(await post('mine', { sent, ask })).toEqual([202, location, 'true']);
      locations.add(location);
    }
    expect(locations.size).toBe(4);
  });

  it('stands for a day, after which its answer is deleted', async () => {
    const silences = { path: '/api/v1/silences', sent: silence };
    const [, location] = await post('day', silences);
    const age = (hours: number) =>
      getPool().query(`update idempotency set created_at = now() - $1::float8 * interval '1 hour' where key = 'day'`, [
        hours,
      ]);
    await age(IDEMPOTENCY_HOURS - 0.1);
    await tidyAlone();
    expect(await post('day', silences)).toEqual([201, location, 'true']);
    await age(IDEMPOTENCY_HOURS + 0.1);
    const [status, next, replayed] = await post('day', { ...silences, sent: { ...silence, comment: 'another' } });
    expect([status, next === location, replayed]).toEqual([201, false, null]);
    await age(IDEMPOTENCY_HOURS + 0.1);
    await tidyAlone();
    expect((await getPool().query(`select from idempotency where key = 'day'`)).rowCount).toBe(0);
  });

  it.each([
    ['one character too many', 'k'.repeat(MAX_IDEMPOTENCY_KEY_LENGTH + 1)],
    ['a space', 'a b'],
    ['nothing', ''],
  ])('%s in it is refused by its name', async (_what, key) => {
    const { status, json } = await call('POST', MEASUREMENTS, { body, headers: { 'idempotency-key': key } });
    expect([status, json]).toMatchObject([400, { errors: [{ field: 'Idempotency-Key' }] }]);
    expect(await count()).toBe(0);
  });

  it('may be as long as the limit', async () => {
    const key = 'k'.repeat(MAX_IDEMPOTENCY_KEY_LENGTH);
    expect([(await post(key))[0], (await post(key))[2]]).toEqual([202, 'true']);
  });
});

/** One who signed in with the password, and asks as the dashboard's pages do. */
async function signedIn(): Promise<[Asker, object]> {
  const from = { address: '192.0.2.1', network: '192.0.2.1', userAgent: 'test', browser: undefined };
  const [session] = (await signIn('correct horse battery staple', from)).cookies;
  const cookie = `${session?.name}=${session?.value}`;
  const ask: Asker = (method, path, given) =>
    asker(routes.url)(method, path, { ...given, headers: { ...given?.headers, cookie, origin: routes.url } });
  return [ask, body];
}

/** The routes of a process that has just begun: it has loaded all its modules for itself. */
async function restarted(): Promise<IngestRoutes> {
  vi.resetModules();
  const begun = await (await import('../support/ingest-routes.ts')).serveIngest();
  const { closeDatabase: closeTheirs } = await import('#server/database/database.ts');
  const close = async () => {
    await begun.close();
    await closeTheirs();
  };
  return { url: begun.url, close };
}
