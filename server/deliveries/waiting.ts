import type { WebhookPayload } from '#contract/webhook-event.ts';

/** A message of the outbox as the sender needs it. */
export type Waiting = {
  id: string;
  incidentId: string | null;
  payload: WebhookPayload;
  severity: string;
  attempts: number;
  sequence: string;
  createdAt: Date;
};

/** The columns of `delivery d` that make one. */
export const WAITING = `d.id, d.incident_id as "incidentId", d.payload, d.severity, d.attempts, d.sequence,
  d.created_at as "createdAt"`;
