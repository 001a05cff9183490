import { v7 as uuid } from 'uuid';
import type { NotUseful } from '#contract/incident.ts';
import type { Prisma, LoweredSensitivity as Row } from '#prisma/generated/client.ts';
import type { IncidentRecord } from './stored-incident.ts';

// What a person called not useful is looked for less closely for a while: new incidents of that kind, under that rule, about that target
// or carrier, need a larger effect. One row a rule, kind and scope; it holds until `endsAt`, or until somebody takes it back.

/** How long it holds. */
export const LOWERED_DAYS = 14;
/** By how much the effect must be larger: the floors of effect.ts times this. */
export const LOWERED_FACTOR = 2;

const DAY_MS = 86_400_000;

export type Lowered = Row;

/** What holds at an instant. */
export function loweredAt(db: Prisma.TransactionClient, at: Date): Promise<Lowered[]> {
  return db.loweredSensitivity.findMany({ where: { endsAt: { gt: at } }, orderBy: { id: 'asc' } });
}

/** What is the same to it: a rule, a kind, a target or carrier. */
type Subject = Pick<IncidentRecord, 'kind' | 'groupKey'> & { ruleId: string | null };

/** By how much larger than usual an effect must be to be an incident here. */
export function factorFor(lowered: readonly Lowered[], subject: Subject): number {
  return lowered.some((each) => isAbout(each, subject)) ? LOWERED_FACTOR : 1;
}

const isAbout = ({ ruleId, kind, groupKey }: Lowered, subject: Subject) =>
  ruleId === subject.ruleId && kind === subject.kind && groupKey === subject.groupKey;

/** What a person said of an incident itself; null where there is none, or it no longer holds. */
export function notUsefulOf(lowered: readonly Lowered[], { id }: Pick<IncidentRecord, 'id'>): NotUseful | null {
  const own = lowered.find(({ incidentId }) => incidentId === id);
  return own ? { by: own.createdBy, at: own.createdAt.toISOString(), until: own.endsAt.toISOString() } : null;
}

/** Lowers it for what an incident is about, once more where it is lowered already. */
export async function lowerSensitivity(
  db: Prisma.TransactionClient,
  { id, ruleId, kind, groupKey }: Pick<IncidentRecord, 'id' | 'kind' | 'groupKey'> & { ruleId: string },
  createdBy: string,
  now: Date,
): Promise<Date> {
  const said = { incidentId: id, createdBy, createdAt: now, endsAt: new Date(now.getTime() + LOWERED_DAYS * DAY_MS) };
  await db.loweredSensitivity.upsert({
    where: { ruleId_kind_groupKey: { ruleId, kind, groupKey } },
    create: { id: uuid(), ruleId, kind, groupKey, ...said },
    update: said,
  });
  return said.endsAt;
}

/** Takes back what was said of an incident; false where nothing was, or it no longer holds. */
export async function restoreSensitivity(
  db: Prisma.TransactionClient,
  incidentId: string,
  now: Date,
): Promise<boolean> {
  const { count } = await db.loweredSensitivity.deleteMany({ where: { incidentId, endsAt: { gt: now } } });
  return count > 0;
}
