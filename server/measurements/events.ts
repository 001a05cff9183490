import type { Measurement, MeasurementProgress } from '#contract/measurement.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { getMeasurement, readMeasurement, readVantages } from './read.ts';
import { ANSWERS_MS, untilAnswers, waitsEnded } from './wake.ts';

/** Most streams that a process serves at once. */
export const MAX_STREAMS = 100;
/** How long (ms) before the last event answers are read again: what was being stored then may have been seen by no one. */
const OVERLAP_MS = 1_000;
let streams = 0;

/** A measurement once all have answered, or with what has come within `ms`. Throws `not_found`. */
export async function awaitAnswers(id: string, viewer: Viewer, ms: number): Promise<Measurement> {
  const signal = AbortSignal.timeout(ms);
  while (!signal.aborted && !waitsEnded()) {
    // Waits from before it reads, as `follow` does.
    const more = untilAnswers(id, ANSWERS_MS, signal);
    if ((await readMeasurement(id)).finished) break;
    await more;
  }
  return await getMeasurement(id, viewer);
}

/** The answer to who asks for events. Throws `not_found`, and `rate_limited` where too many streams are open. */
export async function eventStream(id: string, viewer: Viewer, { headers }: Request): Promise<Response> {
  // Not the request's own signal: once the request is no longer referenced, Node does not pass on that its client has gone.
  const gone = new AbortController();
  const events = await followMeasurement(id, viewer, gone.signal, headers.get('last-event-id'));
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      gone.abort();
      await events.return();
    },
  });
  // Neither held back by a proxy nor by compression.
  const sent = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8', ...sent } });
}

/**
 * Follows a measurement as server-sent events: `measurement`, or what came since the event `after`; `answers` as they come; `end`. The id
 * of an event is the time of the latest answer, ms since 1970. Between events it waits without a connection to the database. Throws
 * `not_found`, and `rate_limited` where too many streams are open.
 */
export async function followMeasurement(
  id: string,
  viewer: Viewer,
  signal: AbortSignal,
  after: string | null = null,
): Promise<AsyncGenerator<string, void>> {
  await readMeasurement(id);
  if (streams >= MAX_STREAMS)
    throw new ServiceError('rate_limited', `At most ${MAX_STREAMS} measurements are followed at once.`, [], 5);
  return follow(id, viewer, signal, /^\d{1,15}$/.test(after ?? '') ? Number(after) : null);
}

async function* follow(
  id: string,
  viewer: Viewer,
  signal: AbortSignal,
  after: number | null,
): AsyncGenerator<string, void> {
  streams += 1;
  try {
    const sent = new Set<string>();
    let latest = after ?? 0;
    if (after === null) {
      const readAt = Date.now();
      const first = await getMeasurement(id, viewer);
      for (const { vantage, result } of first.vantages) if (result) sent.add(vantage.id);
      latest = readAt;
      yield event('measurement', latest, first);
    }
    while (!signal.aborted && !waitsEnded()) {
      // Waits from before it reads: answers that come meanwhile end the wait.
      const more = untilAnswers(id, ANSWERS_MS, signal);
      // Counted first: what is counted is then also read.
      const progress = await readMeasurement(id);
      const read = await readVantages(progress, viewer, new Date(Math.max(0, latest - OVERLAP_MS)));
      const vantages = read.vantages.filter(({ vantage }) => !sent.has(vantage.id));
      for (const { vantage } of vantages) sent.add(vantage.id);
      latest = Math.max(latest, read.latest?.getTime() ?? 0);
      const { finished, counts } = progress;
      const data: MeasurementProgress = { finished, counts, vantages };
      if (finished) return yield event('end', latest, data);
      if (vantages.length > 0) yield event('answers', latest, data);
      await more;
    }
  } finally {
    streams -= 1;
  }
}

const event = (name: string, id: number, data: unknown) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
