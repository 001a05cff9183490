import type { Measurement, MeasurementProgress } from '#contract/measurement.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { eventText } from '#server/http/event-stream.ts';
import { getMeasurement, readMeasurement, readVantages } from './read.ts';
import { ANSWERS_MS, untilAnswers, waitsEnded } from './wake.ts';

/** How long (ms) before the last event answers are read again: what was being stored then may have been seen by no one. */
const OVERLAP_MS = 1_000;

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

/**
 * Follows a measurement as server-sent events: `measurement`, or what came since the event `after`; `answers` as they come; `end`. The id
 * of an event is the time of the latest answer, ms since 1970. Between events it waits without a connection to the database. Throws
 * `not_found`.
 */
export async function followMeasurement(
  id: string,
  viewer: Viewer,
  signal: AbortSignal,
  after: string | null = null,
): Promise<AsyncGenerator<string, void>> {
  await readMeasurement(id);
  return follow(id, viewer, signal, /^\d{1,15}$/.test(after ?? '') ? Number(after) : null);
}

async function* follow(
  id: string,
  viewer: Viewer,
  signal: AbortSignal,
  after: number | null,
): AsyncGenerator<string, void> {
  const sent = new Set<string>();
  let latest = after ?? 0;
  if (after === null) {
    const readAt = Date.now();
    const first = await getMeasurement(id, viewer);
    for (const { vantage, result } of first.vantages) if (result) sent.add(vantage.id);
    latest = readAt;
    yield eventText(latest, 'measurement', first);
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
    if (finished) return yield eventText(latest, 'end', data);
    if (vantages.length > 0) yield eventText(latest, 'answers', data);
    await more;
  }
}
