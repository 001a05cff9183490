import { v7 } from 'uuid';
import { z } from 'zod';
import { MAX_ANSWERS, MeasurementReport, MeasurementTask } from '#contract/measurement.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient } from './client.ts';
import type { Logger } from './logger.ts';
import type { Standing } from './standing.ts';

/** A task of a measurement with an id of its own, by which the schedule knows it. */
export type Task = MeasurementTask & { id: string };
/** A Result of a measurement, as JSON. */
export type Answer = { measurementId: string; line: string };

/** Least time (ms) between two requests for tasks: a server that holds none must not be asked without end. */
const ASK_EVERY_MS = 1_000;
/** Least time (ms) between two messages of a measurement: answers that come meanwhile share the next one. */
const SEND_EVERY_MS = 200;
/** How long (ms) answers are sent again while the server is away. */
const GIVE_UP_AFTER_MS = 60_000;
/** Most bytes of one message, well below what the server reads, and of all that waits. */
const MESSAGE_BYTES = 512 * 1024;
const WAITING_BYTES = 16 * 1024 * 1024;

/** Tasks are parsed one by one: one that a newer server has made must not cost the others. */
const Envelope = z.object({ data: z.array(z.unknown()), cancelled: z.array(z.string()).default([]) });

type Asking = {
  client: IngestClient;
  credential: string;
  standing: Standing;
  logger: Logger;
  signal: AbortSignal;
  onTask(task: Task): void;
  /** Called for a measurement whose tasks are not to be begun any more. */
  onCancelled(measurementId: string): void;
};

/** Asks for tasks, one request after the other, each held by the server until there are some. Ends with the signal. */
export async function askForTasks({
  client,
  credential,
  standing,
  logger,
  signal,
  onTask,
  onCancelled,
}: Asking): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const askedAt = performance.now();
    const outcome = await client.send({ method: 'GET', path: 'api/ingest/measurements', credential });
    const answer = outcome.kind === 'ok' ? Envelope.safeParse(outcome.body).data : undefined;
    if (answer) {
      const { data: tasks, cancelled } = answer;
      failures = 0;
      for (const id of cancelled) onCancelled(id);
      for (const sent of tasks) {
        const task = MeasurementTask.safeParse(sent);
        if (task.success) onTask({ ...task.data, id: v7() });
        else
          logger.warn(`a measurement is left out, this prober does not understand it: ${z.prettifyError(task.error)}`);
      }
      if (tasks.length + cancelled.length === 0)
        await pause(Math.max(0, ASK_EVERY_MS - (performance.now() - askedAt)), signal);
    }
    // The poll for assignments decides when refusals end the prober.
    else if (outcome.kind === 'unauthorised') await pause(standing.askAgainMs, signal);
    else {
      failures += 1;
      await pause((outcome.kind === 'away' && outcome.retryAfterMs) || backoffMs(failures), signal);
    }
  }
}

type Waiting = { lines: string[]; since: number; failures: number };

/** Sends answers as they come: one message at a time, with all answers of a measurement that wait; measurements do not wait for one another. */
export class AnswerSender {
  readonly #options: { client: IngestClient; credential: string; logger: Logger };
  readonly #waiting = new Map<string, Waiting>();
  /** Until when (ms of performance.now()) a measurement whose answers were sent lately has no other message. */
  readonly #rests = new Map<string, number>();
  #bytes = 0;
  #wake: () => void = () => {};

  constructor(options: { client: IngestClient; credential: string; logger: Logger }) {
    this.#options = options;
  }

  /** One that has no room beside those that wait is dropped, with a warning: its vantage counts as failed when the time is over. */
  add({ measurementId, line }: Answer): void {
    if (this.#bytes + line.length > WAITING_BYTES) {
      this.#options.logger.warn(
        `an answer of a measurement is dropped: ${WAITING_BYTES} bytes of them wait for the server`,
      );
      return;
    }
    const entry = this.#waiting.get(measurementId) ?? { lines: [], since: performance.now(), failures: 0 };
    this.#waiting.set(measurementId, entry);
    entry.lines.push(line);
    this.#bytes += line.length;
    this.#wake();
  }

  /** Sends until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const restMs = this.#restMs();
      if (restMs > 0) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await (restMs === Number.POSITIVE_INFINITY ? woken : Promise.race([woken, pause(restMs, signal)]));
        continue;
      }
      const [id, entry] = [...this.#waiting].find(([waiting]) => !this.#rests.has(waiting)) as [string, Waiting];
      const sent = await this.#send(id, entry);
      entry.failures = sent ? 0 : entry.failures + 1;
      this.#rests.set(id, performance.now() + (sent ? SEND_EVERY_MS : backoffMs(entry.failures)));
    }
  }

  /** How long (ms) until something may be sent: 0 at once, infinity where nothing waits. */
  #restMs(): number {
    const now = performance.now();
    for (const [id, until] of this.#rests) if (until <= now) this.#rests.delete(id);
    const rests = [...this.#waiting.keys()].map((id) => (this.#rests.get(id) ?? now) - now);
    return Math.min(...rests);
  }

  /** Sends what fits into a message; false where it should be sent again. */
  async #send(id: string, entry: Waiting): Promise<boolean> {
    const { client, credential, logger } = this.#options;
    const lines = firstLines(entry.lines);
    const body = `{"measurementId":"${id}","results":[${lines.join(',')}]}`;
    const outcome = await client.send({ method: 'POST', path: 'api/ingest/measurements', credential, body });
    if (outcome.kind === 'away' && performance.now() - entry.since < GIVE_UP_AFTER_MS) return false;
    if (outcome.kind !== 'ok') logger.warn(`answers of a measurement are dropped: ${outcome.message}`);
    const report = outcome.kind === 'ok' ? MeasurementReport.safeParse(outcome.body).data : undefined;
    for (const { field, message } of report?.rejected ?? [])
      logger.warn(`the server rejects an answer of a measurement: ${field ?? 'it'} ${message}`);
    entry.lines.splice(0, lines.length);
    this.#bytes -= lines.reduce((sum, line) => sum + line.length, 0);
    if (entry.lines.length === 0) this.#waiting.delete(id);
    return true;
  }
}

function firstLines(lines: readonly string[]): string[] {
  let bytes = 0;
  const over = lines.findIndex((line, index) => {
    bytes += line.length;
    return index > 0 && (index === MAX_ANSWERS || bytes > MESSAGE_BYTES);
  });
  return lines.slice(0, over < 0 ? undefined : over);
}
