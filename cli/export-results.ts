import { statSync } from 'node:fs';
import { Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import type { ExportFormat } from '#contract/query.ts';
import { askServer, type Server } from './ask-server.ts';
import { StartError } from './start-error.ts';
import { writeWhole } from './whole-file.ts';

/** A day of UTC: its name, its beginning and its end, RFC 3339. */
export type Day = { name: string; from: string; to: string };

const DAY_MS = 86_400_000;

/** The day that an argument names. Throws InvalidArgumentError for what is none, and for one that is not over: more would come. */
export function dayOf(name: string, now = Date.now()): Day {
  const from = /^\d{4}-\d\d-\d\d$/.test(name) ? Date.parse(`${name}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(from) || !new Date(from).toISOString().startsWith(name))
    throw new InvalidArgumentError('It must be a day of UTC, such as 2026-11-28.');
  const [begins, to] = [from, from + DAY_MS].map((ms) => new Date(ms).toISOString()) as [string, string];
  if (Date.parse(to) > now) throw new InvalidArgumentError(`The day is not over: it ends at ${to}.`);
  return { name, from: begins, to };
}

/**
 * Fetches all results of a day into a file, and says how large it is. Throws StartError where the download breaks off: there is no file then.
 */
export async function exportResults(
  typed: Server,
  { name, from, to }: Day,
  format: ExportFormat,
  out: string | undefined,
): Promise<void> {
  const file = out ?? `roundtrip-results-${name}.${format}`;
  const query = new URLSearchParams({ from, to, format });
  await writeWhole(file, async (writable) => {
    const { body } = await askServer(typed, `api/v1/exports/results?${query}`, {});
    // `writeWhole` closes the file, or drops it.
    const left = { preventClose: true, preventAbort: true };
    await body?.pipeTo(Writable.toWeb(writable), left).catch(({ message }: Error) => {
      throw new StartError(`The download broke off (${message}): ${file} was not made.`);
    });
  });
  process.stdout.write(`${file}: ${statSync(file).size} bytes\n`);
}
