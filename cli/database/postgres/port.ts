import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { StartError } from '../../start-error.ts';

/**
 * The port to listen on at 127.0.0.1: the one asked for, else the one remembered in `folder`, else a free one.
 * @throws StartError when the one asked for is taken.
 */
export async function choosePort(folder: string, wanted?: number): Promise<number> {
  if (wanted !== undefined) {
    if (await freePort(wanted)) return wanted;
    throw new StartError(
      `Port ${wanted}, configured for the database, is in use. Stop the program that listens there, or choose another.`,
    );
  }
  const remembered = Number(await readFile(path.join(folder, 'port'), 'utf8').catch(() => '0'));
  const free = (remembered > 0 && (await freePort(remembered))) || (await freePort(0));
  if (free) return free;
  throw new StartError('No port at 127.0.0.1 is free for the database. Close some programs and start again.');
}

/**
 * Remembered, so that a `psql` or a dashboard pointed at the database finds it after a restart. A server that runs is
 * worth more than that: on a disk that is full it goes on without.
 */
export async function rememberPort(folder: string, port: number): Promise<void> {
  await writeFile(path.join(folder, 'port'), `${port}\n`).catch(() => {});
}

/** `port` itself, any free one for 0, or null when it is taken. */
function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : null));
    });
  });
}
