import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { WEB_BUILD } from './dist.mjs';

/** Serves the dashboard and the API in this process, at HOST and PORT, until it is told to stop. */
export async function serveWeb(): Promise<void> {
  // Next's own name for the address; the shell may hold the machine's name in it.
  process.env.HOSTNAME = process.env.HOST || '127.0.0.1';
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  await import(pathToFileURL(path.join(WEB_BUILD, 'server.js')).href);
}
