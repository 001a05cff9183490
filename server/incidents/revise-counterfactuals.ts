import { isShare } from '#contract/vocabulary.ts';
import { getPrisma } from '#server/database/database.ts';
import { counterfactualOf, endOf, isEndUnknown } from './counterfactual.ts';
import { EFFECT_FLOORS } from './effect.ts';
import { type IncidentRecord, recordOf } from './row.ts';
import { Turns } from './turns.ts';

// What incidents would be without them is computed anew for as long as they last, and once more when they are over, as
// improvements are as soon as they are known: whoever reads an incident reads what is stored.

/** So many are computed at one turn, those that wait longest. */
export const MOST_A_TURN = 10;
/** How often, seconds: of an incident that opened or grew within so much, and of an older one. */
const REVISED = { young: 900, often: 60, seldom: 600 } as const;
/** Of what was over so long before the last turn it is not computed any more, seconds. */
const TRIED_SECONDS = 3_600;

/** Up to which instants (seconds since 1970) results had been looked at the last time, and are now. */
type Progress = { before: number; position: number };

/** By the instant that each was computed for last. */
const turns = new Turns();

/** Computes those anew that are due, by results up to `position`. */
export async function reviseCounterfactuals({ before, position }: Progress): Promise<void> {
  const now = position * 1_000;
  const since = new Date(Math.min(before, position - TRIED_SECONDS) * 1_000);
  const rows = await getPrisma().incident.findMany({
    where: {
      kind: { in: Object.keys(EFFECT_FLOORS) },
      mergedInto: null,
      openedAt: { lte: new Date(now) },
      OR: [{ status: { not: 'resolved' } }, { resolvedAt: { gte: since } }],
    },
    orderBy: { id: 'asc' },
  });
  const records = rows.map(recordOf);
  const lastOf = ({ id, counterfactual }: IncidentRecord) =>
    turns.lastOf(id) ?? (counterfactual === null ? 0 : Date.parse(counterfactual.at) / 1_000);
  const due = records
    .filter((incident) => isDue(incident, lastOf(incident), position))
    .toSorted((a, b) => lastOf(a) - lastOf(b))
    .slice(0, MOST_A_TURN);
  turns.note(records, new Map(due.map((incident) => [incident.id, ofMinute(incident, position)])));
  for (const incident of due) {
    const counterfactual = await counterfactualOf(incident, now);
    // What is known from earlier is dated, and better than nothing.
    if (counterfactual === null) continue;
    await getPrisma().incident.updateMany({ where: { id: incident.id, mergedInto: null }, data: { counterfactual } });
  }
}

/** Whether it was computed last (`last`, seconds since 1970) too long ago; of what is over, of another instant than its end. */
function isDue(incident: IncidentRecord, last: number, position: number): boolean {
  const { openedAt, cells, metric } = incident;
  if (isShare(metric) || isEndUnknown(incident)) return false;
  const at = ofMinute(incident, position);
  if (at < wholeMinute(position)) return last !== at;
  const since = Math.max(openedAt.getTime(), ...cells.map((cell) => Date.parse(cell.at))) / 1_000;
  return position - last >= (position - since <= REVISED.young ? REVISED.often : REVISED.seldom);
}

/** The minute that it is computed for. */
const ofMinute = (incident: IncidentRecord, position: number) => wholeMinute(endOf(incident, position * 1_000) / 1_000);

const wholeMinute = (seconds: number) => Math.floor(seconds / 60) * 60;
