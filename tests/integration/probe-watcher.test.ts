import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processNow } from '#probe/kernel/arrival-ring.ts';
import { libc } from '#probe/kernel/libc.ts';
import { threadWatcher } from '#probe/kernel/watcher.ts';
import { connectTcp } from '#probe/network/tcp.ts';

const CHUNKS = 6;

/** A server on a thread of its own: 40 ms after a connect it writes some chunks, each the instant of its sending. */
const SERVER = `
const { createServer } = require('node:net');
const { parentPort } = require('node:worker_threads');
const now = () => { const [s, ns] = process.hrtime(); return s * 1e3 + ns / 1e6; };
const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  let left = ${CHUNKS};
  const send = () => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(now());
    socket.write(bytes);
    left -= 1;
    if (left > 0) setTimeout(send, 10);
  };
  setTimeout(send, 40);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe.skipIf(libc() === null)('the watcher (needs Linux)', () => {
  let worker: Worker;
  let port: number;

  beforeAll(async () => {
    worker = new Worker(SERVER, { eval: true });
    [port] = await once(worker, 'message');
    await threadWatcher()?.ready;
  });
  afterAll(() => worker.terminate());

  test('bytes that came while the event loop computed are stamped when they came', async () => {
    // Machines have bad moments: of three tries the best must be exact, and each shows what the loop would have said.
    const errors = [await worstError(port), await worstError(port), await worstError(port)];
    expect(Math.min(...errors)).toBeLessThan(1);
  });

  test('the kernel tells the round-trip time of the SYN, and when its answer came', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const before = performance.now();
    const { port: own } = server.address() as AddressInfo;
    const { kernel, stream } = await connectTcp('127.0.0.1', own, 4, new AbortController().signal);
    expect(kernel?.atConnect).toMatchObject({ retransmits: 0, bytesReceived: expect.any(Number) });
    expect(kernel?.atConnect.rttMs).toBeGreaterThan(0);
    expect(kernel?.connectedAt).toBeGreaterThanOrEqual(before);
    expect(kernel?.connectedAt).toBeLessThanOrEqual(performance.now());
    stream.destroy();
    await once(stream, 'close');
    expect(kernel?.info().segmentsIn).toBeGreaterThan(0);
    server.close();
  });
});

test('a process with a watcher ends when its work is done', () => {
  const script = `
    import { threadWatcher } from '#probe/kernel/watcher.ts';
    await threadWatcher()?.ready;
    console.log('ready');
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
  expect(output.toString()).toBe('ready\n');
});

/**
 * The largest difference (ms) between the watcher's stamps and the sending of what came while this thread computed; infinite where the
 * watcher had no processor between two of the chunks, which then are one piece.
 */
async function worstError(port: number): Promise<number> {
  const { kernel, stream } = await connectTcp('127.0.0.1', port, 4, new AbortController().signal);
  if (!kernel) throw new Error('the kernel was not asked');
  const offset = processNow() - performance.now();
  const until = performance.now() + 40 + CHUNKS * 10 + 40;
  while (performance.now() < until); // no turn of the event loop in all this time
  const [sent] = (await once(stream, 'data')) as [Buffer];
  const readAt = performance.now();
  kernel.collect();
  const pieces = kernel.watch.log.split(sent.length, readAt);
  stream.destroy();
  expect(sent.length).toBeGreaterThanOrEqual(16);
  if (pieces.length !== sent.length / 8) return Number.POSITIVE_INFINITY;
  const sendings = pieces.map((_, index) => sent.readDoubleLE(index * 8) - offset);
  expect(readAt - (sendings[0] ?? readAt)).toBeGreaterThan(20);
  return Math.max(...pieces.map(({ at }, index) => Math.abs(at - (sendings[index] ?? 0))));
}
