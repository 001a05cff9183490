import type { Prisma } from '#prisma/generated/client.ts';
import type { Batch } from './batch.ts';
import type { IncidentRecord } from './row.ts';

/** So many openings within so long are flapping: one message, then none until an hour without. */
export const FLAP_OPENINGS = 3;
export const FLAP_WITHIN_MS = 3_600_000;

/** What is counted together: what one rule says of one thing. */
type Subject = Pick<IncidentRecord, 'ruleId' | 'groupKey'>;

const openingKey = ({ ruleId, groupKey }: Subject) => `${ruleId} ${groupKey}`;

/** How often this rule opened an incident about the same thing within the last hour, openings of the batch among them. */
export async function openingsOf(batch: Batch, subject: Subject): Promise<number> {
  const key = openingKey(subject);
  if (!batch.openings.has(key)) await loadOpenings(batch, [subject]);
  return batch.openings.get(key) ?? 0;
}

/** Counts one more. What is written with the batch is not in the database yet. */
export async function countOpening(batch: Batch, subject: Subject, at: Date): Promise<number> {
  const before = await openingsOf(batch, subject);
  const counted = at.getTime() > batch.now.getTime() - FLAP_WITHIN_MS ? before + 1 : before;
  batch.openings.set(openingKey(subject), counted);
  return counted;
}

/** Reads the openings of many subjects at once. */
export async function loadOpenings(batch: Batch, subjects: readonly Subject[]): Promise<void> {
  const found = await countOpenings(batch.db, subjects, batch.now);
  for (const subject of subjects) {
    const key = openingKey(subject);
    if (!batch.openings.has(key)) batch.openings.set(key, found.get(key) ?? 0);
  }
}

async function countOpenings(db: Prisma.TransactionClient, subjects: readonly Subject[], now: Date) {
  const since = new Date(now.getTime() - FLAP_WITHIN_MS);
  const rules = subjects.map(({ ruleId }) => ruleId);
  const keys = subjects.map(({ groupKey }) => groupKey);
  const rows = await db.$queryRaw<{ ruleId: string | null; groupKey: string; n: number }[]>`
    select i.rule_id as "ruleId", i.group_key as "groupKey", count(*)::int as n
    from incident_event e join incident i on i.id = e.incident_id
    where e.at > ${since} and e.kind in ('opened', 'reopened')
      and (i.rule_id, i.group_key) in (select * from unnest(${rules}::uuid[], ${keys}::text[]))
    group by i.rule_id, i.group_key`;
  return new Map(rows.map((row) => [openingKey(row), row.n]));
}
