import type { WebhookPayload } from '#contract/webhook-event.ts';

/** A message of the outbox as the sender needs it. */
export type Waiting = {
  id: string;
  incidentId: string | null;
  payload: WebhookPayload;
  severity: string;
  attempts: number;
  /** Those of the attempts that were cut off: their process ended before it wrote down what came of them. */
  cutOffs: number;
  sequence: string;
  createdAt: Date;
};

/** What the log says of an attempt until there is more to say. */
export const UNFINISHED = 'the sending process ended before there was an answer';

/** The columns of `delivery d` that make one. Attempts from before a replay do not count. */
export const WAITING = `d.id, d.incident_id as "incidentId", d.payload, d.severity, d.attempts, d.sequence,
  d.created_at as "createdAt",
  (select count(*)::int from (
     select a.error from delivery_attempt a where a.delivery_id = d.id order by a.at desc, a.id desc limit d.attempts
   ) latest where latest.error = '${UNFINISHED}') as "cutOffs"`;
