import type { Prisma } from '#prisma/generated/client.ts';
import { resolveIncident } from '../incidents/open.ts';
import { lockIncidents, type StoredCell } from '../incidents/row.ts';

/** When spikes were over, epoch seconds, by target, vantage, metric and the time at which they were raised. */
export type SpikeEnds = Map<string, number>;

/** Resolves the generated spikes that were over at all their cells by an instant (epoch seconds), at the time they were. */
export async function settleSpikes(
  db: Prisma.TransactionClient,
  ends: SpikeEnds,
  until: number,
  now: Date,
): Promise<void> {
  const endOf = ({ targetId, vantageId, metric, at }: StoredCell) =>
    ends.get(`${targetId} ${vantageId} ${metric} ${at}`) ?? Number.POSITIVE_INFINITY;
  for (const incident of await lockIncidents(db, { demo: true, kind: 'spike', status: { not: 'resolved' } })) {
    const over = Math.max(...incident.cells.map(endOf));
    if (over > until) continue;
    incident.cells = incident.cells.map((cell) => ({ ...cell, recoveredAt: instant(endOf(cell)) }));
    await resolveIncident(db, incident, now, { reason: 'quiet', at: new Date(over * 1_000) });
  }
}

const instant = (seconds: number) => new Date(seconds * 1_000).toISOString();
