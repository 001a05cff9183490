import type { ClosedSpike, OpenSpike } from '#analysis/detection/detection.ts';
import { forgottenSeconds, slotSeconds } from '#analysis/detection/parameters.ts';
import { lastingOf } from '#contract/incident-parts.ts';
import type { EndReason } from '#contract/incident-vocabulary.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { checkKey, measuredSince } from '#server/detection/measured.ts';
import { type Batch, beginBatch, note, writeBatch } from './batch.ts';
import { effectOf, summaryOf } from './effect.ts';
import { cellKey, levelOf, levelsSince, spikeKey } from './follow.ts';
import { decidedAt, isDecidedOn, isSmall } from './life.ts';
import { notify, notifyUpdate } from './notify.ts';
import { endIncident, escalate } from './open.ts';
import { recoveredCells } from './rollback.ts';
import { cellId, type IncidentRecord, lockIncidents, recordOf, type StoredCell } from './stored-incident.ts';
import { markOutdated } from './update-timing.ts';

/** What is found while there is history to catch up with, and lasts, is told if it was found no longer ago than this. */
const NOTIFY_LASTING_MS = 86_400_000;

/** Up to which instants (seconds since 1970) results had been looked at the last time, and are now. */
type Progress = { before: number; position: number };

/** Incidents that are locked at once: somebody who acknowledges one waits for no more than these. */
const LOCKED_AT_ONCE = 100;

const OPEN = { kind: { in: ['spike', 'regression'] }, status: { not: 'resolved' } };

/** What is to be done with an incident: cells of it are over, or two days have passed. */
type Over = { reason: 'decided' } | { reason: 'gone' | 'no_results' | 'rolled_back'; cells: StoredCell[] };

/**
 * Ends what is over for other reasons than the detector's word: the cell is gone, or was not measured for 8 days, or the level is back.
 * What lasts for two days is accepted where it is small, and stands where it is not.
 */
export async function settleIncidents(progress: Progress, now: Date): Promise<void> {
  const found = (await getPrisma().incident.findMany({ where: OPEN, orderBy: { id: 'asc' } })).map(recordOf);
  if (found.length === 0) return;
  const gone = await goneOf(found);
  const silent = await silentOf(found, progress);
  const over = new Map<string, Over>();
  for (const incident of found) {
    const why = await overOf(incident, progress, { gone, silent }, now);
    if (why) over.set(incident.id, why);
  }
  const [ids, at] = [[...over.keys()], new Date(progress.position * 1_000)];
  for (let start = 0; start < ids.length; start += LOCKED_AT_ONCE)
    await getPrisma().$transaction(async (db) => {
      const batch = await beginBatch(db, now);
      for (const incident of await lockIncidents(db, { id: { in: ids.slice(start, start + LOCKED_AT_ONCE) }, ...OPEN }))
        end(batch, incident, over.get(incident.id), at);
      await writeBatch(batch);
    });
}

async function overOf(
  incident: IncidentRecord,
  progress: Progress,
  { gone, silent }: Record<'gone' | 'silent', (cell: StoredCell) => boolean>,
  now: Date,
): Promise<Over | null> {
  const { kind, cells, standingSince } = incident;
  const isRegression = kind === 'regression';
  const back = isRegression ? await recoveredCells(cells, progress, now.getTime()) : [];
  const unwatched = cells.filter((cell) => gone(cell) || silent(cell));
  if (back.length > 0) return { reason: 'rolled_back', cells: [...unwatched, ...back] };
  if (unwatched.length > 0) return { reason: unwatched.every(gone) ? 'gone' : 'no_results', cells: unwatched };
  const isDue =
    isDecidedOn(incident) && standingSince === null && progress.position * 1_000 > decidedAt(incident).getTime();
  return isDue ? { reason: 'decided' } : null;
}

function end(batch: Batch, incident: IncidentRecord, over: Over | undefined, at: Date): void {
  if (over === undefined) return;
  if (over.reason === 'decided') decide(batch, incident);
  else endCells(batch, incident, over.cells, over.reason, at);
}

/** Dated when it was due, not whenever the server came to look. */
function decide(batch: Batch, incident: IncidentRecord): void {
  const at = decidedAt(incident);
  if (isSmall(lastingOf(incident.cells))) {
    endIncident(batch, incident, { reason: 'small', at });
    return;
  }
  incident.standingSince = at;
  batch.incidents.set(incident.id, incident);
  note(batch, incident.id, at, 'standing', { params: effectOf(incident.cells) });
  markOutdated(incident);
  notifyUpdate(batch, incident);
}

/** Notifies of what was found during catching up, without a message, and still holds at the end of it. */
export async function notifyLasting(now: Date): Promise<void> {
  const since = new Date(now.getTime() - NOTIFY_LASTING_MS);
  const where = {
    backfilled: true,
    demo: false,
    status: { not: 'resolved' },
    OR: [{ kind: 'spike' }, { kind: 'regression', openedAt: { gt: since } }],
  };
  await getPrisma().$transaction(async (db) => {
    const batch = await beginBatch(db, now);
    for (const incident of await lockIncidents(db, where)) {
      incident.backfilled = false;
      batch.incidents.set(incident.id, incident);
      notify(batch, incident);
    }
    await writeBatch(batch);
  });
}

function endCells(batch: Batch, incident: IncidentRecord, over: StoredCell[], reason: EndReason, at: Date): void {
  const isOver = (cell: StoredCell) => over.some((each) => sameCell(each, cell)) && cell.recoveredAt === null;
  const ended = incident.cells.filter(isOver);
  if (ended.length === 0) return;
  incident.cells = incident.cells.map((cell) => (isOver(cell) ? { ...cell, recoveredAt: at.toISOString() } : cell));
  Object.assign(incident, summaryOf(incident.cells));
  batch.incidents.set(incident.id, incident);
  const cells = ended.map(({ targetId, vantageId }) => ({ targetId, vantageId }));
  note(batch, incident.id, at, 'cell_recovered', { params: { cells, reason } });
  if (incident.cells.every(({ recoveredAt }) => recoveredAt !== null)) endIncident(batch, incident, { reason, at });
}

const sameCell = (a: StoredCell, b: StoredCell) => cellId(a) === cellId(b) && a.changeAt === b.changeAt;

/** Says of a cell that has not recovered whether it is no longer measured. */
async function goneOf(incidents: readonly IncidentRecord[]): Promise<(cell: StoredCell) => boolean> {
  const cells = incidents.flatMap((incident) => incident.cells);
  const idsOf = (ids: (string | null)[]) => ({ in: [...new Set(ids)].filter((id) => id !== null) });
  const [targets, vantages] = [
    await getPrisma().target.findMany({
      where: { id: idsOf(cells.map(({ targetId }) => targetId)), deletedAt: null, enabled: true },
      select: { id: true },
    }),
    await getPrisma().vantage.findMany({
      where: { id: idsOf(cells.map(({ vantageId }) => vantageId)), deletedAt: null },
      select: { id: true },
    }),
  ];
  const there = new Set([...targets, ...vantages].map(({ id }) => id));
  return ({ targetId, vantageId, recoveredAt }) =>
    recoveredAt === null && (!there.has(targetId ?? '') || !there.has(vantageId ?? ''));
}

/**
 * Says of a cell that has not recovered whether it was not measured for as long as the detector remembers a series. Asked at the end of
 * each half hour.
 */
async function silentOf(
  incidents: readonly IncidentRecord[],
  { before, position }: Progress,
): Promise<(cell: StoredCell) => boolean> {
  if (Math.floor(before / slotSeconds) === Math.floor(position / slotSeconds)) return () => false;
  const since = position - forgottenSeconds;
  const open = incidents.flatMap(({ cells }) =>
    cells.flatMap((cell) => {
      const { targetId, vantageId, recoveredAt, changeAt, variant } = cell;
      if (recoveredAt !== null || targetId === null || vantageId === null) return [];
      return Date.parse(changeAt) / 1_000 < since ? [{ targetId, vantageId, variant }] : [];
    }),
  );
  const measured = await measuredSince(open, since, position);
  const checked = new Set(open.map(checkKey));
  return (cell) => cell.recoveredAt === null && checked.has(checkKey(cell)) && !measured.has(checkKey(cell));
}

/** Why a spike is over, in the words of docs/api.md. */
const REASONS: Record<ClosedSpike['by'], EndReason> = {
  quiet: 'quiet',
  shift: 'lasting_change',
  silence: 'no_results',
  length: 'new_level',
};

/** When a cell's spike was over and when that was known, seconds since 1970; `measured`: results up to `endedAt` tell its level. */
type End = Pick<ClosedSpike, 'at' | 'endedAt'> & { reason: EndReason; measured: boolean };

/** Says of the cells of open spikes that they are over where the detector says so, and ends incidents of which all are. */
export async function endSpikes(batch: Batch, closed: readonly ClosedSpike[]): Promise<void> {
  if (closed.length === 0) return;
  const ends = new Map(
    closed.map((each): [string, End] => [spikeKey(each), { ...each, reason: REASONS[each.by], measured: true }]),
  );
  for (const incident of await openIncidents(batch)) {
    const ended = incident.cells.flatMap((cell) => {
      const end = isOpen(cell) ? ends.get(cellKey(cell)) : undefined;
      return end ? { cell, end } : [];
    });
    const [over, stays] = [ended.filter((each) => !cameToStay(each)), ended.filter(cameToStay)];
    if (stays.length > 0) await keepSpikeCells(batch, incident, stays);
    if (over.length > 0) await endSpikeCells(batch, incident, over);
  }
}

type Ended = { cell: StoredCell; end: End };

/** What is still high when the detector takes it for the usual level has not recovered, and is not accepted. */
const cameToStay = ({ cell: { beforeMs }, end: { reason } }: Ended): boolean =>
  reason === 'new_level' && beforeMs !== null;

/** A spike that lasted for as long as one can is a lasting change, found when that was known: it ends as those do. */
async function keepSpikeCells(batch: Batch, incident: IncidentRecord, stays: Ended[]): Promise<void> {
  const levels = await levelsSince(stays.map(({ cell, end }) => ({ cell, until: end.endedAt })));
  const at = new Date(Math.max(...stays.map(({ end }) => end.at)) * 1_000);
  const endOf = new Map(stays.map(({ cell, end }) => [cell, end]));
  incident.cells = incident.cells.map((cell) => {
    const end = endOf.get(cell);
    if (end === undefined) return cell;
    return { ...cell, ...levelOf(cell, levels.get(cell)), kind: 'regression', at: instant(end.at), quietSince: null };
  });
  Object.assign(incident, summaryOf(incident.cells));
  batch.incidents.set(incident.id, incident);
  if (incident.kind === 'spike') escalate(batch, incident, at);
  notify(batch, incident);
}

/**
 * Ends the cells that are open here and of which the detector knows nothing: it was restarted, or the report that they are
 * over was lost. `at`: up to when the detector has seen results, seconds since 1970.
 */
export async function endForgotten(db: Prisma.TransactionClient, known: readonly OpenSpike[], at: number, now: Date) {
  const batch = await beginBatch(db, now);
  const underWay = new Set(known.map(spikeKey));
  for (const incident of await openIncidents(batch)) {
    const forgotten = incident.cells.filter((cell) => isOpen(cell) && !underWay.has(cellKey(cell)));
    // When it went quiet, if it did, is not known: its level stays the one last measured.
    const end: End = { at, endedAt: at, reason: 'detector_reset', measured: false };
    const ended = forgotten.map((cell) => ({ cell, end }));
    if (ended.length > 0) await endSpikeCells(batch, incident, ended);
  }
  await writeBatch(batch);
}

/** A spike that became a regression may have cells at which it did not: those end as spikes do. */
const isOpen = ({ kind, recoveredAt }: StoredCell) => kind === 'spike' && recoveredAt === null;

/** All that may have such cells: as they are in the database, or as this batch has made them. */
async function openIncidents(batch: Batch): Promise<IncidentRecord[]> {
  const { incidents } = batch;
  const stored = await lockIncidents(batch.db, {
    kind: { in: ['spike', 'regression', 'down'] },
    status: { not: 'resolved' },
  });
  const untouched = stored.filter(({ id }) => !incidents.has(id));
  return [...untouched, ...incidents.values()].filter(({ status }) => status !== 'resolved');
}

async function endSpikeCells(batch: Batch, incident: IncidentRecord, ended: Ended[]): Promise<void> {
  const measured = ended.filter(({ end }) => end.measured);
  const levels = await levelsSince(measured.map(({ cell, end }) => ({ cell, until: end.endedAt })));
  const at = new Date(Math.max(...ended.map(({ end }) => end.at)) * 1_000);
  // A lasting change may have begun before the spike that it was taken for.
  const endOf = new Map(
    ended.map(({ cell, end }) => [cell, instant(Math.max(end.endedAt, Date.parse(cell.changeAt) / 1_000))]),
  );
  incident.cells = incident.cells.map((cell) => ({
    ...cell,
    ...levelOf(cell, levels.get(cell)),
    recoveredAt: endOf.get(cell) ?? cell.recoveredAt,
    quietSince: endOf.has(cell) ? null : cell.quietSince,
  }));
  Object.assign(incident, summaryOf(incident.cells));
  batch.incidents.set(incident.id, incident);
  for (const [reason, same] of Map.groupBy(ended, ({ end }) => end.reason)) {
    const cells = same.map(({ cell: { targetId, vantageId } }) => ({ targetId, vantageId }));
    note(batch, incident.id, at, 'cell_recovered', { params: { cells, reason } });
  }
  const last = ended.toSorted((a, b) => a.end.endedAt - b.end.endedAt).at(-1);
  if (last && incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    endIncident(batch, incident, { reason: last.end.reason, at });
}

const instant = (seconds: number) => new Date(seconds * 1_000).toISOString();
