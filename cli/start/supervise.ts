import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { keepYoungGenerationSmall } from '#probe/load/young-generation.ts';
import { checkAddress } from '../address.ts';
import { ADDRESS_FILE, dataFolder, keptSecret, prepareDataFolder } from '../database/data-folder.ts';
import { Clerk } from './clerk.ts';
import type { StartOptions } from './options.ts';
import { Running } from './running.ts';
import { onStopSignal } from './signals.ts';
import { startUp } from './start-up.ts';
import { openTerminal } from './terminal.ts';

/**
 * Starts every part and returns when a signal has stopped them all. Throws a StartError where the start fails, or where
 * the database cannot be kept running.
 */
export async function supervise(options: StartOptions): Promise<void> {
  keepYoungGenerationSmall();
  const folder = dataFolder();
  prepareDataFolder(folder);
  await checkAddress(options.host, options.port);
  process.env.ROUNDTRIP_DATA = folder;
  process.env.ROUNDTRIP_SECRET ||= keptSecret(folder);

  const logFile = path.join(folder, 'logs', 'start.log');
  const terminal = openTerminal(process.stdout, (line) => appendFileSync(logFile, `Output closed: ${line}`));
  const clerk = new Clerk(logFile);
  const running = new Running(terminal, clerk);
  const stopped = Promise.withResolvers<void>();
  stopped.promise.catch(() => {});
  let asked = false;
  onStopSignal(
    () => {
      asked = true;
      terminal.print('Stopping …');
      running.stop().then(stopped.resolve, stopped.reject);
    },
    () => void running.force().finally(() => process.exit(130)),
  );
  running.failed.catch((error) => {
    asked = true;
    terminal.print('Stopping …');
    running.stop().finally(() => stopped.reject(error));
  });
  const addressFile = path.join(folder, ADDRESS_FILE);
  try {
    await startUp({ options, folder, terminal, running, clerk });
    writeFileSync(addressFile, `${options.url}\n`);
    collectGarbage();
  } catch (error) {
    await running.stop();
    if (!asked) throw error;
  }
  await stopped.promise.finally(() => rmSync(addressFile, { force: true }));
  terminal.print('Stopped.');
}

/** What the start has left behind is given back, 15 MB: from here on so little is made that V8 would not look for it. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
