import { v7 as uuid } from 'uuid';
import type { Cause, IncidentKind, Severity } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { causeCandidates } from './candidates.ts';
import { summaryOf } from './effect.ts';
import { type IncidentRecord, type StoredCell, saveIncident } from './row.ts';
import { tell, tellFlapping } from './tell.ts';
import { note } from './timeline.ts';

/** What is older than this when it is found out is kept, and nobody is told. */
export const TELL_WITHIN_MS = 3_600_000;
/** An incident that comes back so soon after its end is the same one. */
export const REOPEN_WITHIN_MS = 3_600_000;
/** So many openings within so long are flapping: one message, then none until an hour without. */
export const FLAP_OPENINGS = 3;
export const FLAP_WITHIN_MS = 3_600_000;

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
export async function openIncident(db: Prisma.TransactionClient, finding: Finding, now: Date): Promise<IncidentRecord> {
  const over = finding.kind === 'improvement';
  const { at, ...found } = finding;
  const incident: IncidentRecord = {
    ...found,
    ...summaryOf(finding.cells),
    id: uuid({ msecs: at.getTime() }),
    status: over ? 'resolved' : 'open',
    openedAt: at,
    resolvedAt: over ? at : null,
    candidates: await causeCandidates(finding),
    acknowledgedAt: null,
    acknowledgedBy: null,
    reopened: 0,
    quiet: isPast(finding, now),
    heard: null,
    toldAt: null,
    silenced: false,
    flapping: false,
  };
  // The timeline counts openings, of which this is one.
  await saveIncident(db, incident);
  await note(db, incident.id, at, 'opened', { params: { cells: finding.cells.length } });
  await tellOpening(db, incident, now);
  await saveIncident(db, incident);
  return incident;
}

/** Adds what was found to an incident: cells, and what they say of it; a resolved one is opened again. */
export async function continueIncident(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  finding: Finding,
  now: Date,
): Promise<void> {
  const added = newCells(incident, finding);
  incident.groups = [...new Set([...incident.groups, ...finding.groups])];
  incident.quiet &&= isPast(finding, now);
  incident.evidence = { ...incident.evidence, ...finding.evidence };
  if (added.length > 0) await addCells(db, incident, added, finding);
  if (finding.kind === 'regression' && incident.kind === 'spike') await escalate(db, incident, finding.at);
  if (incident.status === 'resolved' && incident.kind !== 'improvement') await reopen(db, incident, finding.at, now);
  else await tell(db, incident, now);
  await saveIncident(db, incident);
}

async function addCells(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  added: StoredCell[],
  finding: Finding,
): Promise<void> {
  const isAgain = (cell: StoredCell) => added.some((other) => sameCell(cell, other));
  incident.cells = [...incident.cells.filter((cell) => !isAgain(cell)), ...added];
  Object.assign(incident, summaryOf(incident.cells));
  if (finding.onsetAt < incident.onsetAt) incident.onsetAt = finding.onsetAt;
  incident.candidates = await causeCandidates(incident);
  const cells = added.map(({ targetId, vantageId, kind }) => ({ targetId, vantageId, kind }));
  await note(db, incident.id, finding.at, 'cell_added', { params: { cells } });
}

/** What looked like a spike has come to stay. */
async function escalate(db: Prisma.TransactionClient, incident: IncidentRecord, at: Date): Promise<void> {
  incident.kind = 'regression';
  incident.metric = 'tls';
  await note(db, incident.id, at, 'escalated', { params: { from: 'spike', to: 'regression' } });
}

async function reopen(db: Prisma.TransactionClient, incident: IncidentRecord, at: Date, now: Date): Promise<void> {
  Object.assign(incident, { status: 'open', resolvedAt: null, acknowledgedAt: null, acknowledgedBy: null });
  incident.reopened += 1;
  await note(db, incident.id, at, 'reopened');
  await tellOpening(db, incident, now);
}

async function tellOpening(db: Prisma.TransactionClient, incident: IncidentRecord, now: Date): Promise<void> {
  if (!incident.flapping && (await openingsOf(db, incident, now)) >= FLAP_OPENINGS)
    await tellFlapping(db, incident, now);
  else await tell(db, incident, now);
}

/** How often this rule opened an incident about the same thing within the last hour. */
export async function openingsOf(
  db: Prisma.TransactionClient,
  { ruleId, groupKey }: Pick<IncidentRecord, 'ruleId' | 'groupKey'>,
  now: Date,
): Promise<number> {
  const since = new Date(now.getTime() - FLAP_WITHIN_MS);
  const rows = await db.$queryRaw<{ n: number }[]>`
    select count(*)::int as n from incident i join incident_event e on e.incident_id = i.id
    where i.rule_id = ${ruleId}::uuid and i.group_key = ${groupKey}
      and e.kind in ('opened', 'reopened') and e.at > ${since}`;
  return rows[0]?.n ?? 0;
}

/** Ends an incident; `reason` is one of docs/api.md, `by` the person who said so. */
export async function resolveIncident(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  now: Date,
  { reason, by, text, at = now }: { reason: string; by?: string; text?: string; at?: Date },
): Promise<void> {
  incident.status = 'resolved';
  incident.resolvedAt = at;
  await note(db, incident.id, at, 'resolved', { text: text ?? '', params: { reason, ...(by && { by }) } });
  await tell(db, incident, now);
  await saveIncident(db, incident);
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
