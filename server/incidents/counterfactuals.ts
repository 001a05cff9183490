import type { Prisma } from '#prisma/generated/client.ts';
import { counterfactualOf, endOf, isEndUnknown } from './counterfactual.ts';
import { isMeasured } from './effect.ts';
import type { IncidentRecord } from './row.ts';
import type { Touching } from './unaffected.ts';

// What incidents would be without them, as far as a message waits for it: those that end may have been over for hours when that is found,
// and what was computed meanwhile is of after their end; those that open again or became larger have what was true of the series before.

type Batch = {
  readonly db: Prisma.TransactionClient;
  readonly now: Date;
  readonly incidents: ReadonlyMap<string, IncidentRecord>;
  readonly fresh: ReadonlySet<string>;
  readonly messages: readonly { incident: IncidentRecord }[];
  readonly notes: readonly { incidentId: string; kind: string }[];
};

/** Of so many of what ends or opens at once; of the others it is left out until revise-counterfactuals.ts comes to them, within minutes; of history for good. */
const MOST_RENEWED = 5;

/** What ends longer ago than this is of history that is gone over: revise-counterfactuals.ts will not come to it; ms. */
const HISTORY_MS = 3_600_000;

/** Computes those anew that are of after the end, those of which a message is to tell and nothing is known, and of history those that end. */
export async function renewCounterfactuals({ db, now, incidents, fresh, messages, notes }: Batch): Promise<void> {
  const told = Map.groupBy(messages, ({ incident }) => incident.id);
  const isHistory = ({ resolvedAt }: IncidentRecord) =>
    resolvedAt !== null && resolvedAt.getTime() < now.getTime() - HISTORY_MS;
  const over = new Set(
    notes.filter(({ kind }) => kind === 'resolved' || kind === 'accepted').map(({ incidentId }) => incidentId),
  );
  const ended = new Set([...incidents.values()].filter((each) => over.has(each.id) && isHistory(each)));
  const isDue = (incident: IncidentRecord) => {
    if (ended.has(incident)) return true;
    return incident.counterfactual === null ? told.has(incident.id) : isAfterEnd(incident, now);
  };
  const due = [...incidents.values()].filter(
    (each) => isMeasured(each.kind) && each.mergedInto === null && !fresh.has(each.id) && isDue(each),
  );
  const renewed = new Set(due.toSorted((a, b) => b.cells.length - a.cells.length).slice(0, MOST_RENEWED));
  for (const incident of due) {
    const isKnowable = renewed.has(incident) && !isEndUnknown(incident);
    incident.counterfactual = isKnowable
      ? await counterfactualOf(incident, foundBy(incident, now), { beside: besideOf(incidents, incident), db })
      : null;
    for (const message of told.get(incident.id) ?? []) message.incident.counterfactual = incident.counterfactual;
  }
}

/** Whether what is known is of after the end, or may be. */
const isAfterEnd = (incident: IncidentRecord, now: Date): boolean =>
  isEndUnknown(incident) ||
  (incident.counterfactual !== null && Date.parse(incident.counterfactual.at) > endOf(incident, now.getTime()));

/** Of what goes on, when its last series was found: history may be gone over long after that. ms since 1970. */
function foundBy({ status, cells }: IncidentRecord, now: Date): number {
  const isOver = status === 'resolved' || cells.every(({ recoveredAt }) => recoveredAt !== null);
  return isOver ? now.getTime() : Math.min(now.getTime(), Math.max(...cells.map(({ at }) => Date.parse(at))));
}

/** The other incidents of a batch, which are not stored yet: what improves moves as what becomes slower. */
export function besideOf(incidents: Batch['incidents'], { id }: IncidentRecord): Touching[] {
  return [...incidents.values()].filter(
    (each) =>
      each.id !== id &&
      each.mergedInto === null &&
      (isMeasured(each.kind) || each.kind === 'down') &&
      (each.status !== 'resolved' || each.kind === 'improvement'),
  );
}
