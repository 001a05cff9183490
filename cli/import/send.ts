import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type ImportedMeasurement, ImportReport, MAX_IMPORT_BYTES, MAX_IMPORTED } from '#contract/import.ts';
import { askServer, RefusedError, type Server } from '../ask-server.ts';
import { StartError } from '../start-error.ts';
import type { ReadFile } from './measurements.ts';

// Measurements to a server, in requests that it takes: at most so many, and so many bytes.

const TIMEOUT_MS = 120_000;
/** How often a server that is busy is asked for one thing, and how long at most between two times, ms. */
const MOST_TRIES = 5;
const LONGEST_PAUSE_MS = 120_000;

/** Where to, and as what. `anyHost`: also what was measured of another host than the target's. */
export type Sending = Server & { target: string; source: string; anyHost?: boolean };

export type Sent = {
  stored: number;
  already: number;
  tooOld: number;
  /** Why the rest was not sent; null where all was. */
  error: Error | null;
};

/**
 * Sends all; what is stored before something fails stays stored, and is counted. Throws StartError, with nothing sent, where there is no such
 * target, where it is of another host, and where the server cannot be asked for it.
 */
export async function sendMeasurements({ measurements, places, hosts }: ReadFile, sending: Sending): Promise<Sent> {
  const target = await findTarget(sending);
  if (!sending.anyHost) refuseOthers(hosts, sending.target, target.url);
  const sent: Sent = { stored: 0, already: 0, tooOld: 0, error: null };
  try {
    for (const { first, body } of requestsOf(target.id, sending.source, measurements)) {
      const place = (field: string) => places[first + Number(/^measurements\.(\d+)\./.exec(field)?.[1])] ?? '';
      const report = ImportReport.parse(await ask(sending, 'api/v1/imports', { method: 'POST', body }, place));
      for (const name of ['stored', 'already', 'tooOld'] as const) sent[name] += report[name];
    }
  } catch (error) {
    sent.error = error as Error;
  }
  return sent;
}

/** The bodies of requests, each with the index of its first measurement. */
export function* requestsOf(
  targetId: string,
  source: string,
  measurements: readonly ImportedMeasurement[],
): Generator<{ first: number; body: string }> {
  const head = `${JSON.stringify({ targetId, source }).slice(0, -1)},"measurements":[`;
  const end = ']}';
  const bare = Buffer.byteLength(head + end);
  let [first, bytes, texts]: [number, number, string[]] = [0, bare, []];
  for (const measurement of measurements) {
    const text = JSON.stringify(measurement);
    const more = Buffer.byteLength(text) + 1;
    if (texts.length === MAX_IMPORTED || (texts.length > 0 && bytes + more > MAX_IMPORT_BYTES)) {
      yield { first, body: `${head}${texts.join(',')}${end}` };
      [first, bytes, texts] = [first + texts.length, bare, []];
    }
    texts.push(text);
    bytes += more;
  }
  if (texts.length > 0) yield { first, body: `${head}${texts.join(',')}${end}` };
}

const Found = z.object({ id: z.string(), url: z.string() });
const Page = z.object({ data: z.array(Found) });

async function findTarget(sending: Sending): Promise<z.infer<typeof Found>> {
  const { target } = sending;
  if (z.uuid().safeParse(target).success) return Found.parse(await ask(sending, `api/v1/targets/${target}`));
  const query = new URLSearchParams({ name: target, limit: '2' });
  const [found, second] = Page.parse(await ask(sending, `api/v1/targets?${query}`)).data;
  if (!found) throw new StartError(`The server has no target “${target}”.`);
  if (second) throw new StartError(`Several targets are named “${target}”: give the id.`);
  return found;
}

const plain = (host: string) => host.toLowerCase().replace(/\.$/, '');

/** Throws StartError where something was measured of another host than that of the URL. */
function refuseOthers(hosts: ReadonlySet<string>, target: string, url: string): void {
  const own = plain(new URL(url).hostname.replace(/^\[|\]$/g, ''));
  const others = [...hosts].filter((host) => plain(host) !== own);
  if (others.length > 0)
    throw new StartError(
      `The file is of ${others.slice(0, 5).join(', ')}, and the target “${target}” is ${own}. Give --any-host to take it over all the same.`,
    );
}

/** The answer of the server; a busy one is asked again when it says. Throws as `askServer` does. */
async function ask(
  server: Server,
  path: string,
  init: RequestInit = {},
  place?: (field: string) => string,
): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await askServer(server, path, { ...init, signal }, place);
      return await answer.json().catch(({ message }: Error) => {
        throw new StartError(`The answer of the server broke off: ${message}.`);
      });
    } catch (error) {
      if (!(error instanceof RefusedError) || error.retryAfterMs === null || tries === MOST_TRIES) throw error;
      const pauseMs = Math.min(error.retryAfterMs, LONGEST_PAUSE_MS);
      process.stderr.write(`${error.message} Asking again in ${Math.ceil(pauseMs / 1_000)} s.\n`);
      await pause(pauseMs);
    }
  }
}
