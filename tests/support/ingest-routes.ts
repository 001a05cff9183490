import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { noteFiguresRead } from '#server/monitoring/watching.ts';

export type IngestRoutes = { url: string; close(): Promise<void> };

/** The server's own API over real HTTP, for probers on the database of this process, without the dashboard's build. */
export async function serveIngest(port = 0): Promise<IngestRoutes> {
  const { answer } = await import('#server/api/api.ts');
  const serve = async (from: IncomingMessage, to: ServerResponse) => {
    const { method = 'GET', url = '/' } = from;
    const gone = new AbortController();
    to.once('close', () => gone.abort());
    const body = await buffer(from);
    noteFiguresRead(); // somebody watches: probers send every second
    const request = new Request(new URL(url, 'http://127.0.0.1'), {
      method,
      headers: from.headers as Record<string, string>,
      body: method === 'POST' ? new Uint8Array(body) : null,
      signal: gone.signal,
    });
    const response = await answer(request);
    to.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) to.write(chunk);
    to.end();
  };
  const server = createServer((from, to) => void serve(from, to).catch(() => to.destroy()));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
