// What the times of an incident would be without it (analysis/incident/counterfactual.ts). Stored is what series that it does not affect moved
// by, computed with its explanation of the same results; the levels that this is told of are those of its series, as everywhere.

import { movementOf } from '#analysis/incident/counterfactual.ts';
import type { IncidentCounterfactual } from '#contract/counterfactual.ts';
import type { Affected } from '#contract/incident.ts';
import { isShare } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { readUsualOf } from '#server/figures/usual.ts';
import { EFFECT_FLOORS, isMeasured } from './effect.ts';
import type { Measured, SeriesRef } from './measurements.ts';
import type { IncidentRecord } from './stored-incident.ts';

/** Sooner after the onset nothing is said: series that seem unaffected may be affected, and not found yet; ms. */
const FOUND_MS = 300_000;
/** A spike is compared with the hour before it, seconds. */
const HOUR = 3_600;

/** What unaffected series moved by, by results up to `until` (ms since 1970); null where too little is known. */
export async function counterfactualOf(
  { cells }: Pick<IncidentRecord, 'cells'>,
  { metric, others, onset, to }: Measured,
  until: number,
): Promise<IncidentRecord['counterfactual']> {
  if (to - onset < FOUND_MS || others.length === 0) return null;
  const touched = new Set([...cells, ...(await touchedWithin(others, onset, to))].map(keyOf));
  const unaffected = others.filter((line) => !touched.has(keyOf(line)));
  // The level before a lasting change is the one of the hours since (server/detection/levels.ts).
  const isOfHourBefore = cells.some(({ kind, peakMs = null }) => kind === 'spike' || peakMs !== null);
  const usualOf = await readUsualOf(isOfHourBefore ? [] : [...new Set(unaffected.map(({ targetId }) => targetId))]);
  const usualIn = ({ targetId, vantageId }: SeriesRef, from: number, to: number) =>
    usualOf(targetId).levelOf([vantageId], metric, { from, to });
  const shapeOf = (line: SeriesRef) => {
    const before = usualIn(line, onset / 1_000 - HOUR, onset / 1_000);
    const since = usualIn(line, onset / 1_000, to / 1_000);
    return before && since && since / before;
  };
  const moved = movementOf(unaffected.map((line) => ({ ...line, usual: isOfHourBefore ? 1 : shapeOf(line) })));
  return moved && { ...moved, at: new Date(until).toISOString() };
}

/** What its series would be without it, and what they are: of the levels that are told of them. */
export function counterfactualIn(
  { kind, metric, counterfactual }: Pick<IncidentRecord, 'kind' | 'metric' | 'counterfactual'>,
  { before, after, series }: Affected,
): IncidentCounterfactual | null {
  if (counterfactual === null || before === null || after === null || !isMeasured(kind) || isShare(metric)) return null;
  const { ratio, siblings, at } = counterfactual;
  return { withoutMs: before * ratio, nowMs: after, series, siblings, at };
}

/** Series of these targets that any incident touched from an hour before the onset on. */
async function touchedWithin(others: readonly SeriesRef[], onset: number, to: number): Promise<SeriesRef[]> {
  const { rows } = await getPool().query<SeriesRef>(
    `select distinct cell ->> 'targetId' as "targetId", cell ->> 'vantageId' as "vantageId"
      from incident i cross join lateral jsonb_array_elements(i.cells) cell
      where i.merged_into is null and i.kind = any($1::text[]) and i.onset_at < $3
        and (i.status <> 'resolved' or i.resolved_at > $2) and cell ->> 'targetId' = any($4::text[])`,
    [
      [...Object.keys(EFFECT_FLOORS), 'down'],
      new Date(onset - HOUR * 1_000),
      new Date(to),
      [...new Set(others.map(({ targetId }) => targetId))],
    ],
  );
  return rows;
}

const keyOf = ({ targetId, vantageId }: { [Field in keyof SeriesRef]: SeriesRef[Field] | null }) =>
  `${targetId} ${vantageId}`;
