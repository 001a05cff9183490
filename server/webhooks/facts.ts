import { z } from 'zod';
import { IncidentFailure } from '#contract/failure.ts';
import { INCIDENT_RESOLUTIONS } from '#contract/incident.ts';
import type { WebhookPayload } from '#contract/webhook-event.ts';

const text = z.string().nullish().catch(null);
const number = z.number().nullish().catch(null);

const Cell = z.looseObject({
  targetName: text,
  vantageName: text,
  region: text,
  carrier: text,
  beforeMs: number,
  afterMs: number,
  metric: text,
});
export type CellFacts = z.infer<typeof Cell>;

/**
 * What messages to people tell of an event's data, which is an incident as the API shows it. Read leniently: a field that is
 * missing or of another kind is told nothing of, and never holds a message back.
 */
const Facts = z.looseObject({
  severity: text,
  resolution: z.enum(INCIDENT_RESOLUTIONS).nullish().catch(null),
  metric: text,
  targetName: text,
  ruleName: text,
  carrier: text,
  region: text,
  cause: text,
  effectMs: number,
  effectRatio: number,
  onsetAt: text,
  openedAt: text,
  resolvedAt: text,
  link: text,
  failure: IncidentFailure.nullish().catch(null),
  evidence: z.looseObject({ daysLeft: number, vantagesDown: number, vantagesMeasured: number }).nullish().catch(null),
  cells: z.array(Cell).catch([]),
  cellsOmitted: number,
  reminder: z.boolean().catch(false),
  demo: z.boolean().catch(false),
});
export type Facts = z.infer<typeof Facts>;

export const factsOf = ({ data }: WebhookPayload): Facts => Facts.parse(data);

const Entry = z.looseObject({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  incidentId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type GroupEntry = z.infer<typeof Entry>;

/** The events of a burst that went into one message; null where the message is of one event. */
export function groupedOf({ data }: WebhookPayload): GroupEntry[] | null {
  return z.array(Entry).safeParse(data.grouped).data ?? null;
}

/** How many events the message tells of in all. */
export const groupedCount = ({ data }: WebhookPayload): number => z.number().catch(0).parse(data.groupedCount);
