import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { WEB_BUILD } from './prepare.ts';
import { StartError } from './start-error.ts';

/** Serves the dashboard and the API in this process, at HOST and PORT, until it is told to stop. */
export async function serveWeb(): Promise<void> {
  const server = path.join(WEB_BUILD, 'server.js');
  if (!existsSync(server)) throw new StartError('The web application is not built: run `npx roundtrip build` first.');
  // Next's own name for the address; the shell may hold the machine's name in it.
  process.env.HOSTNAME = process.env.HOST || '127.0.0.1';
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  await import(pathToFileURL(server).href);
}
