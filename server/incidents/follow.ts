import { getPrisma } from '../database.ts';
import { measuredLevels } from '../detection/levels.ts';
import { detectorMetric } from '../detection/watched.ts';
import { summaryOf } from './effect.ts';
import { type IncidentRecord, lockIncidents, type StoredCell, saveIncidents } from './row.ts';

// A spike is raised while it still grows: what it did to its cells is known better every minute, and at its end for good.

/** Measures the spikes that are under way up to `position`, seconds since 1970. Nobody is told of it. */
export async function followSpikes(position: number): Promise<void> {
  await getPrisma().$transaction(async (db) => {
    const incidents = await lockIncidents(db, { kind: 'spike', status: { not: 'resolved' } });
    const growing = incidents.flatMap(({ cells }) => cells.filter(isUnderWay));
    const known = await levelsSince(growing.map((cell) => ({ cell, until: position })));
    for (const incident of incidents) applyLevels(incident, known);
    await saveIncidents(db, incidents, new Set());
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

/** Writes the levels into the cells, and what follows from them into the incident. */
export function applyLevels(incident: IncidentRecord, levels: ReadonlyMap<StoredCell, number>): void {
  incident.cells = incident.cells.map((cell) => ({ ...cell, afterMs: levels.get(cell) ?? cell.afterMs }));
  Object.assign(incident, summaryOf(incident.cells));
}

const isUnderWay = ({ kind, recoveredAt }: StoredCell) => kind === 'spike' && recoveredAt === null;
