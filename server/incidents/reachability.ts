import { getPrisma } from '#server/database/database.ts';
import { type Batch, beginBatch, writeBatch } from './batch.ts';
import { mergeIncidents } from './merge.ts';
import { REOPEN_WITHIN_MS } from './open.ts';
import { type IncidentRecord, lockIncidents } from './stored-incident.ts';

// A target that is down shows in several ways: every probe of enough vantages fails (a rule of kind `down`), the share of failures is a
// spike at each of them (the detector), and its server no longer staples. These are one incident, that of kind `down`: a spike of failures
// that is open grows to it, what else is open becomes part of it, and what comes while it is open joins it.

const OPEN = { status: { not: 'resolved' }, mergedInto: null };
const FAILING = { kind: 'spike', metric: 'failures' };

/** The open spikes of failures of these targets alone. */
export const openFailuresOf = (targetIds: string[]) => ({ ...OPEN, ...FAILING, targetId: { in: targetIds } });

type Finding = Pick<IncidentRecord, 'kind' | 'metric' | 'cells'>;

/** The incident of a target that is down, which failures of that target belong to; null: it is not down, or this is something else. */
export async function downIncidentOf(batch: Batch, { kind, metric, cells }: Finding): Promise<IncidentRecord | null> {
  if (kind !== 'spike' || metric !== 'failures') return null;
  const [targetId, ...others] = new Set(cells.map((cell) => cell.targetId));
  if (!targetId || others.length > 0) return null;
  const [stored] = await lockIncidents(batch.db, { ...OPEN, kind: 'down', targetId });
  return stored ? (batch.incidents.get(stored.id) ?? stored) : null;
}

/** The targets that are down, by open incidents. */
export async function targetsDown(): Promise<Set<string>> {
  const rows = await getPrisma().incident.findMany({ where: { ...OPEN, kind: 'down' }, select: { targetId: true } });
  return new Set(rows.flatMap(({ targetId }) => targetId ?? []));
}

/** Makes open failures of targets that are down, and missing staples that began within an hour of it, part of those incidents. */
export async function joinReachability(now: Date): Promise<void> {
  const down = await targetsDown();
  if (down.size === 0) return;
  const kinds = [{ kind: 'down' }, { kind: 'staple' }, FAILING];
  const where = { ...OPEN, targetId: { in: [...down] }, OR: kinds };
  await getPrisma().$transaction(async (db) => {
    const batch = await beginBatch(db, now);
    const found = await lockIncidents(db, where);
    for (const same of Map.groupBy(found, ({ targetId }) => targetId).values()) {
      const into = same.find(({ kind }) => kind === 'down');
      if (!into) continue;
      for (const each of same)
        if (each.kind !== 'down' && isOneEvent(each, into)) mergeIncidents(batch, each, into, now);
    }
    await writeBatch(batch);
  });
}

const isOneEvent = (each: IncidentRecord, down: IncidentRecord) =>
  each.kind === 'spike' || Math.abs(each.onsetAt.getTime() - down.onsetAt.getTime()) <= REOPEN_WITHIN_MS;
