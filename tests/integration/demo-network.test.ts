import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emulatedNetwork } from '#demo/network.ts';
import { startOriginThread } from '#demo/origin-thread.ts';
import type { Origins } from '#demo/origins.ts';
import { seededRandom } from '#demo/random.ts';
import { handshake, originOf } from '../support/demo-line.ts';
import { prepareFolder } from '../support/folder.ts';

let running: Origins;
const none = new AbortController().signal;

const folder = prepareFolder('demo');
beforeAll(async () => {
  running = await startOriginThread(folder);
});
afterAll(async () => {
  await running.close();
});

const origin = (key: string) => originOf(running, key);

describe('the demo network', () => {
  it('does not resume a session of the legacy origin', async () => {
    const place = { region: 'CN-GD', carrier: 'telecom' } as const;
    const first = await handshake(running, 'legacy', place);
    const session = first.socket.getSession();
    first.socket.destroy();
    const second = await handshake(running, 'legacy', place, { session });
    expect(second.socket.isSessionReused()).toBe(false);
    second.socket.destroy();
  });

  it('delivers the whole page, and its end, through the line', async () => {
    const { socket } = await handshake(running, 'legacy', { region: 'CN-GD', carrier: 'telecom' });
    const page = request({ createConnection: () => socket, host: origin('legacy').host, path: '/' });
    page.end();
    const [response] = await once(page, 'response');
    let bytes = 0;
    for await (const chunk of response) bytes += chunk.length;
    expect(response.statusCode).toBe(200);
    expect(bytes).toBe(24 * 1024);
    socket.destroy();
  });

  it('knows its own names and ports alone, and stops waiting when told', async () => {
    const vantage = { region: 'CN-BJ', carrier: 'unicom' } as const;
    const network = emulatedNetwork({ vantage, destinations: running.origins, random: seededRandom(1) });
    const { addresses } = await network.resolve('good.demo.roundtrip.test', null, none);
    expect(addresses).toEqual([{ address: '127.0.0.1', family: 4 }]);
    await expect(network.resolve('example.com', null, none)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(network.connect('127.0.0.1', 1, 4, none)).rejects.toMatchObject({ code: 'EHOSTUNREACH' });
    const stopped = AbortSignal.abort();
    await expect(network.connect('127.0.0.1', origin('good').port, 4, stopped)).rejects.toThrow();
  });

  it('starts again at the same ports with the same certificates', async () => {
    await running.close();
    const before = running.origins;
    running = await startOriginThread(folder);
    expect(running.origins).toEqual(before);
  });

  it('moves to another port where its own is taken, and remembers that one', async () => {
    await running.close();
    const before = origin('good').port;
    const squatter = createServer().listen(before, '127.0.0.1');
    await once(squatter, 'listening');
    running = await startOriginThread(folder);
    const moved = origin('good').port;
    expect(moved).not.toBe(before);
    squatter.close();
    await running.close();
    running = await startOriginThread(folder);
    expect(origin('good').port).toBe(moved);
  });

  it('mints anew when what it kept is damaged', async () => {
    await running.close();
    const before = origin('good').caPem;
    await writeFile(join(folder, 'identities.json'), '{"version":1,');
    running = await startOriginThread(folder);
    expect(origin('good').caPem).not.toBe(before);
    const { socket } = await handshake(running, 'good', { region: 'CN-BJ', carrier: 'unicom' });
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });
});
