import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** The port of `--port`; else a StartError. */
export function parsePort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new StartError(`--port is ${JSON.stringify(value)}, which is not a port: give a number from 1 to 65535.`);
}

/** The address to type into a browser. A server on all addresses is reached on this machine by localhost. */
export function browserUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Binds the address for a moment: it is better to hear that a port is taken before anything else is started. */
export async function checkAddress(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  } catch (error) {
    throw new StartError(addressProblem(host, port, (error as NodeJS.ErrnoException).code));
  }
}

function addressProblem(host: string, port: number, code: string | undefined): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use, by a program that listens there or an outgoing connection: stop that program, or choose another port with --port or PORT.`;
  }
  if (code === 'EACCES') {
    return `Port ${port} may not be used by this user: choose one above 1023 with --port or PORT.`;
  }
  return `${host} is not an address of this machine (${code}): choose another with --host or HOST, such as 127.0.0.1.`;
}
