import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReadFile } from '#cli/import/measurements.ts';
import { requestsOf, type Sending, sendMeasurements } from '#cli/import/send.ts';
import { ImportCreate, type ImportedMeasurement, MAX_IMPORT_BYTES } from '#contract/import.ts';

const TARGET = { id: '0199a0e2-6b1c-7000-8000-000000000001', url: 'https://shop.example.org/' };

function measured(count: number, more: Partial<ImportedMeasurement> = {}): ImportedMeasurement[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ at: new Date(1_793_500_000_000 + index * 1_000).toISOString(), country: 'CN', region: 'CN-GD' },
    ...{ carrier: 'telecom', ok: true, ...more },
  }));
}

const fileOf = (measurements: ImportedMeasurement[], ...hosts: string[]): ReadFile => ({
  measurements,
  places: measurements.map((_, index) => `line ${index + 2}`),
  left: [],
  hosts: new Set(hosts),
  notes: [],
});

describe('requests of an import', () => {
  const requests = (measurements: ImportedMeasurement[]) =>
    [...requestsOf(TARGET.id, '“other”', measurements)].map(({ first, body }) => {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_IMPORT_BYTES);
      return { first, ...ImportCreate.parse(JSON.parse(body)) };
    });

  it('have at most 5,000 measurements', () => {
    const all = measured(12_001);
    const parts = requests(all);
    expect(parts.map(({ first, measurements }) => [first, measurements.length])).toEqual([
      [0, 5_000],
      [5_000, 5_000],
      [10_000, 2_001],
    ]);
    expect(parts.flatMap(({ measurements }) => measurements)).toEqual(all);
    expect(parts[0]).toMatchObject({ targetId: TARGET.id, source: '“other”' });
    expect(requests([])).toEqual([]);
  });

  it('have at most 4 MiB, however long the reasons are', () => {
    const all = measured(5_000, { ok: false, reason: '超时'.repeat(500) });
    const parts = requests(all);
    expect(parts.flatMap(({ measurements }) => measurements)).toEqual(all);
    const bytes = Buffer.byteLength(JSON.stringify(all));
    expect(parts).toHaveLength(Math.ceil(bytes / MAX_IMPORT_BYTES));
  });
});

type Answer = { status: number; json: unknown; retryAfter?: number };
const servers: ReturnType<typeof createServer>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

const stored = (count: number): Answer => ({
  status: 200,
  json: { stored: count, already: 1, tooOld: 2, vantages: 1 },
});
const problem = (status: number, detail: string, more: object = {}, retryAfter?: number): Answer => ({
  status,
  json: { type: 'urn:roundtrip:problem:x', title: 'No', status, detail, ...more },
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

/** A server that has the target, and gives these answers to imports, one after the other. */
async function serve(...answers: Answer[]) {
  const asked: string[] = [];
  const answerTo = ({ method, url = '' }: IncomingMessage): Answer => {
    if (method === 'POST') return answers.shift() ?? problem(500, 'no more answers');
    if (url.startsWith('/api/v1/targets?')) return { status: 200, json: { data: [TARGET], nextCursor: null } };
    return { status: 200, json: TARGET };
  };
  const server = createServer(async (request, response) => {
    await text(request);
    asked.push(`${request.method} ${request.url}`);
    const { status, json, retryAfter } = answerTo(request);
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sending: Sending = {
    ...{ server: `http://127.0.0.1:${port}`, keyFile: 'rt_0123456789', target: 'shop', source: 'CSV' },
  };
  return { asked, sending };
}

describe('an import to a server', () => {
  it('is sent part by part to the target of the name, and summed up', async () => {
    const { asked, sending } = await serve(stored(4_997), stored(98));
    const sent = await sendMeasurements(fileOf(measured(5_101)), sending);
    expect(sent).toEqual({ stored: 5_095, already: 2, tooOld: 4, error: null });
    expect(asked).toEqual(['GET /api/v1/targets?name=shop&limit=2', 'POST /api/v1/imports', 'POST /api/v1/imports']);
  });

  it('asks a busy server again', async () => {
    const { asked, sending } = await serve(
      problem(503, 'A day is sealed.', {}, 0),
      problem(429, 'Too many.', {}, 0),
      stored(1),
    );
    expect(await sendMeasurements(fileOf(measured(1)), sending)).toMatchObject({ stored: 1, error: null });
    expect(asked.slice(1)).toEqual(Array.from({ length: 3 }, () => 'POST /api/v1/imports'));
  });

  it('ends with what was stored where a server stays busy, or refuses', async () => {
    const busy = Array.from({ length: 9 }, () => problem(503, 'The database is away.', {}, 0));
    const first = await serve(stored(5_000), ...busy);
    const sent = await sendMeasurements(fileOf(measured(5_001)), first.sending);
    expect(sent).toMatchObject({ stored: 5_000, error: { message: 'The database is away.' } });
    expect(first.asked).toHaveLength(1 + 1 + 5);
    const errors = [{ field: 'measurements.3.at', message: 'is in the future' }];
    const second = await serve(stored(5_000), problem(400, 'Wrong.', { errors }));
    const refused = await sendMeasurements(fileOf(measured(5_010)), second.sending);
    expect(refused).toMatchObject({
      stored: 5_000,
      error: { message: 'line 5005: measurements.3.at is in the future' },
    });
    expect(second.asked).toHaveLength(3);
  });

  it('is refused where it was measured of another host', async () => {
    const { asked, sending } = await serve(stored(1), stored(1));
    const file = fileOf(measured(1), 'SHOP.example.org.', 'api.example.org');
    await expect(sendMeasurements(file, sending)).rejects.toThrow(
      'The file is of api.example.org, and the target “shop” is shop.example.org. Give --any-host to take it over all the same.',
    );
    expect(asked).toHaveLength(1);
    expect(await sendMeasurements(file, { ...sending, anyHost: true })).toMatchObject({ stored: 1 });
    const same = { ...sending, target: TARGET.id };
    expect(await sendMeasurements(fileOf(measured(1), 'shop.example.org'), same)).toMatchObject({ stored: 1 });
    expect(asked).toContain(`GET /api/v1/targets/${TARGET.id}`);
  });
});
