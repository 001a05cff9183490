import { checkAddress } from '../address.ts';
import { dataFolder, keptSecret, prepareDataFolder } from '../database/data-folder.ts';
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
  const folder = dataFolder();
  prepareDataFolder(folder);
  await checkAddress(options.host, options.port);
  process.env.ROUNDTRIP_DATA = folder;
  process.env.ROUNDTRIP_SECRET ||= keptSecret(folder);

  const terminal = openTerminal(process.stdout);
  const running = new Running(terminal);
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
  try {
    await startUp({ options, folder, terminal, running });
  } catch (error) {
    await running.stop();
    if (!asked) throw error;
  }
  await stopped.promise;
  terminal.print('Stopped.');
}
