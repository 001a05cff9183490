import type { AlertRule } from '#contract/alert-rule.ts';
import type { IncidentKind } from '#contract/incident.ts';
import { getPrisma } from '#server/database/database.ts';
import { type Batch, newBatch, writeBatch } from '#server/incidents/batch.ts';
import { continueIncident, endIncident, type Finding, openIncident, REOPEN_WITHIN_MS } from '#server/incidents/open.ts';
import { loadOpenings } from '#server/incidents/openings.ts';
import { type IncidentRecord, lockIncidents, type StoredCell } from '#server/incidents/row.ts';
import type { Broken, Verdict } from './broken.ts';
import { targetsOf, vantagesOf } from './watched.ts';

/** A rule that judges what is there; the detector's own speaks of events. */
type Rule = Exclude<AlertRule, { kind: 'detector' }>;

/** What a rule takes, ms: it may read the results of a day of every target. */
const TRANSACTION = { timeout: 300_000, maxWait: 10_000 };

/**
 * Judges, and opens, carries on and resolves the rule's incidents by what was found. Of two processes at once one does it,
 * and the other does not judge: what it found before would be old by the time that it may write.
 */
export async function applyRule(rule: Rule, judge: () => Promise<Verdict>, now: Date): Promise<void> {
  await getPrisma().$transaction(async (db) => {
    const [{ locked } = { locked: false }] = await db.$queryRaw<{ locked: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtext('alert_rule'), hashtext(${rule.id})) as locked`;
    if (!locked) return;
    const verdict = await judge();
    const batch = await newBatch(db, now);
    const open = await lockIncidents(db, { ruleId: rule.id, status: { not: 'resolved' } });
    await carryOn(batch, open, rule, verdict.broken);
    const subjects = await subjectsOf(rule);
    for (const incident of open) {
      const { groupKey } = incident;
      if (verdict.healthy.has(groupKey)) endIncident(batch, allRecovered(incident, now), { reason: 'healthy' });
      else if (!subjects.has(subjectOf(incident))) endIncident(batch, incident, { reason: 'gone' });
    }
    await writeBatch(batch);
  }, TRANSACTION);
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

/** Each goes on in the incident that is open about it or has only just ended, or opens one. */
async function carryOn(batch: Batch, open: IncidentRecord[], rule: Rule, broken: Broken[]): Promise<void> {
  const keys = broken.map(({ key }) => key);
  const ended = await justResolved(batch, rule.id, keys);
  await loadOpenings(
    batch,
    keys.map((groupKey) => ({ ruleId: rule.id, groupKey })),
  );
  const byKey = new Map([...ended, ...open].map((incident) => [incident.groupKey, incident]));
  for (const each of broken) {
    const finding = findingOf(rule, each, batch.now);
    const known = byKey.get(each.key);
    if (known === undefined) await openIncident(batch, finding);
    else {
      await continueIncident(batch, known, finding);
      known.cells = markRecovered(known.cells, finding.cells, batch.now);
    }
  }
}

/** One that somebody resolved by hand comes back too: it is still so. */
async function justResolved({ db, now }: Batch, ruleId: string, keys: string[]): Promise<IncidentRecord[]> {
  const since = new Date(now.getTime() - REOPEN_WITHIN_MS);
  return await lockIncidents(db, { ruleId, groupKey: { in: keys }, status: 'resolved', resolvedAt: { gt: since } });
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

/** The targets and vantages that the rule is about: what is deleted, switched off or left out of it by now is not. */
async function subjectsOf(rule: Rule): Promise<Set<string>> {
  const targets = await targetsOf(rule);
  return new Set([...targets.map(({ id }) => id), ...(await vantagesOf(rule)).keys()]);
}
