import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { onTestFinished } from 'vitest';
import { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { realEnvironment } from '#probe/environment.ts';
import { measure, type ProbeRequest } from '#probe/measure.ts';

const environment = realEnvironment();

type Overrides = Partial<Omit<ProbeRequest, 'settings'>> & { settings?: Partial<ProbeSettings> };

/** A probe of a server of the test's own, which lives on the loopback. */
export function requestFor(url: string, { settings, ...overrides }: Overrides = {}): ProbeRequest {
  return {
    id: uuidv7(),
    url,
    settings: ProbeSettings.parse(settings ?? {}),
    timeoutMs: 5_000,
    targetId: null,
    vantage: null,
    demo: false,
    allowPrivate: true,
    ...overrides,
  };
}

/** Probes for real; the Result has passed the contract's schema. */
export async function probe(url: string, overrides: Overrides = {}) {
  const { result, session } = await measure(requestFor(url, overrides), environment);
  return { result: Result.parse(result), session };
}

/** Probes until the engine itself calls the Result clean: what a busy machine did to the others proves nothing. */
export async function cleanProbe(url: string, overrides: Overrides = {}) {
  let probed = await probe(url, overrides);
  for (let more = 50; more > 0 && !probed.result.prober.clean; more -= 1) probed = await probe(url, overrides);
  return probed;
}

export type Listening = { port: number; url: string; open: Set<Socket>; close(): Promise<void> };

/** Listens on a free port of a loopback address and remembers its connections, so that a test can see them closed. */
export async function listen(server: Server, host = 'localhost', address = '127.0.0.1'): Promise<Listening> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { port, url: `https://${host}:${port}/`, open, close };
}

/** A plain TCP server that does as told with each connection. */
export function rawServer(onConnection: (socket: Socket) => void): Promise<Listening> {
  return listen(createServer(onConnection));
}

/** The server, which is closed when the running test has ended. */
export async function forThisTest(server: Promise<Listening>): Promise<Listening> {
  const listening = await server;
  onTestFinished(() => listening.close());
  return listening;
}
