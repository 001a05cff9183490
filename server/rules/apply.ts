import type { AlertRule } from '#contract/alert-rule.ts';
import type { IncidentKind } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '../database.ts';
import { continueIncident, type Finding, openIncident, REOPEN_WITHIN_MS, resolveIncident } from '../incidents/open.ts';
import { type IncidentRecord, lockIncidents, type StoredCell, saveIncident } from '../incidents/row.ts';
import type { Broken, Verdict } from './broken.ts';

/** A rule that judges what is there; the detector's own speaks of events. */
type Rule = Exclude<AlertRule, { kind: 'detector' }>;

/** Opens, carries on and resolves a rule's incidents by what it found. Of two processes at once one does it. */
export async function applyVerdict(rule: Rule, verdict: Verdict, now: Date): Promise<void> {
  await getPrisma().$transaction(
    async (db) => {
      const [{ locked } = { locked: false }] = await db.$queryRaw<{ locked: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtext('alert_rule'), hashtext(${rule.id})) as locked`;
      if (!locked) return;
      const open = await lockIncidents(db, { ruleId: rule.id, status: { not: 'resolved' } });
      const byKey = new Map(open.map((incident) => [incident.groupKey, incident]));
      for (const broken of verdict.broken) await carryOn(db, byKey.get(broken.key), findingOf(rule, broken, now), now);
      const subjects = await subjectsOf(db, open);
      for (const incident of open) {
        const { groupKey } = incident;
        if (verdict.healthy.has(groupKey))
          await resolveIncident(db, allRecovered(incident, now), now, { reason: 'healthy' });
        else if (!subjects.has(subjectOf(incident))) await resolveIncident(db, incident, now, { reason: 'gone' });
      }
    },
    { timeout: 60_000, maxWait: 10_000 },
  );
}

const KINDS: Record<Rule['kind'], IncidentKind> = {
  threshold: 'threshold',
  down: 'down',
  certificate: 'certificate',
  staple: 'staple',
  silent: 'silent',
};

function findingOf(rule: Rule, { key, cells, metric, onsetAt, evidence, demo }: Broken, now: Date): Finding {
  return {
    ruleId: rule.id,
    severity: rule.severity,
    kind: KINDS[rule.kind],
    groupKey: key,
    groups: [],
    metric,
    cause: null,
    onsetAt,
    at: now,
    cells,
    evidence,
    demo,
  };
}

async function carryOn(
  db: Prisma.TransactionClient,
  open: IncidentRecord | undefined,
  finding: Finding,
  now: Date,
): Promise<void> {
  const known = open ?? (await justResolved(db, finding, now));
  if (known === undefined) {
    await openIncident(db, finding, now);
    return;
  }
  await continueIncident(db, known, finding, now);
  const before = JSON.stringify(known.cells);
  known.cells = markRecovered(known.cells, finding.cells, now);
  if (JSON.stringify(known.cells) !== before) await saveIncident(db, known);
}

/** One that somebody resolved by hand comes back too: it is still so. */
async function justResolved(
  db: Prisma.TransactionClient,
  { ruleId, groupKey }: Finding,
  now: Date,
): Promise<IncidentRecord | undefined> {
  const since = new Date(now.getTime() - REOPEN_WITHIN_MS);
  return (await lockIncidents(db, { ruleId, groupKey, status: 'resolved', resolvedAt: { gt: since } })).at(-1);
}

function markRecovered(cells: StoredCell[], bad: StoredCell[], now: Date): StoredCell[] {
  const isBad = (cell: StoredCell) =>
    bad.some(({ targetId, vantageId }) => targetId === cell.targetId && vantageId === cell.vantageId);
  return cells.map((cell) => ({
    ...cell,
    recoveredAt: isBad(cell) ? null : (cell.recoveredAt ?? now.toISOString()),
  }));
}

function allRecovered(incident: IncidentRecord, now: Date): IncidentRecord {
  incident.cells = markRecovered(incident.cells, [], now);
  return incident;
}

/** The target, or the vantage where it is about none. */
const subjectOf = ({ groupKey }: IncidentRecord) => groupKey.slice(groupKey.indexOf(':') + 1);

/** What of the subjects of incidents is still there and watched. */
async function subjectsOf(db: Prisma.TransactionClient, incidents: IncidentRecord[]): Promise<Set<string>> {
  const id = { in: incidents.map(subjectOf) };
  const targets = await db.target.findMany({ where: { id, deletedAt: null, enabled: true }, select: { id: true } });
  const vantages = await db.vantage.findMany({ where: { id, deletedAt: null }, select: { id: true } });
  return new Set([...targets, ...vantages].map((row) => row.id));
}
