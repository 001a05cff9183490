import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import {
  Measurement,
  type MeasurementCreate,
  type MeasurementLocation,
  MeasurementVantage,
} from '#contract/measurement.ts';
import { PROBLEM_TYPE_PREFIX, Problem } from '#contract/problem.ts';
import { StartError } from '../start-error.ts';
import { placeText } from './from-arguments.ts';

/** How long (ms) a request may take, but for the events; these are followed so much longer than answers are awaited. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Pause (ms) before a stream that broke is taken up again. */
const FOLLOW_AGAIN_MS = 1_000;
const PATH = 'api/v1/measurements';
/** Data of each event: the whole, or what has come since. */
const Progress = z.object({ vantages: z.array(MeasurementVantage) });

type Asked = { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal };

/** The measurements of a server's API. What it refuses is a StartError with its own words, as is a server that is away. */
export class ServerApi {
  /** With a slash at its end. */
  readonly address: string;
  readonly #key: string;

  constructor(server: string, key: string) {
    this.address = server.endsWith('/') ? server : `${server}/`;
    this.#key = key;
  }

  async create(wanted: MeasurementCreate): Promise<Measurement> {
    const headers = { 'content-type': 'application/json' };
    const asked = { method: 'POST', headers, body: JSON.stringify(wanted) };
    return await understood(Measurement, (await this.#ask(PATH, asked, wanted.locations)).text());
  }

  async read(id: string): Promise<Measurement> {
    return await understood(Measurement, (await this.#ask(`${PATH}/${id}`)).text());
  }

  async cancel(id: string): Promise<void> {
    await this.#ask(`${PATH}/${id}`, { method: 'DELETE' });
  }

  /** Calls `take` once for each vantage that has answered or failed, as it comes, until all have. A stream that breaks is taken up again. */
  async follow({ id, createdAt, endsAt }: Measurement, take: (vantage: MeasurementVantage) => void): Promise<void> {
    const signal = AbortSignal.timeout(Date.parse(endsAt) - Date.parse(createdAt) + REQUEST_TIMEOUT_MS);
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    const taken = new Set<string>();
    for (;;) {
      try {
        const { body } = await this.#ask(`${PATH}/${id}`, { headers, signal });
        for await (const event of eventsOf(body)) {
          for (const each of (await understood(Progress, event.data ?? '')).vantages) {
            if ((each.state !== 'done' && each.state !== 'failed') || taken.has(each.vantage.id)) continue;
            taken.add(each.vantage.id);
            take(each);
          }
          if (event.event === 'end') return;
          headers['last-event-id'] = event.id ?? '';
        }
      } catch (error) {
        if (error instanceof StartError) throw error;
        if (signal.aborted) throw new StartError(`The measurement ${id} cannot be followed: ${reasonOf(error)}`);
      }
      await pause(FOLLOW_AGAIN_MS);
    }
  }

  /** Throws a StartError; while the events are followed (`signal`) another error where another try may help. */
  async #ask(path: string, asked: Asked = {}, places: MeasurementLocation[] = []): Promise<Response> {
    const Away = asked.signal ? Error : StartError;
    const response = await fetch(new URL(path, this.address), {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...asked,
      headers: { ...asked.headers, authorization: `Bearer ${this.#key}` },
      redirect: 'manual',
    }).catch((error: unknown) => {
      throw new Away(`The server cannot be reached: ${reasonOf(error)}`);
    });
    if (response.ok) return response;
    const { status, headers } = response;
    const problem = Problem.safeParse(await response.json().catch(() => null)).data;
    if (!problem?.type.startsWith(PROBLEM_TYPE_PREFIX))
      throw new Away(`This is no Roundtrip server, or one that is away: it answers ${status} to /${path}.`);
    // A place is named as it was typed.
    const named = (field: string) => {
      const place = places[Number(/^locations\.(\d+)$/.exec(field)?.[1])];
      return place ? `--from ${placeText(place)}` : field;
    };
    const faults = problem.errors?.map(({ field, message }) => `${named(field)} ${message}`).join('; ');
    const after = headers.get('retry-after');
    const message = `The server refuses: ${faults ?? problem.detail}${after ? ` Try again in ${after} s.` : ''}`;
    throw new (status === 429 || status >= 500 ? Away : StartError)(message);
  }
}

async function understood<S extends z.ZodType>(schema: S, sent: string | Promise<string>): Promise<z.output<S>> {
  try {
    return schema.parse(JSON.parse(await sent));
  } catch {
    throw new StartError('The answer of the server is not understood: it is of another version of Roundtrip, or none.');
  }
}

const reasonOf = (error: unknown): string => {
  const { cause = error } = error as { cause?: unknown };
  const { message, code } = cause as NodeJS.ErrnoException; // of several addresses the code alone
  return message || code || String(cause);
};

/** The fields of each server-sent event. */
async function* eventsOf(body: Response['body']): AsyncGenerator<Record<string, string>> {
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const whole = (text + piece).split('\n\n');
    text = whole.pop() ?? '';
    for (const event of whole) yield Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/s, 2)));
  }
}
