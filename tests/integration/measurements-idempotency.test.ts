import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  IDEMPOTENCY_HOURS,
  MAX_IDEMPOTENCY_KEY_LENGTH,
  MEASUREMENTS_A_MINUTE,
  type Measurement,
  MeasurementCreate,
} from '#contract/measurement.ts';
import { createKey } from '#server/access/keys.ts';
import { getPool } from '#server/database/database.ts';
import { createOnce } from '#server/measurements/measurements.ts';
import { testDatabase } from '../support/database.ts';
import { type IngestRoutes, serveIngest } from '../support/ingest-routes.ts';
import { type Asker, asker } from '../support/openapi.ts';
import { insertProber } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
process.env.LOG_LEVEL = 'silent';

const PATH = '/api/v1/measurements';
const body = { url: 'https://shop.example.org/', locations: [{ region: 'CN-GD', carrier: 'telecom' }] };

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
  await getPool().query('delete from measurement');
  apiKey = (await createKey({ name: 'ci', scope: 'write' })).key;
  call = asker(routes.url, apiKey);
});

/** Status, location, whether it was there already. */
async function post(key: string, sent: object = body, ask = call): Promise<[number, string | null, string | null]> {
  const { status, headers } = await ask('POST', PATH, { body: sent, headers: { 'idempotency-key': key } });
  return [status, headers.get('location'), headers.get('idempotency-replayed')];
}
const count = async () => (await getPool().query('select from measurement')).rowCount;

describe('a request with an Idempotency-Key', () => {
  it('makes one measurement, however often it comes; another body is refused', async () => {
    const [status, location, replayed] = await post('order-1');
    expect([status, location, replayed]).toEqual([202, expect.stringMatching(`^${PATH}/`), null]);
    expect(await post('order-1')).toEqual([202, location, 'true']);
    // RFC 8941 has strings in quotes; the order of fields says nothing.
    const [place] = body.locations;
    const same = { locations: [{ carrier: place?.carrier, region: place?.region }], url: body.url };
    expect(await post('"order-1"', same)).toEqual([202, location, 'true']);
    const other = { body: { url: body.url }, headers: { 'idempotency-key': 'order-1' } };
    expect((await call('POST', PATH, other)).json).toMatchObject({
      type: 'urn:roundtrip:problem:key-reused',
      status: 422,
      errors: [{ field: 'Idempotency-Key', message: expect.stringContaining('another body') }],
    });
    expect(await count()).toBe(1);
    const again = await post('order-2');
    expect([again[0], again[2]]).toEqual([202, null]);
    // What it chose may be gone, and its answers have come: it is the same measurement.
    const id = location?.split('/').at(-1);
    await getPool().query('update measurement set cancelled_at = now() where id = $1', [id]);
    await getPool().query('update vantage set deleted_at = now()');
    const { json } = await call('POST', PATH, { body, headers: { 'idempotency-key': 'order-1' } });
    expect(json).toMatchObject({ id, finished: true });
    await getPool().query('update vantage set deleted_at = null');
  });

  it('of several at once, at two processes, one makes it, and the others get it', async () => {
    const another = await restarted();
    const asks = [call, asker(another.url, apiKey)];
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => post('at-once', body, asks[index % 2])));
    expect(new Set(answers.map(([status, location]) => `${status} ${location}`)).size).toBe(1);
    expect(answers.map(([, , replayed]) => replayed).toSorted()).toEqual([...Array(7).fill('true'), null].toSorted());
    expect(await count()).toBe(1);
    await another.close();
  });

  it('is known after a restart of the server', async () => {
    const [, location] = await post('before');
    await routes.close();
    routes = await restarted();
    call = asker(routes.url, apiKey);
    expect(await post('before')).toEqual([202, location, 'true']);
  });

  it('counts for no limit when it comes again', async () => {
    const { length } = await Promise.all(Array.from({ length: MEASUREMENTS_A_MINUTE.key }, (_, at) => post(`k${at}`)));
    expect([length, (await post('one-more'))[0]]).toEqual([MEASUREMENTS_A_MINUTE.key, 429]);
    expect((await post('k3')).slice(0, 3)).toEqual([202, expect.any(String), 'true']);
  });

  it('stands for nothing of another API key, and for a day', async () => {
    const [, location] = await post('mine');
    const { key } = await createKey({ name: 'other', scope: 'write' });
    const theirs = await post('mine', { url: body.url }, asker(routes.url, key));
    expect([theirs[0], theirs[1] === location, theirs[2]]).toEqual([202, false, null]);
    const by = { name: 'ci', limitBy: 'key:ci', viewer: 'editor' } as const;
    const at = (hours: number) =>
      createOnce('k', MeasurementCreate.parse(body), by, new Date(Date.now() + hours * 3_600_000));
    const made: { measurement: Measurement; replayed: boolean }[] = [];
    for (const hours of [0, IDEMPOTENCY_HOURS - 0.1, IDEMPOTENCY_HOURS + 0.1, IDEMPOTENCY_HOURS + 0.2])
      made.push(await at(hours));
    expect(made.map(({ replayed }) => replayed)).toEqual([false, true, false, true]);
    expect(new Set(made.map(({ measurement }) => measurement.id)).size).toBe(2);
  });

  it.each([
    ['one character too many', 'k'.repeat(MAX_IDEMPOTENCY_KEY_LENGTH + 1)],
    ['a space', 'a b'],
    ['nothing', ''],
  ])('%s in it is refused by its name', async (_what, key) => {
    const { status, json } = await call('POST', PATH, { body, headers: { 'idempotency-key': key } });
    expect([status, json]).toMatchObject([400, { errors: [{ field: 'Idempotency-Key' }] }]);
    expect(await count()).toBe(0);
  });

  it('may be as long as the limit', async () => {
    expect((await post('k'.repeat(MAX_IDEMPOTENCY_KEY_LENGTH)))[0]).toBe(202);
  });
});

/** The routes of a process that has just begun: all its modules are loaded anew. */
async function restarted(): Promise<IngestRoutes> {
  vi.resetModules();
  const begun = await (await import('../support/ingest-routes.ts')).serveIngest();
  const { closeDatabase } = await import('#server/database/database.ts');
  const close = async () => {
    await begun.close();
    await closeDatabase();
  };
  return { url: begun.url, close };
}
