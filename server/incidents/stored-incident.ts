import { z } from 'zod';
import { Cause, IncidentExplanation } from '#contract/explanation.ts';
import { IncidentCandidate, IncidentCell } from '#contract/incident.ts';
import { IncidentKind, IncidentResolution, IncidentStatus, Severity } from '#contract/incident-vocabulary.ts';
import { Prisma, type Incident as Row } from '#prisma/generated/client.ts';

/** A cell as it is stored: names are looked up when it is read. */
export const StoredCell = IncidentCell.omit({
  targetName: true,
  vantageName: true,
  quietSince: true,
  peakMs: true,
  resumedBefore: true,
  resumedAfter: true,
  variant: true,
}).extend({
  quietSince: IncidentCell.shape.quietSince.optional(),
  peakMs: IncidentCell.shape.peakMs.optional(),
  resumedBefore: IncidentCell.shape.resumedBefore.optional(),
  resumedAfter: IncidentCell.shape.resumedAfter.optional(),
  variant: z.literal('resumed').exactOptional(),
});
export type StoredCell = z.infer<typeof StoredCell>;

/** What series that an incident does not affect moved by (analysis/incident/counterfactual.ts), by results up to `at`; what is of an earlier form is not known. */
const StoredMovement = z.object({ ratio: z.number(), siblings: z.number().int(), at: z.string() });

/** What tells the cells of an incident apart: a series, and what was seen on it. */
export const cellId = ({
  targetId,
  vantageId,
  variant,
  metric,
}: Pick<StoredCell, 'targetId' | 'vantageId' | 'variant' | 'metric'>) =>
  `${targetId} ${vantageId} ${variant ?? ''} ${metric}`;

/** An incident as the server works with it: a row, its lists parsed. */
export type IncidentRecord = Omit<
  Row,
  | 'kind'
  | 'status'
  | 'resolution'
  | 'severity'
  | 'notifiedSeverity'
  | 'cause'
  | 'explanation'
  | 'counterfactual'
  | 'cells'
  | 'candidates'
  | 'evidence'
> & {
  kind: IncidentKind;
  status: IncidentStatus;
  resolution: IncidentResolution | null;
  severity: Severity;
  notifiedSeverity: Severity | null;
  cause: Cause | null;
  explanation: IncidentExplanation | null;
  counterfactual: z.infer<typeof StoredMovement> | null;
  cells: StoredCell[];
  candidates: IncidentCandidate[];
  evidence: Record<string, unknown>;
};

export function recordOf(row: Row): IncidentRecord {
  return {
    ...row,
    kind: IncidentKind.parse(row.kind),
    status: IncidentStatus.parse(row.status),
    resolution: IncidentResolution.nullable().parse(row.resolution),
    severity: Severity.parse(row.severity),
    notifiedSeverity: Severity.nullable().parse(row.notifiedSeverity),
    cause: Cause.nullable().parse(row.cause),
    explanation: IncidentExplanation.nullable().parse(row.explanation),
    counterfactual: StoredMovement.nullable().catch(null).parse(row.counterfactual),
    cells: z.array(StoredCell).parse(row.cells),
    candidates: z.array(IncidentCandidate).parse(row.candidates),
    evidence: z.record(z.string(), z.unknown()).parse(row.evidence),
  };
}

/** Writes all of these incidents, of which those with an id of `fresh` are new. The caller has locked the rows it changes. */
export async function saveIncidents(
  db: Prisma.TransactionClient,
  records: readonly IncidentRecord[],
  fresh: ReadonlySet<string>,
): Promise<void> {
  const [made, changed] = [records.filter(({ id }) => fresh.has(id)), records.filter(({ id }) => !fresh.has(id))];
  if (made.length > 0) await db.incident.createMany({ data: made.map(dataOf) });
  for (let start = 0; start < changed.length; start += ROWS_AT_ONCE)
    await update(db, changed.slice(start, start + ROWS_AT_ONCE));
}

/** Rows of one statement. */
const ROWS_AT_ONCE = 200;

const COLUMNS: Record<Exclude<keyof IncidentRecord, 'id'>, string> = {
  kind: 'kind',
  groupKey: 'group_key',
  groups: 'groups',
  status: 'status',
  resolution: 'resolution',
  severity: 'severity',
  ruleId: 'rule_id',
  metric: 'metric',
  targetId: 'target_id',
  carrier: 'carrier',
  region: 'region',
  cause: 'cause',
  explanation: 'explanation',
  counterfactual: 'counterfactual',
  candidates: 'candidates',
  cells: 'cells',
  evidence: 'evidence',
  openedAt: 'opened_at',
  onsetAt: 'onset_at',
  acknowledgedAt: 'acknowledged_at',
  acknowledgedBy: 'acknowledged_by',
  resolvedAt: 'resolved_at',
  reopened: 'reopened',
  effectMs: 'effect_ms',
  effectRatio: 'effect_ratio',
  userShare: 'user_share',
  excessMs: 'excess_ms',
  backfilled: 'backfilled',
  lastEvent: 'last_event',
  notifiedAt: 'notified_at',
  silenced: 'silenced',
  flapping: 'flapping',
  demo: 'demo',
  mergedInto: 'merged_into',
  heldUntil: 'held_until',
  waitingSince: 'waiting_since',
  changedAt: 'changed_at',
  notifiedSeries: 'notified_series',
  notifiedCause: 'notified_cause',
  standingSince: 'standing_since',
  resolvedBy: 'resolved_by',
  splitFrom: 'split_from',
  reopenedAt: 'reopened_at',
  notifiedSeverity: 'notified_severity',
};
const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const ASSIGNMENTS = Prisma.raw(FIELDS.map((field) => `${COLUMNS[field]} = new.${COLUMNS[field]}`).join(', '));

/** One statement for many rows: a thousand of one row each take longer than a transaction may. */
async function update(db: Prisma.TransactionClient, records: readonly IncidentRecord[]): Promise<void> {
  const rows = records.map((record) => ({
    id: record.id,
    ...Object.fromEntries(FIELDS.map((field) => [COLUMNS[field], record[field]])),
  }));
  await db.$executeRaw`update incident set ${ASSIGNMENTS}
    from jsonb_populate_recordset(null::incident, ${JSON.stringify(rows)}::jsonb) new where incident.id = new.id`;
}

function dataOf({ evidence, explanation, counterfactual, ...rest }: IncidentRecord) {
  return {
    ...rest,
    explanation: explanation ?? Prisma.DbNull,
    counterfactual: counterfactual ?? Prisma.DbNull,
    evidence: evidence as Prisma.InputJsonObject,
  };
}

/**
 * Locks incidents until the transaction ends, in the order of their ids, which is everybody's: two that lock some of the same wait for one
 * another, never each for the other. A transaction that asks for incidents more than once locks all of them first. Their ids.
 */
export async function lockInOrder(db: Prisma.TransactionClient, where: Prisma.IncidentWhereInput): Promise<string[]> {
  const found = await db.incident.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  const ids = found.map(({ id }) => id);
  if (ids.length > 0) await db.$queryRaw`select id from incident where id = any(${ids}::uuid[]) order by id for update`;
  return ids;
}

/** Reads incidents and locks them until the transaction ends, in the order of their ids. */
export async function lockIncidents(
  db: Prisma.TransactionClient,
  where: Prisma.IncidentWhereInput,
): Promise<IncidentRecord[]> {
  const ids = await lockInOrder(db, where);
  if (ids.length === 0) return [];
  // What was found may have changed until it was locked.
  const rows = await db.incident.findMany({ where: { AND: [{ id: { in: ids } }, where] }, orderBy: { id: 'asc' } });
  return rows.map(recordOf);
}
