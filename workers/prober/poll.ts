import type { AssignmentStore, Delta } from './assignments.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient } from './client.ts';
import type { Logger } from './logger.ts';
import type { ServerTime } from './server-time.ts';
import type { Standing } from './standing.ts';

type Options = {
  client: IngestClient;
  credential: string;
  store: AssignmentStore;
  standing: Standing;
  time: ServerTime;
  logger: Logger;
  signal: AbortSignal;
  onDelta(delta: Delta): void;
  /** The server refuses the credential for now. */
  onRefused(): void;
};

/** Asks for changed assignments again and again; returns the reason once the server has refused the credential for too long. */
export async function pollAssignments(options: Options): Promise<string | null> {
  const { client, credential, store, standing, time, logger, signal } = options;
  let failures = 0;
  while (!signal.aborted) {
    const query = store.revision === undefined ? '' : `?since=${encodeURIComponent(store.revision)}`;
    const outcome = await client.send({ method: 'GET', path: `api/ingest/assignments${query}`, credential });
    if (outcome.kind === 'unauthorised') {
      if (standing.refused(outcome.message)) return outcome.message;
      options.onRefused();
      await pause(standing.askAgainMs, signal);
      continue;
    }
    const delta = outcome.kind === 'ok' ? store.apply(outcome.body, middleOf(outcome)) : null;
    if (outcome.kind === 'ok' && delta) {
      failures = 0;
      standing.accepted();
      time.learn({ ...outcome, serverTime: delta.serverTime });
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

/** This machine's wall clock in the middle of a round trip that has just ended. */
function middleOf({ sentAt, answeredAt }: { sentAt: number; answeredAt: number }): number {
  return Date.now() - (answeredAt - sentAt) / 2;
}
