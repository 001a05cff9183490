import { getPrisma } from '../database.ts';
import { measuredLevels } from '../detection/levels.ts';
import { detectorMetric } from '../detection/watched.ts';
import { summaryOf } from './effect.ts';
import { type IncidentRecord, lockIncidents, recordOf, type StoredCell, saveIncidents } from './row.ts';

// A spike is raised while it still grows: what it did to its cells is known better every minute, and at its end for good.

/** Incidents that are locked at once: somebody who acknowledges one waits for no more than these. */
const LOCKED_AT_ONCE = 100;

const OPEN_SPIKE = { kind: 'spike', status: { not: 'resolved' } };

/** Measures the spikes that are under way up to `position`, seconds since 1970. Nobody is told of it. */
export async function followSpikes(position: number): Promise<void> {
  // Measured before anything is locked: of a thousand targets it takes seconds.
  const rows = await getPrisma().incident.findMany({ where: OPEN_SPIKE, orderBy: { id: 'asc' } });
  const incidents = rows.map(recordOf);
  const growing = incidents.flatMap(({ cells }) => cells.filter(isUnderWay));
  const measured = await levelsSince(growing.map((cell) => ({ cell, until: position })));
  const levels = new Map([...measured].map(([cell, level]) => [keyOf(cell), level]));
  const ids = incidents.filter((incident) => applyLevels(incident, levels)).map(({ id }) => id);
  for (let start = 0; start < ids.length; start += LOCKED_AT_ONCE)
    await storeLevels(ids.slice(start, start + LOCKED_AT_ONCE), levels);
}

/** Into the incidents as they are by now: cells may have come, or be over. */
async function storeLevels(ids: string[], levels: ReadonlyMap<string, number>): Promise<void> {
  await getPrisma().$transaction(async (db) => {
    const locked = await lockIncidents(db, { id: { in: ids }, ...OPEN_SPIKE });
    const changed = locked.filter((incident) => applyLevels(incident, levels));
    await saveIncidents(db, changed, new Set());
  });
}

/** The level of each cell from its onset up to `until` (not included), seconds since 1970. Cells without results are not in it. */
export async function levelsSince(
  spans: readonly { cell: StoredCell; until: number }[],
): Promise<ReadonlyMap<StoredCell, number>> {
  const asked = spans.flatMap(({ cell, until }) => {
    const { targetId, vantageId } = cell;
    const metric = detectorMetric(cell.metric ?? '');
    if (targetId === null || vantageId === null || metric === null) return [];
    const changeAt = Math.floor(Date.parse(cell.changeAt) / 1_000);
    return [{ cell, span: { targetId, vantageId, metric, changeAt, at: until - 1 } }];
  });
  const levels = await measuredLevels(asked.map(({ span }) => span));
  return new Map(
    asked.flatMap(({ cell }, index): [StoredCell, number][] => {
      const after = levels[index]?.after ?? null;
      return after === null ? [] : [[cell, after]];
    }),
  );
}

/** Writes the levels into the cells that are under way, and what follows from them into the incident; false where none is new. */
function applyLevels(incident: IncidentRecord, levels: ReadonlyMap<string, number>): boolean {
  const levelOf = (cell: StoredCell) => (isUnderWay(cell) ? levels.get(keyOf(cell)) : undefined) ?? cell.afterMs;
  if (incident.cells.every((cell) => levelOf(cell) === cell.afterMs)) return false;
  incident.cells = incident.cells.map((cell) => ({ ...cell, afterMs: levelOf(cell) }));
  Object.assign(incident, summaryOf(incident.cells));
  return true;
}

const isUnderWay = ({ kind, recoveredAt }: StoredCell) => kind === 'spike' && recoveredAt === null;

const keyOf = ({ targetId, vantageId, metric, changeAt }: StoredCell) =>
  `${targetId} ${vantageId} ${metric} ${changeAt}`;
