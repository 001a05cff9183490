import type { Command } from 'commander';
import { Problem } from '#contract/problem.ts';
import { apiKeyFile } from './probe/files.ts';
import { serverAndKey } from './server-key.ts';
import { StartError } from './start-error.ts';

/** What a command is told of its server. */
export type Server = { server?: string; keyFile?: string; insecureServer?: boolean };

/** A command with the options that name its server. */
export const withServer = (command: Command): Command =>
  command
    .option('--server <url>', 'address of the server (or ROUNDTRIP_SERVER); its API key is in ROUNDTRIP_KEY')
    .option('--key-file <file>', 'file with the API key instead of ROUNDTRIP_KEY', apiKeyFile)
    .option('--insecure-server', 'accept an http:// server that is not this machine');

/** The address of a path of the server's API. Throws StartError as `serverAndKey` does. */
export function addressOf(typed: Server, path: string): URL {
  const { server } = serverAndKey(typed, process.env);
  return new URL(path, server.endsWith('/') ? server : `${server}/`);
}

/** What the server refused, field by field. `retryAfterMs`: when it may be asked again, where it does not answer now (429, 503); else null. */
export class RefusedError extends StartError {
  readonly errors: { field: string; message: string }[];
  readonly retryAfterMs: number | null;
  constructor(message: string, errors: RefusedError['errors'], retryAfterMs: number | null) {
    super(message);
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Of an answer 429 or 503 that does not say when, ms. */
const RETRY_AFTER_MS = 5_000;

function retryAfterMs({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = headers.get('retry-after');
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : RETRY_AFTER_MS;
}

/**
 * The answer of the server. Throws RefusedError with its own words for what it refuses, each after its `place`, and StartError where it is
 * away or is no server of Roundtrip.
 */
export async function askServer(
  typed: Server,
  path: string,
  init: RequestInit,
  place: (field: string) => string = () => '',
): Promise<Response> {
  const { key } = serverAndKey(typed, process.env);
  const url = addressOf(typed, path);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { ...init, headers }).catch((error: Error) => {
    throw new StartError(
      `${url.origin} cannot be asked: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
    );
  });
  // A sign-in page of something on the way answers 200, too.
  if (response.ok && !/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) return response;
  const problem = Problem.safeParse(await response.json().catch(() => null));
  if (!problem.success)
    throw new StartError(`${url.origin} answered ${response.status}, which is no answer of a Roundtrip server.`);
  const { errors = [], detail, title } = problem.data;
  const wrong = errors.map(({ field, message }) => `${place(field)}: ${field} ${message}`.replace(/^: /, ''));
  throw new RefusedError(wrong.length > 0 ? wrong.join('\n') : (detail ?? title), errors, retryAfterMs(response));
}
