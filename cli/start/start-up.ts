import http from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Readiness } from '#contract/health.ts';
import type { PasswordState } from '#server/access/admin.ts';
import { isDatabaseAway } from '#server/database/faults.ts';
import { shownPath } from '../database/data-folder.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { OTHER_PASSWORD, passwordText } from '../password.ts';
import { StartError } from '../start-error.ts';
import { ErrandError } from './clerk.ts';
import type { Part } from './part.ts';
import type { Start } from './running.ts';
import { prepareInstallation, startMeasuring, startServing } from './start-parts.ts';

const READY_POLL_MS = 40;
const READY_PATIENCE_MS = 60_000;

/** Brings every part up, side by side where it can, and prints the dashboard's address when it answers. */
export async function startUp(start: Start): Promise<void> {
  try {
    await bringUp(start);
  } catch (error) {
    const away = error instanceof ErrandError ? error.databaseAway : isDatabaseAway(error);
    if (!away) throw error;
    throw new StartError('PostgreSQL ended during the start: start again; if it happens again, see its log.');
  }
}

async function bringUp(start: Start): Promise<void> {
  const { terminal, running } = start;
  await openUpToDate(start);
  const serving = startServing(start)
    .then((web) => untilReady(start.options.url, web, running.signal))
    .then((warning) => {
      if (warning !== null) terminal.line('Secret', warning);
    });
  const installed = prepareInstallation(start);
  const [password] = await allOrFirstError([installed, startMeasuring(start, { installed, serving }), serving]);
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

/** The clerk works with `DATABASE_URL` from here on, and so do the parts. */
async function openUpToDate({ folder, terminal, running, clerk }: Start): Promise<void> {
  const database: Database = await running.holdDatabase(
    openDatabase(folder, (line) => terminal.line('PostgreSQL', line)),
  );
  terminal.line('PostgreSQL', database.description);
  database.failed?.catch((error) => running.fail(error));
  running.signal.throwIfAborted();
  process.env.DATABASE_URL = database.url;
  const applied = await clerk.do('migrate', database.url).catch((error: Error) => {
    throw new StartError(`The database could not be migrated: ${error.message}`);
  });
  terminal.line('Migrations', applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`);
}

function printAddress({ options, terminal, folder }: Start, password: PasswordState): void {
  terminal.print('');
  terminal.print(`Dashboard: ${options.url}`);
  if (password.state === 'generated') terminal.print(`Admin password: ${passwordText(password)}`);
  else if (password.state === 'kept' && password.given === 'other') terminal.print(OTHER_PASSWORD);
  terminal.print(`Ctrl-C stops everything; logs are in ${shownPath(path.join(folder, 'logs'))}.`);
}

/**
 * Returns when the web process says that everything it needs is up. Throws a StartError with the reason where it does not within
 * a minute, or as soon as it cannot run at all. Where all that is wrong is the secret, which can be put right on the pages alone, it
 * returns that as a sentence.
 */
async function untilReady(url: string, web: Part | null, signal: AbortSignal): Promise<string | null> {
  const giveUpAt = performance.now() + READY_PATIENCE_MS;
  let reason = 'it does not listen';
  while (performance.now() < giveUpAt) {
    signal.throwIfAborted();
    try {
      const limits = [signal, AbortSignal.timeout(5_000), ...(web ? [web.gaveUp] : [])];
      const { status, said } = await ask(`${url}/api/ready`, AbortSignal.any(limits));
      if (status === 200) return secretProblem(said);
      reason = said.slice(0, 300);
    } catch {
      signal.throwIfAborted();
    }
    web?.gaveUp.throwIfAborted();
    await pause(READY_POLL_MS, undefined, { signal });
  }
  throw new StartError(`The dashboard at ${url} did not become ready within ${READY_PATIENCE_MS / 1_000} s: ${reason}`);
}

/** What a readiness says of the secrets; null where they are in order. */
function secretProblem(said: string): string | null {
  const { degraded = [] } = JSON.parse(said) as Readiness;
  return degraded.find(({ part }) => part === 'secrets')?.reason ?? null;
}

/** Without `fetch`, which would take 10 MB for good. */
function ask(url: string, signal: AbortSignal): Promise<{ status: number | undefined; said: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { signal, agent: false }, (response) => {
      text(response).then((said) => resolve({ status: response.statusCode, said }), reject);
    });
    request.once('error', reject);
  });
}
