import { z } from 'zod';
import { Cause, IncidentCandidate, IncidentCell, IncidentKind, IncidentStatus, Severity } from '#contract/incident.ts';
import type { Prisma, Incident as Row } from '#prisma/generated/client.ts';

/** A cell as it is stored: names are looked up when it is read. */
export const StoredCell = IncidentCell.omit({ targetName: true, vantageName: true });
export type StoredCell = z.infer<typeof StoredCell>;

/** An incident as the server works with it: a row, its lists parsed. */
export type IncidentRecord = Omit<
  Row,
  'kind' | 'status' | 'severity' | 'cause' | 'cells' | 'candidates' | 'evidence'
> & {
  kind: IncidentKind;
  status: IncidentStatus;
  severity: Severity;
  cause: Cause | null;
  cells: StoredCell[];
  candidates: IncidentCandidate[];
  evidence: Record<string, unknown>;
};

export function recordOf(row: Row): IncidentRecord {
  return {
    ...row,
    kind: IncidentKind.parse(row.kind),
    status: IncidentStatus.parse(row.status),
    severity: Severity.parse(row.severity),
    cause: Cause.nullable().parse(row.cause),
    cells: z.array(StoredCell).parse(row.cells),
    candidates: z.array(IncidentCandidate).parse(row.candidates),
    evidence: z.record(z.string(), z.unknown()).parse(row.evidence),
  };
}

/** Writes all of an incident, new or not. Whoever changes one has locked its row. */
export async function saveIncident(db: Prisma.TransactionClient, record: IncidentRecord): Promise<void> {
  const { id, cells, candidates, evidence, ...rest } = record;
  const data = { ...rest, cells, candidates, evidence: evidence as Prisma.InputJsonObject };
  await db.incident.upsert({ where: { id }, create: { id, ...data }, update: data });
}

/** Reads incidents and locks them until the transaction ends, in the order of their ids. */
export async function lockIncidents(
  db: Prisma.TransactionClient,
  where: Prisma.IncidentWhereInput,
): Promise<IncidentRecord[]> {
  const found = await db.incident.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return [];
  await db.$queryRaw`select id from incident where id = any(${ids}::uuid[]) order by id for update`;
  // What was found may have changed until it was locked.
  const rows = await db.incident.findMany({ where: { AND: [{ id: { in: ids } }, where] }, orderBy: { id: 'asc' } });
  return rows.map(recordOf);
}
