import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { emulatedNetwork } from '#demo/network.ts';
import { startOriginThread } from '#demo/origin-thread.ts';
import type { Origin, Origins } from '#demo/origins.ts';
import { pathBetween, type Site } from '#demo/places.ts';
import { seededRandom } from '#demo/random.ts';

// Handshakes with the demo's origins over its emulated network, without loss and jitter.

const none = new AbortController().signal;
/** Paths between two places as the demo has them, without loss. */
export const lossless = (a: Site, b: Site) => ({ ...pathBetween(a, b, 0), loss: 0 });

/** The demo's origins, in a folder of their own. */
export async function startOrigins(): Promise<{ running: Origins; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'roundtrip-demo-'));
  const running = await startOriginThread(folder);
  const stop = async () => {
    await running.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { running, stop };
}

export function originOf(running: Origins, key: string): Origin {
  const found = running.origins.find((o) => o.key === key);
  if (!found) throw new Error(`no origin ${key}`);
  return found;
}

/** Times in ms: that of the emulated line, and what TCP and TLS took. */
export type Timed = { socket: TLSSocket; rttMs: number; tcpMs: number; tlsMs: number };

/** One handshake of a place with an origin of these. */
export async function handshake(
  running: Origins,
  key: string,
  vantage: Site,
  options: ConnectionOptions = {},
): Promise<Timed> {
  const target = originOf(running, key);
  const random = seededRandom(7);
  const network = emulatedNetwork({
    vantage,
    destinations: running.origins,
    random,
    conditions: lossless,
    jitter: false,
  });
  const begun = performance.now();
  const { stream } = await network.connect('127.0.0.1', target.port, 4, none);
  const connected = performance.now();
  const socket = connect({ socket: stream, servername: target.host, ca: target.caPem, requestOCSP: true, ...options });
  await once(socket, 'secureConnect');
  const rttMs = pathBetween(vantage, target.site, 0).rttMs;
  return { socket, rttMs, tcpMs: connected - begun, tlsMs: performance.now() - connected };
}
