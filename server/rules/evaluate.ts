import type { AlertRule } from '#contract/alert-rule.ts';
import {
  INCIDENT_EVENT_TYPES,
  INCIDENT_KINDS,
  type IncidentKind,
  type Severity,
} from '#contract/incident-vocabulary.ts';
import { type WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { tryLock } from '#server/database/lock.ts';
import { log } from '#server/environment/log.ts';
import { type Batch, beginBatch, writeBatch } from '#server/incidents/batch.ts';
import {
  continueIncident,
  endIncident,
  growToDown,
  type IncidentOpening,
  loadOpenings,
  openIncident,
  REOPEN_WITHIN_MS,
  severityOf,
} from '#server/incidents/open.ts';
import { openFailuresOf, targetsDown } from '#server/incidents/reachability.ts';
import { type IncidentRecord, lockIncidents, lockInOrder, type StoredCell } from '#server/incidents/stored-incident.ts';
import { samplePayload } from '#server/webhooks/sample-payloads.ts';
import { judgeCertificate } from './certificate.ts';
import { judgeDown } from './down.ts';
import { rulesOf } from './rules.ts';
import { judgeSilent } from './silent.ts';
import { judgeStaple } from './staple.ts';
import { judgeThreshold } from './threshold.ts';
import { type Broken, targetsOf, type Verdict, vantagesOf } from './verdict.ts';

type Applied = Parameters<typeof applyRule>[0];

/** What can change from one minute to the next. `upSince`: before it the server was down and received nothing. */
export async function evaluateFastRules(now: Date, upSince: Date): Promise<void> {
  for (const rule of await rulesOf(getPrisma(), 'down')) await evaluate(rule, now, () => judgeDown(rule, now));
  for (const rule of await rulesOf(getPrisma(), 'threshold'))
    await evaluate(rule, now, () => judgeThreshold(rule, now));
  for (const rule of await rulesOf(getPrisma(), 'silent'))
    await evaluate(rule, now, () => judgeSilent(rule, now, upSince));
}

/** Certificates and staples change by the day. */
export async function evaluateSlowRules(now: Date): Promise<void> {
  for (const rule of await rulesOf(getPrisma(), 'certificate'))
    await evaluate(rule, now, () => judgeCertificate(rule, now));
  for (const rule of await rulesOf(getPrisma(), 'staple')) await evaluate(rule, now, () => judgeStaple(rule, now));
}

/** One rule that cannot be judged must not keep the others from it. */
async function evaluate(rule: Applied, now: Date, judge: () => Promise<Verdict>): Promise<void> {
  try {
    await applyRule(rule, judge, now);
  } catch (error) {
    log.error({ err: error, rule: rule.id, kind: rule.kind }, 'an alert rule could not be evaluated');
  }
}

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
    if (!(await tryLock(db, 'alert_rule', rule.id))) return;
    const verdict = await judge();
    const batch = await beginBatch(db, now);
    const broken = verdict.broken.map(({ key }) => key);
    const isOpen = { ruleId: rule.id, status: { not: 'resolved' } };
    const goesOn = acceptedOf(rule.id, [...broken, ...verdict.healthy]);
    const failing = failuresOf(rule, verdict.broken);
    await lockInOrder(db, { OR: [isOpen, justResolvedOf(rule.id, broken, now), goesOn, ...failing] });
    const open = await lockIncidents(db, isOpen);
    await carryOn(batch, open, rule, await brokenAlone(rule, verdict.broken, open));
    const subjects = await subjectsOf(rule);
    for (const incident of open) {
      const { groupKey } = incident;
      if (verdict.healthy.has(groupKey)) endIncident(batch, allRecovered(incident, now), { reason: 'healthy' });
      else if (!subjects.has(subjectOf(incident))) endIncident(batch, incident, { reason: 'gone' });
    }
    for (const incident of await acceptedGoingOn(db, rule.id, [...verdict.healthy])) {
      batch.incidents.set(incident.id, allRecovered(incident, now));
    }
    await writeBatch(batch);
  }, TRANSACTION);
}

/** Without the staples of targets that are down: those belong to that incident, unless they have one of their own. */
async function brokenAlone(rule: Rule, broken: Broken[], open: readonly IncidentRecord[]): Promise<Broken[]> {
  if (rule.kind !== 'staple' || broken.length === 0) return broken;
  const down = await targetsDown();
  const has = new Set(open.map(({ groupKey }) => groupKey));
  return broken.filter(({ key, cells }) => has.has(key) || !cells.some(({ targetId }) => down.has(targetId ?? '')));
}

const KINDS: Record<Rule['kind'], IncidentKind> = {
  threshold: 'threshold',
  down: 'down',
  certificate: 'certificate',
  staple: 'staple',
  silent: 'silent',
};

function openingOf(rule: Rule, { key, cells, metric, onsetAt, evidence, demo }: Broken, now: Date): IncidentOpening {
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

/** What may grow to an incident of this rule: spikes of failures of targets that it finds down. */
function failuresOf({ kind }: Rule, broken: Broken[]) {
  const ids = broken.flatMap(({ cells }) => cells.flatMap(({ targetId }) => targetId ?? []));
  return kind === 'down' ? [openFailuresOf([...new Set(ids)])] : [];
}

/** Each goes on in the incident that is open about it or has only just ended, grows from one that was a spike so far, or opens one. */
async function carryOn(batch: Batch, open: IncidentRecord[], rule: Rule, broken: Broken[]): Promise<void> {
  const keys = broken.map(({ key }) => key);
  const ended = [
    ...(await lockIncidents(batch.db, justResolvedOf(rule.id, keys, batch.now))),
    ...(await acceptedGoingOn(batch.db, rule.id, keys)),
  ];
  await loadOpenings(
    batch,
    keys.map((groupKey) => ({ ruleId: rule.id, groupKey })),
  );
  const byKey = new Map([...ended, ...open].map((incident) => [incident.groupKey, incident]));
  const [failing] = failuresOf(rule, broken);
  const spikes = failing === undefined ? [] : await lockIncidents(batch.db, failing);
  for (const each of broken) {
    const opening = openingOf(rule, each, batch.now);
    const known = byKey.get(each.key);
    const spike = growing(spikes, each, known);
    const incident = spike ?? known;
    if (incident === undefined) await openIncident(batch, opening);
    else {
      await (incident === spike ? growToDown : continueIncident)(batch, incident, opening);
      incident.cells = markRecovered(incident.cells, opening.cells, batch.now);
    }
  }
}

/** The spike that grows to the incident of its target: a notified one, where the target's own is over; any where it has none. */
function growing(
  spikes: readonly IncidentRecord[],
  { cells }: Broken,
  known: IncidentRecord | undefined,
): IncidentRecord | undefined {
  if (known && (known.status !== 'resolved' || known.resolution === 'accepted')) return undefined;
  const own = spikes.filter(({ targetId }) => targetId === cells[0]?.targetId);
  return own.find(({ lastEvent }) => lastEvent !== null) ?? (known ? undefined : own[0]);
}

/** One that somebody resolved by hand comes back too: it is still so. */
const justResolvedOf = (ruleId: string, keys: string[], now: Date) => ({
  ruleId,
  groupKey: { in: keys },
  status: 'resolved',
  mergedInto: null,
  resolvedAt: { gt: new Date(now.getTime() - REOPEN_WITHIN_MS) },
});

const acceptedOf = (ruleId: string, keys: string[]) => ({
  ruleId,
  groupKey: { in: keys },
  status: 'resolved',
  resolution: 'accepted',
  resolvedBy: { not: null },
});

/** Those whose level a person accepted and that have not been healthy since: what goes on is that. */
async function acceptedGoingOn(
  db: Prisma.TransactionClient,
  ruleId: string,
  keys: string[],
): Promise<IncidentRecord[]> {
  if (keys.length === 0) return [];
  return (await lockIncidents(db, acceptedOf(ruleId, keys))).filter(({ cells }) =>
    cells.some(({ recoveredAt }) => recoveredAt === null),
  );
}

function markRecovered(cells: StoredCell[], bad: StoredCell[], now: Date): StoredCell[] {
  const isBad = (cell: StoredCell) =>
    bad.some(({ targetId, vantageId }) => targetId === cell.targetId && vantageId === cell.vantageId);
  // Failures that the detector found beside it end by its word.
  const isOthers = (cell: StoredCell) => bad.length > 0 && cell.kind === 'spike';
  return cells.map((cell) => ({
    ...cell,
    recoveredAt: isOthers(cell) ? cell.recoveredAt : isBad(cell) ? null : (cell.recoveredAt ?? now.toISOString()),
  }));
}

function allRecovered(incident: IncidentRecord, now: Date): IncidentRecord {
  incident.cells = markRecovered(incident.cells, [], now);
  return incident;
}

/** The target, or the vantage where it is about none. */
const subjectOf = ({ groupKey }: IncidentRecord) => groupKey.slice(groupKey.indexOf(':') + 1);

/** The targets, or probers of vantages, that the rule is about: what is deleted, switched off or left out of it by now is not. */
async function subjectsOf(rule: Rule): Promise<Set<string>> {
  if (rule.kind !== 'silent') return new Set((await targetsOf(rule)).map(({ id }) => id));
  return new Set([...(await vantagesOf(rule)).values()].flatMap(({ proberId }) => proberId ?? []));
}

/** What a rule sends for a kind of event, and who takes it. `sample` is false where it is the latest real message. */
export type RuleMessage = {
  event: WebhookEventType;
  sample: boolean;
  payload: WebhookPayload;
  webhooks: { id: string; name: string; demo: boolean }[];
};

/** The latest message that this rule caused, else a sample as it would cause it; and the webhooks that it goes to. */
export async function ruleMessage(rule: AlertRule, event: WebhookEventType, now = new Date()): Promise<RuleMessage> {
  const [real, webhooks] = await Promise.all([latestPayload(rule.id, event), takers(rule, event)]);
  return { event, sample: real === null, payload: real ?? sampleOf(rule, event, now), webhooks };
}

/** Its newest incidents are looked at alone: an old message says no more than a sample. */
const INCIDENTS = 100;

async function latestPayload(ruleId: string, eventType: string): Promise<WebhookPayload | null> {
  const incidents = await getPrisma().incident.findMany({
    where: { ruleId },
    orderBy: { openedAt: 'desc' },
    take: INCIDENTS,
    select: { id: true },
  });
  const row = await getPrisma().delivery.findFirst({
    where: { incidentId: { in: incidents.map(({ id }) => id) }, eventType },
    orderBy: { id: 'desc' },
    select: { payload: true },
  });
  return row && WebhookPayload.parse(row.payload);
}

function sampleOf(rule: AlertRule, event: WebhookEventType, now: Date): WebhookPayload {
  const { data, ...rest } = samplePayload(event, now);
  return { ...rest, data: { ...data, ruleId: rule.id, ruleName: rule.name, severity: severityOfEvent(rule, event) } };
}

function severityOfEvent(rule: AlertRule, event: WebhookEventType): Severity {
  const kind = INCIDENT_KINDS.find((each) => Object.values<string | null>(INCIDENT_EVENT_TYPES[each]).includes(event));
  return kind === undefined ? rule.severity : severityOf(rule, kind);
}

/** An empty list takes all (server/webhooks/enqueue.ts). */
async function takers(rule: AlertRule, event: WebhookEventType): Promise<RuleMessage['webhooks']> {
  return await getPrisma().webhook.findMany({
    where: {
      deletedAt: null,
      enabled: true,
      AND: [
        { OR: [{ events: { isEmpty: true } }, { events: { has: event } }] },
        { OR: [{ severities: { isEmpty: true } }, { severities: { has: severityOfEvent(rule, event) } }] },
        { OR: [{ ruleIds: { isEmpty: true } }, { ruleIds: { has: rule.id } }] },
      ],
    },
    select: { id: true, name: true, demo: true },
    orderBy: { id: 'asc' },
  });
}
