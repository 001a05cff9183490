// Why an incident is what it is, by what its results measured: how much of the excess is round trips, path, loss, work, and where it is.
// Read and computed (measurements.ts, analysis/incident; explanation.ts puts them together) when an incident opens, before anybody is told,
// and here while it grows: each minute while it is young, then seldom. Where the shares decide on a cause it is the incident's; who was
// told another one is told of the new one. Where results lack what it takes (other systems, older engines) the detector's word stays.

import { getPrisma } from '#server/database/database.ts';
import { type Batch, beginBatch, note, writeBatch } from './batch.ts';
import { EFFECT_FLOORS } from './effect.ts';
import { type Explained, explainedBy } from './explanation.ts';
import { notifyUpdate } from './notify.ts';
import { type IncidentRecord, lockIncidents, recordOf } from './stored-incident.ts';

/** So many are explained at one turn: those that wait longest, and of those that never were, as they come round. */
export const MOST_A_TURN = 10;
/** Of what is over so long ago it is not tried any more, seconds: its results say nothing. */
const TRIED_SECONDS = 3_600;
/** How often an incident is explained again while it is no older than so much; seconds, since it opened or last grew. */
const REVISED = [
  { age: 900, every: 60 },
  { age: 3 * 3_600, every: 900 },
  { age: 86_400, every: 3_600 },
] as const;
const OLDEST_MS = 7 * 86_400_000;

/** Up to which instants (seconds since 1970) results had been looked at the last time, and are now. */
type Progress = { before: number; position: number };

/** Explains again the incidents that are due, by results up to `position`; notifies of causes that changed. */
export async function reviseExplanations(progress: Progress, now: Date): Promise<void> {
  const due = await dueIncidents(progress);
  const found = new Map<string, Explained>();
  for (const incident of due) {
    const explained = await explainedBy(incident, progress.position * 1_000);
    if (explained.explanation || explained.counterfactual !== incident.counterfactual)
      found.set(incident.id, explained);
  }
  if (found.size === 0) return;
  await getPrisma().$transaction(async (db) => {
    const batch = await beginBatch(db, now);
    const explained = new Set(due.flatMap(({ id, explanation }) => (explanation === null ? [] : id)));
    for (const incident of await lockIncidents(db, { id: { in: [...found.keys()] }, mergedInto: null })) {
      // It was split or merged meanwhile: this is of the series that it had.
      if (explained.has(incident.id) && incident.explanation === null) continue;
      applyExplanation(batch, incident, found.get(incident.id), new Date(progress.position * 1_000));
    }
    await writeBatch(batch);
  });
}

async function dueIncidents(progress: Progress): Promise<IncidentRecord[]> {
  const position = new Date(progress.position * 1_000);
  const since = new Date(Math.min(progress.before, progress.position - TRIED_SECONDS) * 1_000);
  const rows = await getPrisma().incident.findMany({
    where: {
      kind: { in: Object.keys(EFFECT_FLOORS) },
      mergedInto: null,
      openedAt: { gte: new Date(position.getTime() - OLDEST_MS), lte: position },
      OR: [{ status: { not: 'resolved' } }, { resolvedAt: { gte: since } }],
    },
    orderBy: { id: 'asc' },
  });
  const due = rows.map(recordOf).filter((incident) => isOfTime(incident) && isDue(incident, progress));
  const explainedAt = ({ explanation }: IncidentRecord) => (explanation ? Date.parse(explanation.at) : 0);
  const again = due.filter(({ explanation }) => explanation !== null).sort((a, b) => explainedAt(a) - explainedAt(b));
  const first = due.filter(({ explanation }) => explanation === null);
  const most = Math.max(MOST_A_TURN / 2, MOST_A_TURN - again.length);
  return [...inTurn(first, most, progress.position), ...again].slice(0, MOST_A_TURN);
}

/**
 * When each was tried last, seconds since 1970, whatever the outcome: an incident that cannot be explained delays no other. Kept by this
 * process alone: after a start all wait alike.
 */
let triedAt: ReadonlyMap<string, number> = new Map();

/** Returns at most `most` of all, those first that wait longest. */
function inTurn(all: readonly IncidentRecord[], most: number, position: number): IncidentRecord[] {
  const lastOf = ({ id }: IncidentRecord) => triedAt.get(id) ?? 0;
  const some = new Set(all.toSorted((a, b) => lastOf(a) - lastOf(b)).slice(0, most));
  triedAt = new Map(all.map((each) => [each.id, some.has(each) ? position : lastOf(each)]));
  return [...some];
}

/** Failures alone say nothing of times: they would be the first to be asked each time, and keep others from their turn. */
const isOfTime = ({ cells }: IncidentRecord) => cells.some(({ metric }) => metric !== 'failures');

/** Whether an instant at which it is explained again lies between the last turn and this one. */
function isDue({ openedAt, resolvedAt, cells, explanation }: IncidentRecord, { before, position }: Progress): boolean {
  // Once more when it is over, however many are over at once.
  if (resolvedAt !== null) return explanation === null || Date.parse(explanation.at) < resolvedAt.getTime();
  const since = Math.max(openedAt.getTime(), ...cells.map(({ at }) => Date.parse(at))) / 1_000;
  // What was split or merged has none until it is explained again, however old it is.
  const otherwise = { every: explanation === null ? 3_600 : null };
  const { every } = REVISED.find(({ age }) => position - since <= age) ?? otherwise;
  if (every === null) return false;
  return Math.floor((position - since) / every) !== Math.floor((before - since) / every);
}

function applyExplanation(batch: Batch, incident: IncidentRecord, found: Explained | undefined, at: Date): void {
  if (!found) return;
  const { explanation, counterfactual } = found;
  batch.incidents.set(incident.id, incident);
  incident.counterfactual = counterfactual;
  if (!explanation) return;
  incident.explanation = explanation;
  const { cause: from } = incident;
  const { cause: to, parts } = explanation;
  if (to === null || to === from) return;
  incident.cause = to;
  note(batch, incident.id, at, 'cause_changed', { params: { from, to, parts } });
  if (incident.status !== 'resolved') notifyUpdate(batch, incident);
}
