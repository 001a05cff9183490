import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';

const limit = 5 * 2 ** 20;

/** The server's log, open for appending, and how long it was before this start. */
export interface ServerLog {
  file: string;
  handle: FileHandle;
  before: number;
}

/** Opens the log in `folder`. One that has grown past 5 MB becomes `server.log.1`, over the one before it. */
export async function openLog(folder: string): Promise<ServerLog> {
  const file = path.join(folder, 'server.log');
  if ((await sizeOf(file)) > limit) await rename(file, `${file}.1`);
  const before = await sizeOf(file);
  return { file, handle: await open(file, 'a+', 0o600), before };
}

/** What the server wrote since the log was opened; the first 64 kB of it. */
export async function readNew({ handle, before }: ServerLog): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, before);
  return buffer.toString('utf8', 0, bytesRead);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
