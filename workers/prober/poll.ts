import type { AssignmentStore, Delta } from './assignments.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient } from './client.ts';
import type { Logger } from './logger.ts';

/** A clock further off than this is worth a word in the log. */
const SKEW_WORTH_A_WORD_MS = 2_000;

type Options = {
  client: IngestClient;
  credential: string;
  store: AssignmentStore;
  logger: Logger;
  signal: AbortSignal;
  onDelta(delta: Delta): void;
};

/** Asks for changed assignments again and again; returns the reason once the server no longer knows the credential. */
export async function pollAssignments(options: Options): Promise<string | null> {
  const { client, credential, store, logger, signal } = options;
  let failures = 0;
  let skewed = false;
  while (!signal.aborted) {
    const query = store.revision === undefined ? '' : `?since=${encodeURIComponent(store.revision)}`;
    const outcome = await client.send({ method: 'GET', path: `api/ingest/assignments${query}`, credential });
    if (outcome.kind === 'unauthorised') return outcome.message;
    const delta = outcome.kind === 'ok' ? store.apply(outcome.body) : null;
    if (delta) {
      failures = 0;
      const off = Math.abs(delta.skewMs) > SKEW_WORTH_A_WORD_MS;
      if (off && !skewed) logger.warn(`this machine's clock is ${Math.round(delta.skewMs)} ms ahead of the server's`);
      skewed = off;
      options.onDelta(delta);
      await pause(delta.pollMs * (0.9 + Math.random() * 0.2), signal);
      continue;
    }
    failures += 1;
    const message = outcome.kind === 'ok' ? 'the answer is not that of a Roundtrip server' : outcome.message;
    if (failures === 1 && !signal.aborted) logger.warn(`no assignments from the server, trying again: ${message}`);
    await pause((outcome.kind === 'away' && outcome.retryAfterMs) || backoffMs(failures), signal);
  }
  return null;
}
