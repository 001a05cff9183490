import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import type { ProbeSettings } from '#contract/target.ts';
import { throwawayIdentity } from './certificate/throwaway-identity.ts';
import type { ProbeEnvironment } from './environment.ts';
import { threadWatcher } from './kernel/watcher.ts';
import { measure } from './measure.ts';
import { hostsFileAddresses } from './network/hosts-file.ts';
import { secureContextOf } from './tls/secure-context.ts';

/**
 * Reads the roots and probes a server of our own on the loopback once, so that the first probe of a process doesn't
 * pay in its phases for code that never ran (15 ms and more). Throws where the settings' roots are no PEM; a machine
 * that lets us listen nowhere stays cold.
 */
export async function warmUp(settings: ProbeSettings, environment: ProbeEnvironment): Promise<void> {
  secureContextOf(settings);
  await threadWatcher()?.ready;
  hostsFileAddresses('localhost');
  const server = createSecureServer({ ...(await throwawayIdentity()), allowHTTP1: true });
  server.on('request', (_, response) => response.end('warm'));
  server.on('sessionError', () => {});
  try {
    await probeOwn(await portOf(server), settings, environment);
  } catch {
    // A cold start is no reason not to measure: its stalls are in the Result.
  } finally {
    server.close();
  }
}

async function portOf(server: Http2SecureServer): Promise<number> {
  server.on('connection', (socket: Socket) => socket.unref());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function probeOwn(port: number, settings: ProbeSettings, environment: ProbeEnvironment): Promise<void> {
  const own = { ...settings, verify: false, family: null, address: null, sni: null, sigalgs: null };
  const request = { url: `https://127.0.0.1:${port}/`, settings: own, timeoutMs: 2_000, allowPrivate: true };
  await measure({ ...request, id: uuidv7(), targetId: null, vantage: null, demo: false }, environment);
}
