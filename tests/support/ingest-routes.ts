import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { noteFiguresRead } from '#server/monitoring/watching.ts';

type Method = 'GET' | 'POST' | 'DELETE';
type Route = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;
export type IngestRoutes = { url: string; close(): Promise<void> };

/** The server's own ingest routes, and those of measurements, over real HTTP on the database of this process, without the dashboard's build. */
export async function serveIngest(port = 0): Promise<IngestRoutes> {
  const routes: Record<string, Partial<Record<Method, Route>>> = {
    '/api/ingest/enrol': await import('#app/api/ingest/enrol/route.ts'),
    '/api/ingest/assignments': await import('#app/api/ingest/assignments/route.ts'),
    '/api/ingest/results': await import('#app/api/ingest/results/route.ts'),
    '/api/ingest/measurements': await import('#app/api/ingest/measurements/route.ts'),
    '/api/v1/measurements': await import('#app/api/v1/measurements/route.ts'),
    '/api/v1/measurements/{id}': await import('#app/api/v1/measurements/[id]/route.ts'),
  };
  const answer = async (from: IncomingMessage, to: ServerResponse) => {
    const { method = 'GET', url = '/' } = from;
    const gone = new AbortController();
    to.once('close', () => gone.abort());
    const body = await buffer(from);
    noteFiguresRead(); // somebody watches: probers send every second
    const [, path = '', id = ''] = /^(.*?)(?:\/([0-9a-f-]{36}))?(?:\?|$)/.exec(url) ?? [];
    const params: Record<string, string> = id ? { id } : {};
    const route = routes[id ? `${path}/{id}` : path]?.[method as Method];
    if (!route) return void to.writeHead(404).end();
    const request = new Request(new URL(url, 'http://127.0.0.1'), {
      method,
      headers: from.headers as Record<string, string>,
      body: method === 'POST' ? new Uint8Array(body) : null,
      signal: gone.signal,
    });
    const response = await route(request, { params: Promise.resolve(params) });
    to.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) to.write(chunk);
    to.end();
  };
  const server = createServer((from, to) => void answer(from, to).catch(() => to.destroy()));
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
