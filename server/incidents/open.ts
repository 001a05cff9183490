import { v7 as uuid } from 'uuid';
import { type Cause, END_REASONS, type EndReason, type IncidentKind, type Severity } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { type Batch, newBatch, note, writeBatch } from './batch.ts';
import { effectOf, summaryOf } from './effect.ts';
import { countOpening, FLAP_OPENINGS } from './openings.ts';
import type { IncidentRecord, StoredCell } from './row.ts';
import { tell, tellFlapping } from './tell.ts';

/** What is older than this when it is found out is kept, and nobody is told. */
export const TELL_WITHIN_MS = 3_600_000;
/** An incident that comes back so soon after its end is the same one. */
export const REOPEN_WITHIN_MS = 3_600_000;

/** Something that is, or becomes part of, an incident. `groups` are the detector's names of the event. */
export type Finding = {
  ruleId: string;
  severity: Severity;
  kind: IncidentKind;
  groupKey: string;
  groups: string[];
  metric: string | null;
  cause: Cause | null;
  onsetAt: Date;
  /** When it was found. */
  at: Date;
  cells: StoredCell[];
  evidence: Record<string, unknown>;
  demo: boolean;
};

/** Opens an incident and tells of it. Improvements ask nothing of anybody: they are over as soon as they are known. */
export async function openIncident(batch: Batch, finding: Finding): Promise<IncidentRecord> {
  const over = finding.kind === 'improvement';
  const { at, ...found } = finding;
  const incident: IncidentRecord = {
    ...found,
    ...summaryOf(finding.cells),
    id: uuid({ msecs: at.getTime() }),
    status: over ? 'resolved' : 'open',
    resolution: null,
    openedAt: at,
    resolvedAt: over ? at : null,
    candidates: [],
    acknowledgedAt: null,
    acknowledgedBy: null,
    reopened: 0,
    quiet: isPast(finding, batch.now),
    heard: null,
    toldAt: null,
    silenced: false,
    flapping: false,
  };
  batch.incidents.set(incident.id, incident);
  batch.fresh.add(incident.id);
  batch.unexplained.add(incident.id);
  note(batch, incident.id, at, 'opened', { params: { cells: finding.cells.length } });
  await tellOpening(batch, incident, at);
  return incident;
}

/** Adds what was found to an incident: cells, and what they say of it; a resolved one is opened again. */
export async function continueIncident(batch: Batch, incident: IncidentRecord, finding: Finding): Promise<void> {
  const added = newCells(incident, finding);
  batch.incidents.set(incident.id, incident);
  incident.groups = [...new Set([...incident.groups, ...finding.groups])];
  incident.quiet &&= isPast(finding, batch.now);
  incident.evidence = { ...incident.evidence, ...finding.evidence };
  if (added.length > 0) addCells(batch, incident, added, finding);
  if (finding.kind === 'regression' && incident.kind === 'spike') escalate(batch, incident, finding.at);
  if (incident.status === 'resolved' && incident.kind !== 'improvement') await reopen(batch, incident, finding.at);
  else tell(batch, incident);
}

function addCells(batch: Batch, incident: IncidentRecord, added: StoredCell[], finding: Finding): void {
  const isAgain = (cell: StoredCell) => added.some((other) => sameCell(cell, other));
  incident.cells = [...incident.cells.filter((cell) => !isAgain(cell)), ...added];
  Object.assign(incident, summaryOf(incident.cells));
  if (finding.onsetAt < incident.onsetAt) incident.onsetAt = finding.onsetAt;
  batch.unexplained.add(incident.id);
  const cells = added.map(({ targetId, vantageId, kind }) => ({ targetId, vantageId, kind }));
  note(batch, incident.id, finding.at, 'cell_added', { params: { cells } });
}

/** What looked like a spike has come to stay. */
function escalate(batch: Batch, incident: IncidentRecord, at: Date): void {
  incident.kind = 'regression';
  incident.metric = 'tls';
  note(batch, incident.id, at, 'escalated', { params: { from: 'spike', to: 'regression' } });
}

async function reopen(batch: Batch, incident: IncidentRecord, at: Date): Promise<void> {
  Object.assign(incident, {
    status: 'open',
    resolution: null,
    resolvedAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
  });
  incident.reopened += 1;
  note(batch, incident.id, at, 'reopened');
  await tellOpening(batch, incident, at);
}

async function tellOpening(batch: Batch, incident: IncidentRecord, at: Date): Promise<void> {
  const openings = await countOpening(batch, incident, at);
  if (!incident.flapping && openings >= FLAP_OPENINGS) tellFlapping(batch, incident);
  else tell(batch, incident);
}

/** Why it ends, `by` whom where a person said so, `at` when it was over (now where left out). */
export type Ending = { reason: EndReason; by?: string; text?: string; at?: Date };

/** Ends an incident; where nothing came down again, its level is the usual one from now on. */
export function endIncident(batch: Batch, incident: IncidentRecord, { reason, by, text, at }: Ending): void {
  batch.incidents.set(incident.id, incident);
  incident.status = 'resolved';
  incident.resolution = END_REASONS[reason];
  incident.resolvedAt = at ?? batch.now;
  // How much slower it stays: cells that came down again are no part of the new level.
  if (incident.resolution === 'accepted') Object.assign(incident, effectOf(lastingCells(incident)));
  note(batch, incident.id, incident.resolvedAt, incident.resolution === 'accepted' ? 'accepted' : 'resolved', {
    text: text ?? '',
    params: { reason, ...(by && { by }) },
  });
  tell(batch, incident);
}

/** Those that have not recovered; all where a spike's cells are over as their new level began. */
function lastingCells({ cells }: IncidentRecord): StoredCell[] {
  const lasting = cells.filter(({ recoveredAt }) => recoveredAt === null);
  return lasting.length > 0 ? lasting : cells;
}

/** Ends one incident by itself. */
export async function resolveIncident(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  now: Date,
  ending: Ending,
): Promise<void> {
  const batch = await newBatch(db, now);
  endIncident(batch, incident, ending);
  await writeBatch(batch);
}

/** Cells that the incident does not have yet, or that recovered and are bad again, or that stay bad. */
function newCells(incident: IncidentRecord, finding: Finding): StoredCell[] {
  return finding.cells.filter(
    (cell) =>
      !incident.cells.some(
        (known) =>
          sameCell(known, cell) && known.recoveredAt === null && (known.kind === cell.kind || cell.kind === 'spike'),
      ),
  );
}

const sameCell = (a: StoredCell, b: StoredCell) =>
  a.targetId === b.targetId && a.vantageId === b.vantageId && a.metric === b.metric;

const isPast = ({ at }: Finding, now: Date) => now.getTime() - at.getTime() > TELL_WITHIN_MS;
