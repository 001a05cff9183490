import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issue } from '../support/pki.ts';

/** One request that the origin answered in full: what a prober measured, told by the other end of the connection. */
export type Served = {
  /** The path of the URL, which tells the target. */
  path: string;
  /** The client's port: the Result's `network.localPort`. */
  port: number;
  /** When the answer had left, ms since 1970 by this machine's right clock. */
  at: number;
};

/** A real TLS server that keeps a ledger of all that it served: the truth that stored results are held against. */
export type Origin = { url: string; served: Served[]; close(): Promise<void> };

export async function startOrigin(): Promise<Origin> {
  const authority = await createAuthority({ name: 'Fault bench root', key: 'ec' });
  const { chainPem, keyPem } = await issue(authority, { names: ['127.0.0.1'] });
  const served: Served[] = [];
  const server = createServer({ cert: chainPem, key: keyPem, ALPNProtocols: ['http/1.1'] }, (request, response) => {
    const path = request.url ?? '/';
    const port = request.socket.remotePort ?? 0;
    response.once('finish', () => served.push({ path, port, at: Date.now() }));
    response.end('hello');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `https://127.0.0.1:${port}`, served, close };
}
