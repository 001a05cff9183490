import type { OpenSpike } from '#analysis/detection/detection.ts';
import { WATCHED_METRICS } from '#contract/vocabulary.ts';
import { getPrisma } from '#server/database/database.ts';
import { measuredLevels } from '#server/detection/levels.ts';
import { isShown, summaryOf } from './effect.ts';
import { applyImpact, loadUsers, severitiesOf } from './impact.ts';
import {
  cellId,
  type IncidentRecord,
  lockIncidents,
  recordOf,
  type StoredCell,
  saveIncidents,
} from './stored-incident.ts';
import { awaitRise } from './update-timing.ts';

// A spike is raised while it still grows: what it did to its cells is known better every minute, and at its end for good.
// Once a cell is quiet its results are as usual again: until the detector calls the spike over, half an hour later, they
// would make the effect melt away, so it is that of the time before.

/** Incidents that are locked at once: somebody who acknowledges one waits for no more than these. */
const LOCKED_AT_ONCE = 100;

const OPEN_SPIKE = { kind: 'spike', status: { not: 'resolved' } };

/** What is known of a cell by now: its level and its peak (ms, or a share), and since when it has been quiet (RFC 3339). */
type State = Pick<StoredCell, 'afterMs'> & {
  peakMs: number | null;
  quietSince: string | null;
  resumedAfter: number | null;
};

/**
 * Measures the spikes that are under way up to `position`, seconds since 1970. Sends no messages: of one that has become graver than who was
 * told of it knows, the sweep tells.
 */
export async function followSpikes(open: readonly OpenSpike[], position: number, now: Date): Promise<void> {
  // Measured before anything is locked: of a thousand targets it takes seconds.
  const rows = await getPrisma().incident.findMany({ where: OPEN_SPIKE, orderBy: { id: 'asc' } });
  const incidents = rows.map(recordOf);
  const quiet = new Map(open.map((spike) => [spikeKey(spike), spike.quietSince]));
  const spans = incidents
    .flatMap(({ cells }) => cells.filter(isUnderWay))
    .map((cell) => ({ cell, quietSince: quiet.get(cellKey(cell)) ?? null }));
  const levels = await levelsSince(spans.map(({ cell, quietSince }) => ({ cell, until: quietSince ?? position })));
  const states = new Map(
    spans.map(({ cell, quietSince }): [string, State] => [
      cellKey(cell),
      {
        ...levelOf(cell, levels.get(cell)),
        quietSince: quietSince === null ? null : new Date(quietSince * 1_000).toISOString(),
      },
    ]),
  );
  const ids = incidents.filter((incident) => applyStates(incident, states)).map(({ id }) => id);
  for (let start = 0; start < ids.length; start += LOCKED_AT_ONCE)
    await storeStates(ids.slice(start, start + LOCKED_AT_ONCE), states, now);
}

/** Into the incidents as they are by now: cells may have come, or be over. */
async function storeStates(ids: string[], states: ReadonlyMap<string, State>, now: Date): Promise<void> {
  await getPrisma().$transaction(async (db) => {
    const locked = await lockIncidents(db, { id: { in: ids }, ...OPEN_SPIKE });
    const changed = locked.filter((incident) => applyStates(incident, states));
    const users = await loadUsers(
      db,
      null,
      changed.flatMap(({ cells }) => cells),
    );
    const severities = await severitiesOf(
      db,
      changed.map(({ ruleId }) => ruleId),
    );
    for (const incident of changed) {
      applyImpact(incident, users, severities.get(incident.ruleId ?? ''), incident.notifiedAt !== null);
      awaitRise(incident, now);
    }
    await saveIncidents(db, changed, new Set());
  });
}

/** A cell's typical level and its peak, of what was measured while its spike lasts, and the share of resumed handshakes. */
export type Since = { after: number; peak: number | null; resumed?: number | null };

/**
 * What a cell's levels are by what was measured since its onset: its peak at least what it was, and its typical level as it was
 * while results among the usual ones would take a spike that is not over below what is shown.
 */
export function levelOf(cell: StoredCell, since: Since | undefined): Omit<State, 'quietSince'> {
  const { afterMs, peakMs, resumedAfter } = cell;
  if (since === undefined) return { afterMs, peakMs, resumedAfter };
  const measured = { ...cell, afterMs: since.after };
  const isKept = afterMs !== null && isShown('spike', [cell]) && !isShown('spike', [measured]);
  const peaks = [since.peak, peakMs].filter((peak) => peak !== null);
  return {
    afterMs: isKept ? afterMs : since.after,
    peakMs: peaks.length > 0 ? Math.max(...peaks) : null,
    resumedAfter: isKept ? resumedAfter : (since.resumed ?? resumedAfter),
  };
}

/** The levels of each cell from its onset up to `until` (not included), seconds since 1970. Cells without results are not in it. */
export async function levelsSince(
  spans: readonly { cell: StoredCell; until: number }[],
): Promise<ReadonlyMap<StoredCell, Since>> {
  const asked = spans.flatMap(({ cell, until }) => {
    const { targetId, vantageId } = cell;
    const metric = WATCHED_METRICS.find((each) => each === cell.metric);
    if (targetId === null || vantageId === null || metric === undefined) return [];
    const changeAt = Math.floor(Date.parse(cell.changeAt) / 1_000);
    return [{ cell, span: { targetId, vantageId, variant: cell.variant, metric, changeAt, at: until - 1 } }];
  });
  const levels = await measuredLevels(asked.map(({ span }) => span));
  return new Map(
    asked.flatMap(({ cell }, index): [StoredCell, Since][] => {
      const { after = null, peak = null, resumedAfter: resumed = null } = levels[index] ?? {};
      return after === null ? [] : [[cell, { after, peak, resumed }]];
    }),
  );
}

/** Writes what is known into the cells that are under way, and what follows from it into the incident; false where nothing is new. */
function applyStates(incident: IncidentRecord, states: ReadonlyMap<string, State>): boolean {
  const stateOf = (cell: StoredCell) => (isUnderWay(cell) ? states.get(cellKey(cell)) : undefined);
  const isNew = (cell: StoredCell) => {
    const state = stateOf(cell);
    return (
      state &&
      (state.afterMs !== cell.afterMs ||
        state.peakMs !== cell.peakMs ||
        state.resumedAfter !== cell.resumedAfter ||
        state.quietSince !== cell.quietSince)
    );
  };
  if (!incident.cells.some(isNew)) return false;
  incident.cells = incident.cells.map((cell) => ({ ...cell, ...stateOf(cell) }));
  Object.assign(incident, summaryOf(incident.cells));
  return true;
}

const isUnderWay = ({ kind, recoveredAt }: StoredCell) => kind === 'spike' && recoveredAt === null;

/** The key under which the detector tells of a cell's spike. */
export const cellKey = (cell: StoredCell) => `${cellId(cell)} ${Date.parse(cell.changeAt) / 1_000}`;

/** The same key, from the detector's own word. */
export function spikeKey(spike: Pick<OpenSpike, 'target' | 'vantage' | 'variant' | 'metric' | 'changeAt'>): string {
  return `${cellId({ ...spike, targetId: spike.target, vantageId: spike.vantage })} ${spike.changeAt}`;
}
