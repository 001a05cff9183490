import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that takes the demo's webhook; opened in a browser it shows what came last. */
export type Receiver = { url: string; close(): Promise<void> };

type Message = { at: Date; type: string; id: string; body: string };

/** Messages that are remembered, and the longest body that is taken. */
const REMEMBERED = 50;
const LONGEST_BODY = 1_000_000;

/** Starts a receiver at a free port. */
export async function startReceiver(): Promise<Receiver> {
  const messages: Message[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') void take(request, response, messages);
    else response.setHeader('content-type', 'text/plain; charset=utf-8').end(pageOf(messages));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}

async function take(request: IncomingMessage, response: ServerResponse, messages: Message[]): Promise<void> {
  try {
    const body = await bodyOf(request);
    if (body === null) return void response.writeHead(413).end();
    const id = String(request.headers['webhook-id'] ?? '');
    // A retry has the id of the first try: a receiver that keeps to the standard takes it once.
    if (!messages.some((known) => known.id === id)) messages.unshift({ at: new Date(), type: typeOf(body), id, body });
    messages.splice(REMEMBERED);
    response.writeHead(204).end();
  } catch {
    request.destroy(); // the sender broke off
  }
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LONGEST_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function typeOf(body: string): string {
  try {
    return String(JSON.parse(body).type);
  } catch {
    return 'not JSON';
  }
}

function pageOf(messages: readonly Message[]): string {
  if (messages.length === 0) return 'No message of a webhook has come yet.\n';
  return messages.map(({ at, type, id, body }) => `${at.toISOString()}  ${type}  ${id}\n${body}\n`).join('\n');
}
