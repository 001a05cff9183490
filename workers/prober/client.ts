import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
const REQUEST_TIMEOUT_MS = 30_000;

/** What became of a request. `away` is worth another try; `refused` is not, as it stands. */
export type Outcome =
  | { kind: 'ok'; body: unknown }
  | { kind: 'away'; message: string; retryAfterMs: number | null }
  | { kind: 'unauthorised'; message: string }
  | { kind: 'refused'; status: number; message: string };

export type Request = {
  method: 'GET' | 'POST';
  /** Relative to the server's address, as `api/ingest/results`. */
  path: string;
  credential?: string;
  /** JSON text; sent gzipped. */
  body?: string;
};

/** Talks to the server that the prober works for. Every failure is an Outcome. */
export class IngestClient {
  #server: URL;
  #fetch: typeof fetch;
  #signal: AbortSignal;

  /** `signal` ends what is under way. */
  constructor(options: { server: string; fetch?: typeof fetch | undefined; signal: AbortSignal }) {
    this.#server = new URL(options.server.endsWith('/') ? options.server : `${options.server}/`);
    this.#fetch = options.fetch ?? fetch;
    this.#signal = options.signal;
  }

  async send(request: Request): Promise<Outcome> {
    try {
      const response = await this.#fetch(new URL(request.path, this.#server), {
        method: request.method,
        headers: headersOf(request),
        body: request.body === undefined ? null : new Uint8Array(await compress(request.body)),
        redirect: 'manual',
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      return outcomeOf(response, await response.text());
    } catch (error) {
      return { kind: 'away', message: causeOf(error), retryAfterMs: null };
    }
  }
}

function headersOf(request: Request): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'roundtrip-prober',
    ...(request.credential ? { authorization: `Bearer ${request.credential}` } : {}),
    ...(request.body === undefined ? {} : { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
  };
}

function outcomeOf(response: Response, text: string): Outcome {
  const { status } = response;
  const body = parsed(text);
  // A page that is no JSON comes from something between here and the server.
  if (status === 200 || status === 201) {
    return body === undefined ? away(`the answer is no JSON`, response) : { kind: 'ok', body };
  }
  const message = `status ${status}${detailOf(body)}`;
  if (status === 401) return { kind: 'unauthorised', message };
  if ([400, 409, 410, 413, 415, 422].includes(status)) return { kind: 'refused', status, message };
  const location = response.headers.get('location');
  return away(location ? `${message}, sent on to ${location}: give that address as the server` : message, response);
}

function away(message: string, response: Response): Outcome {
  return { kind: 'away', message, retryAfterMs: retryAfterOf(response.headers.get('retry-after')) };
}

/** Seconds or an HTTP date, as milliseconds from now; ten minutes at most. */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), 600_000);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function detailOf(body: unknown): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  return typeof detail === 'string' ? ` (${detail.slice(0, 300)})` : '';
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
}
