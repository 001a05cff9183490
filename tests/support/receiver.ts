import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export type Received = { url: string; headers: IncomingHttpHeaders; body: string; at: number };
export type Reply = { status?: number; headers?: Record<string, string>; body?: string } | 'hang' | 'break';

/** A receiver of webhooks on 127.0.0.1. `next` waits until so many requests have come in all. */
export type Receiver = {
  url: string;
  received: Received[];
  next: (count: number) => Promise<Received[]>;
  stop: () => Promise<void>;
};

/** Starts one that answers as `answer` says. `hang` never answers, `break` closes the connection. */
export async function startReceiver(
  answer: (request: Received) => Reply | Promise<Reply> = () => ({}),
): Promise<Receiver> {
  const received: Received[] = [];
  let wake = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { url = '', headers } = request;
      const one = { url, headers, body: Buffer.concat(chunks).toString(), at: Date.now() };
      received.push(one);
      wake.resolve();
      wake = Promise.withResolvers();
      const reply = await answer(one);
      if (reply === 'hang') return;
      if (reply === 'break') response.destroy();
      else response.writeHead(reply.status ?? 200, reply.headers).end(reply.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const next = async (count: number) => {
    while (received.length < count) await wake.promise;
    return received;
  };
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/hook`, received, next, stop };
}

/** An answer of JSON. */
export const jsonReply = (body: unknown): Exclude<Reply, string> => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
