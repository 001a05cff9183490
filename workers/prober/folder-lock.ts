import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';

/** Frees the folder. */
export type Release = () => void;

/**
 * Keeps a second prober out of a data folder: two would delete each other's results. The lock is a name in the kernel,
 * not a file, so it ends with the process, however that ends. Null where it is taken. Where the system has no such
 * names (macOS) nothing is locked.
 */
export async function lockFolder(folder: string): Promise<Release | null> {
  const name = `roundtrip-prober-${createHash('sha256').update(realOf(folder)).digest('hex').slice(0, 32)}`;
  const path = { linux: `\0${name}`, win32: `\\\\.\\pipe\\${name}` }[process.platform as string];
  if (path === undefined) return () => {};
  const server = createServer((socket) => socket.destroy()).listen(path);
  server.unref();
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return null;
    throw error;
  }
  return () => void server.close();
}

function realOf(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return realpathSync(folder);
}
