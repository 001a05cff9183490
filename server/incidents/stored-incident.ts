import type { Cause, IncidentExplanation } from '#contract/explanation.ts';
import type { IncidentCandidate, IncidentCell } from '#contract/incident.ts';
import type { IncidentKind, IncidentResolution, IncidentStatus, Severity } from '#contract/incident-vocabulary.ts';
import { Prisma, type Incident as Row } from '#prisma/generated/client.ts';

/** A cell as it is stored: names are looked up when it is read, and of most series the handshakes are the main ones. */
export type StoredCell = Omit<IncidentCell, 'targetName' | 'vantageName' | 'variant'> & { variant?: 'resumed' };

/** A cell that was seen `at`, and is so since `changeAt`; what is not given there is not. */
export const cellOf = ({ at, changeAt = at, ...seen }: Seen): StoredCell => ({
  vantageId: null,
  region: null,
  carrier: null,
  metric: null,
  beforeMs: null,
  afterMs: null,
  peakMs: null,
  resumedBefore: null,
  resumedAfter: null,
  quietSince: null,
  recoveredAt: null,
  ...seen,
  at: at.toISOString(),
  changeAt: changeAt.toISOString(),
});
type Seen = Pick<StoredCell, 'targetId' | 'kind'> &
  Partial<Omit<StoredCell, 'at' | 'changeAt'>> & { at: Date; changeAt?: Date };

/** What series that an incident does not affect moved by (analysis/incident/counterfactual.ts), by results up to `at`. */
type StoredMovement = { ratio: number; siblings: number; at: string };

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
  counterfactual: StoredMovement | null;
  cells: StoredCell[];
  candidates: IncidentCandidate[];
  evidence: Record<string, unknown>;
};

/** What a row holds was written by `saveIncidents`. */
export const recordOf = (row: Row) => row as unknown as IncidentRecord;

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

/** The column of a field, which the schema maps by this rule alone. */
const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const COLUMNS = Object.keys(Prisma.IncidentScalarFieldEnum).map(columnOf);
const ASSIGNMENTS = Prisma.raw(
  COLUMNS.filter((column) => column !== 'id')
    .map((column) => `${column} = new.${column}`)
    .join(', '),
);

/** One statement for many rows: a thousand of one row each take longer than a transaction may. */
async function update(db: Prisma.TransactionClient, records: readonly IncidentRecord[]): Promise<void> {
  const rows = records.map((record) =>
    Object.fromEntries(Object.entries(record).map(([field, value]) => [columnOf(field), value])),
  );
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
