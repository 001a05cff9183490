import { v7 as uuid } from 'uuid';
import type { IncidentEvent } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';

/** Adds to the timeline of an incident. `text` is a person's own words; pages word the rest by `kind` and `params`. */
export async function note(
  db: Prisma.TransactionClient,
  incidentId: string,
  at: Date,
  kind: IncidentEvent['kind'],
  { text = '', params = {} }: { text?: string; params?: Record<string, unknown> } = {},
): Promise<void> {
  await db.incidentEvent.create({
    data: { id: uuid(), incidentId, at, kind, text, params: params as Prisma.InputJsonObject },
  });
}
