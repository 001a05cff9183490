import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PROBLEM_TYPE_PREFIX, Problem } from '#contract/problem.ts';

const compress = promisify(gzip);
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * What became of a request. `away` is worth another try; `refused` is not, as it stands. Only a problem of our own type is
 * the server's word: whatever else answers (a proxy, a captive portal, a crashed server) says nothing but that the server
 * is away. `smaller` says that a part of the batch may pass: something on the way found it too large, or the server failed
 * at something in it. `sentAt` and `answeredAt` are the clock's.
 */
export type Outcome =
  | { kind: 'ok'; body: unknown; sentAt: number; answeredAt: number }
  | { kind: 'away'; message: string; retryAfterMs: number | null; smaller?: boolean }
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
  #now: () => number;

  /** `signal` ends what is under way; `now` (ms) times each round trip. */
  constructor(options: {
    server: string;
    fetch?: typeof fetch | undefined;
    signal: AbortSignal;
    now?: () => number;
  }) {
    this.#server = new URL(options.server.endsWith('/') ? options.server : `${options.server}/`);
    this.#fetch = options.fetch ?? fetch;
    this.#signal = options.signal;
    this.#now = options.now ?? (() => performance.now());
  }

  async send(request: Request): Promise<Outcome> {
    try {
      const body = request.body === undefined ? null : new Uint8Array(await compress(request.body));
      const sentAt = this.#now();
      const response = await this.#fetch(new URL(request.path, this.#server), {
        method: request.method,
        headers: headersOf(request),
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      const answeredAt = this.#now(); // the head has come: the body of a long list takes longer
      return outcomeOf(response, await response.text(), { sentAt, answeredAt });
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

function outcomeOf(response: Response, text: string, times: { sentAt: number; answeredAt: number }): Outcome {
  const { status } = response;
  const body = parsed(text);
  if (status === 200 || status === 201) {
    return body === undefined ? away(`the answer is no JSON`, response) : { kind: 'ok', body, ...times };
  }
  const problem = problemOf(response, body);
  if (!problem) {
    const location = response.headers.get('location');
    const hint = location ? `, sent on to ${location}: give that address as the server` : ', not of the server itself';
    return { ...away(`status ${status}${hint}`, response), smaller: status === 413 };
  }
  const message = `status ${status} (${problem.detail.slice(0, 300)})`;
  if (status === 401 || status === 403) return { kind: 'unauthorised', message };
  if (![400, 409, 410, 413, 415, 422].includes(status)) return { ...away(message, response), smaller: status === 500 };
  return { kind: 'refused', status, message };
}

/** The server's own word, or null. */
function problemOf(response: Response, body: unknown): Problem | null {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const problem = type === 'application/problem+json' ? Problem.safeParse(body).data : undefined;
  return problem?.type.startsWith(PROBLEM_TYPE_PREFIX) ? problem : null;
}

function away(message: string, response: Response): Outcome & { kind: 'away' } {
  return { kind: 'away', message, retryAfterMs: retryAfterOf(response.headers.get('retry-after')) };
}

/** Seconds or an HTTP date, as milliseconds from now, ten minutes at most; null where it asks for no wait. */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return ms > 0 ? Math.min(ms, 600_000) : null; // no wait, or one past by this clock, would be a try without end
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
}
