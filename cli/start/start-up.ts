import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { PasswordState } from '#server/access/admin.ts';
import { isDatabaseAway } from '#server/database/faults.ts';
import { shownPath } from '../database/data-folder.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { OTHER_PASSWORD, passwordText } from '../password.ts';
import { prepareClient, prepareWeb } from '../prepare.ts';
import { StartError } from '../start-error.ts';
import type { Start } from './running.ts';

const READY_POLL_MS = 40;
const READY_PATIENCE_MS = 60_000;

/** Brings every part up, side by side where it can, and prints the dashboard's address when it answers. */
export async function startUp(start: Start): Promise<void> {
  try {
    await bringUp(start);
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    throw new StartError('PostgreSQL ended during the start: start again; if it happens again, see its log.');
  }
}

async function bringUp(start: Start): Promise<void> {
  const { terminal, running } = start;
  const client = prepareClient((text) => terminal.progress('Web build', text), running.signal);
  const built = client.then(() => buildWeb(start));
  built.catch(() => {});
  const [database] = await allOrFirstError([openUpToDate(start), client]);
  process.env.DATABASE_URL = database.url;
  // These modules use the generated client, which is there only now.
  const { prepareInstallation, startMeasuring, startServing } = await import('./start-parts.ts');
  const serving = startServing(start, built).then(() => untilReady(start.options.url, running.signal));
  const installed = prepareInstallation(start);
  const [password] = await allOrFirstError([installed, startMeasuring(start, { built, installed, serving }), serving]);
  terminal.line('Web', `ready, listening on ${start.options.host} port ${start.options.port}`);
  printAddress(start, password);
}

/** Promise.all whose later failures are not unhandled: the first one says why the start failed. */
async function allOrFirstError<T extends readonly Promise<unknown>[]>(
  steps: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  for (const step of steps) step.catch(() => {});
  return Promise.all(steps);
}

async function openUpToDate({ folder, terminal, running }: Start): Promise<Database> {
  const { prepareDatabase } = await import('#server/database/migrate.ts');
  const database = await running.holdDatabase(openDatabase(folder, (line) => terminal.line('PostgreSQL', line)));
  terminal.line('PostgreSQL', database.description);
  database.failed?.catch((error) => running.fail(error));
  running.signal.throwIfAborted();
  const { applied } = await prepareDatabase(database.url).catch((error: Error) => {
    throw new StartError(`The database could not be migrated: ${error.message}`);
  });
  terminal.line('Migrations', applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`);
  return database;
}

async function buildWeb({ terminal, running }: Start): Promise<void> {
  const startedAt = performance.now();
  const built = await prepareWeb((text) => terminal.progress('Web build', text), running.signal);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  terminal.line('Web build', built ? `done in ${seconds} s` : 'up to date');
}

function printAddress({ options, terminal, folder }: Start, password: PasswordState): void {
  terminal.print('');
  terminal.print(`Dashboard: ${options.url}`);
  if (password.state === 'generated') terminal.print(`Admin password: ${passwordText(password)}`);
  else if (password.state === 'kept' && password.given === 'other') terminal.print(OTHER_PASSWORD);
  terminal.print(`Ctrl-C stops everything; logs are in ${shownPath(path.join(folder, 'logs'))}.`);
}

/** Returns when the web process says that everything it needs is up; else a StartError with its last reason. */
async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + READY_PATIENCE_MS;
  let reason = 'it does not listen';
  while (performance.now() < giveUpAt) {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${url}/api/ready`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
      });
      if (response.ok) return;
      reason = (await response.text()).slice(0, 300);
    } catch {
      signal.throwIfAborted();
    }
    await pause(READY_POLL_MS, undefined, { signal });
  }
  throw new StartError(`The dashboard at ${url} did not become ready within ${READY_PATIENCE_MS / 1_000} s: ${reason}`);
}
