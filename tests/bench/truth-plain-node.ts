// What one writes first: node:tls, node:http2, and performance.now() in the callbacks. Run as a program, it prints a line
// of JSON a probe; `truth` puts its figures beside ours.
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createSecureContext } from 'node:tls';
import type { Load } from './truth-types.ts';

export const PLAIN_NODE_PROGRAM = import.meta.filename;

export type PlainNodeOrder = { load: Load; name: string; address: string; port: number; path: string; caFile: string };

/** One line of output, in milliseconds. */
export type PlainNodeLine = { localPort: number; connectMs: number; tlsMs: number; firstByteMs: number | null };

async function runOrder(order: PlainNodeOrder): Promise<void> {
  const { count, rate, concurrency } = order.load;
  const secureContext = createSecureContext({ ca: readFileSync(order.caFile) });
  const startedAt = performance.now();
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      const dueAt = rate === null ? 0 : startedAt + (begun * 1_000) / rate;
      begun += 1;
      const wait = dueAt - performance.now();
      if (wait > 0) await sleep(wait);
      const line = await probe(order, secureContext).catch((error: Error) => ({ error: error.message }));
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane));
}

function probe(order: PlainNodeOrder, secureContext: ReturnType<typeof createSecureContext>): Promise<PlainNodeLine> {
  return new Promise((settle, reject) => {
    const startedAt = performance.now();
    let connectedAt = 0;
    const socket = connect({
      host: order.address,
      port: order.port,
      servername: order.name,
      secureContext,
      requestOCSP: true,
      ALPNProtocols: ['h2'],
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      connectedAt = performance.now();
    });
    socket.once('secureConnect', () => {
      const securedAt = performance.now();
      const localPort = socket.localPort ?? 0;
      const timings = { localPort, connectMs: connectedAt - startedAt, tlsMs: securedAt - connectedAt };
      if (!order.load.http) {
        socket.destroy();
        return settle({ ...timings, firstByteMs: null });
      }
      const session = connectHttp2(`https://${order.name}`, { createConnection: () => socket });
      session.once('error', reject);
      const request = session.request({ ':path': order.path });
      const requestedAt = performance.now();
      let answeredAt = 0;
      request.once('response', () => {
        answeredAt = performance.now();
      });
      request.once('error', reject);
      request.once('end', () => {
        session.destroy();
        settle({ ...timings, firstByteMs: answeredAt - requestedAt });
      });
      request.resume();
    });
  });
}

if (import.meta.main) await runOrder(JSON.parse(process.argv[2] ?? ''));
