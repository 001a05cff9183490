import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, vi } from 'vitest';
import type { Measurement } from '#contract/measurement.ts';
import { createKey } from '#server/access/keys.ts';
import { getPool } from '#server/database/database.ts';
import { getMeasurement } from '#server/measurements/read.ts';
import { asker } from '../support/openapi.ts';
import { end, prepareRoutes, routesTest, within } from '../support/prober-scene.ts';
import { startTlsTarget } from '../support/tls-target.ts';

// A measurement from the API to a real handshake and back: the server's own routes, a real prober, a real TLS server.

prepareRoutes();

const ask = async (server: string) => {
  const { key } = await createKey({ name: 'ci', scope: 'write' });
  return asker(server, key);
};

describe.each([
  ['in its own thread', 0],
  ['in a pool of threads', 2],
])('a prober that measures %s', (_where, threads) => {
  routesTest('probes at once what a measurement asks for, beside its checks', async ({ scene }) => {
    const { bench, proxy, target, watched, untilStored } = scene;
    const prober = await bench.start({ threads });
    await untilStored(1);
    const call = await ask(proxy.url);
    const { url } = target.check();
    const body = { url, vantageIds: [watched.vantageId] };
    const { status, headers, json } = await call('POST', '/api/v1/measurements', { body });
    const { id } = json as Measurement;
    expect([status, headers.get('location')]).toEqual([202, `/api/v1/measurements/${id}`]);
    const { key } = await createKey({ name: 'r', scope: 'read' });
    const stream = await fetch(`${proxy.url}/api/v1/measurements/${id}`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await stream.text()).toMatch(/^id: \d+\nevent: measurement\n[\s\S]*event: end\n/);
    const read = (await call('GET', `/api/v1/measurements/${id}`)).json as Measurement;
    // The settings are those of the target with this origin: its roots are not public.
    expect(read).toMatchObject({
      finished: true,
      counts: { total: 1, done: 1 },
      settings: { caPem: expect.any(String) },
    });
    const result = read.vantages[0]?.result;
    expect(result).toMatchObject({
      ok: true,
      url,
      targetId: null,
      vantage: { id: watched.vantageId },
      variant: 'main',
    });
    const stored = await getPool().query('select from result where id = $1', [result?.id]);
    expect(stored.rowCount).toBe(0);
    // The checks go on, and each run that counts is one of theirs.
    await untilStored(prober.stats().started + 1);
  });
});

describe.each([
  ['in its own thread', 0],
  ['in a pool of threads', 1],
])('a prober that measures %s', (_where, threads) => {
  routesTest('does not begin what is cancelled while it waits for its turn', async ({ scene }) => {
    const { bench, proxy, watched, untilStored } = scene;
    const other = await startTlsTarget();
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    await bench.start({ threads, maxInFlight: 1 });
    await untilStored(1);
    const call = await ask(proxy.url);
    const make = async (url: string) => {
      const { settings } = other.check();
      const body = { url, vantageIds: [watched.vantageId], settings: { caPem: settings.caPem } };
      return ((await call('POST', '/api/v1/measurements', { body })).json as Measurement).id;
    };
    const until = (id: string, state: string) =>
      vi.waitFor(async () => {
        const { vantages } = (await call('GET', `/api/v1/measurements/${id}`)).json as Measurement;
        expect(vantages.map((each) => each.state)).toEqual([state]);
      }, within);
    // One whose server says nothing takes the only place.
    const connected = once(silent, 'connection');
    const silentUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    await make(silentUrl);
    const [socket] = await connected;
    const { url } = other.check();
    const cancelled = await make(url);
    await until(cancelled, 'taken');
    expect((await call('DELETE', `/api/v1/measurements/${cancelled}`)).status).toBe(204);
    // Its prober asks for the next ones after it has heard of that; once it has asked for the last, it has dealt with the others.
    const next = await make(url);
    await until(next, 'taken');
    await until(await make(silentUrl), 'taken');
    silent.on('connection', (later) => later.destroy());
    socket.destroy();
    await until(next, 'done');
    expect(other.handshakes).toHaveLength(1);
    silent.close();
    await other.close();
  });
});

routesTest('an answer that is lost on its way is sent again, and counts once', async ({ scene }) => {
  const { bench, proxy, target, watched, untilStored } = scene;
  let lost = 0;
  proxy.fault = ({ method, path }) => {
    if (method !== 'POST' || path !== '/api/ingest/measurements' || lost > 0) return null;
    lost += 1;
    return { kind: 'loseAnswer' };
  };
  await bench.start();
  await untilStored(1);
  const call = await ask(proxy.url);
  const body = { url: target.check().url, vantageIds: [watched.vantageId] };
  const { id } = (await call('POST', '/api/v1/measurements', { body })).json as Measurement;
  const read = async () => (await call('GET', `/api/v1/measurements/${id}`)).json as Measurement;
  await vi.waitFor(async () => expect((await read()).counts.done).toBe(1), within);
  expect(lost).toBe(1);
});

routesTest('a reader may follow a measurement, and neither make nor cancel one', async ({ scene }) => {
  const { proxy, target, watched } = scene;
  const { key } = await createKey({ name: 'r', scope: 'read' });
  const reader = asker(proxy.url, key);
  const body = { url: target.check().url, vantageIds: [watched.vantageId] };
  expect((await reader('POST', '/api/v1/measurements', { body })).status).toBe(403);
  const writer = await ask(proxy.url);
  // No prober has enrolled for the vantage yet.
  expect((await writer('POST', '/api/v1/measurements', { body })).json).toMatchObject({
    errors: [{ field: 'vantageIds.0' }],
  });
  await scene.bench.start();
  const { id } = (await writer('POST', '/api/v1/measurements', { body })).json as Measurement;
  expect((await reader('GET', `/api/v1/measurements/${id}`)).status).toBe(200);
  expect((await reader('DELETE', `/api/v1/measurements/${id}`)).status).toBe(403);
  expect((await writer('DELETE', `/api/v1/measurements/${id}`)).status).toBe(204);
});

routesTest('of a prober that is killed in the middle the vantage fails when its time is over', async ({ scene }) => {
  const { bench, proxy, watched } = scene;
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const child = bench.spawn();
  await once(child, 'message');
  const call = await ask(proxy.url);
  const connected = once(silent, 'connection');
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const body = { url, vantageIds: [watched.vantageId] };
  const { id, endsAt } = (await call('POST', '/api/v1/measurements', { body })).json as Measurement;
  const [socket] = await connected;
  await end(child, 'SIGKILL');
  const before = await getMeasurement(id, 'editor');
  expect(before.vantages).toMatchObject([{ state: 'taken', reason: null }]);
  const after = await getMeasurement(id, 'editor', new Date(endsAt));
  expect(after).toMatchObject({ finished: true, counts: { total: 1, pending: 0, failed: 1 } });
  expect(after.vantages).toMatchObject([{ state: 'failed', reason: 'no_answer', result: null }]);
  socket.destroy();
  silent.close();
});

routesTest('a prober refuses a private address by its own list, whatever the server allows', async ({ scene }) => {
  const { bench, proxy, target, watched } = scene;
  await bench.start({ allowPrivate: [] });
  const call = await ask(proxy.url);
  const body = { url: target.check().url, vantageIds: [watched.vantageId] };
  const { id } = (await call('POST', '/api/v1/measurements', { body })).json as Measurement;
  await vi.waitFor(async () => {
    const { vantages } = await getMeasurement(id, 'editor');
    expect(vantages).toMatchObject([{ state: 'failed', result: { failure: { reason: 'address_not_allowed' } } }]);
  }, within);
});
