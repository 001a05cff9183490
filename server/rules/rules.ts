// Alert rules, which say what becomes an incident; made, changed and removed in this file. The life of a rule:
// - A detector's rule judges nothing itself: server/incidents/record.ts asks it which detections it wants.
// - All others are judged by jobs (evaluate.ts): once a minute those that change fast, hourly certificates and staples. down.ts,
//   threshold.ts, silent.ts, certificate.ts and staple.ts each say what is broken and what is healthy (verdict.ts).
// - evaluate.ts opens, carries on and resolves the rule's incidents by that; of two processes one does it at a time.
// - A rule that is switched off or removed ends its incidents, without a message.

import { v7 as uuid } from 'uuid';
import { AlertRule, AlertRuleCreate, type AlertRulePatch, type RuleKind, type RuleOf } from '#contract/alert-rule.ts';
import type { EndReason } from '#contract/incident-vocabulary.ts';
import type { Page } from '#contract/problem.ts';
import type { NamedQuery } from '#contract/query.ts';
import type { Prisma, AlertRule as Row } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { named, pageOfRows, pageRange } from '#server/database/page.ts';
import { invalidField, notFound } from '#server/environment/errors.ts';
import { parsePart } from '#server/http/parse.ts';
import { beginBatch, writeBatch } from '#server/incidents/batch.ts';
import { endIncident } from '#server/incidents/open.ts';
import { lockIncidents } from '#server/incidents/stored-incident.ts';
import { withAchieved } from './achieved.ts';

/** Rules, oldest first. Throws `invalid` for a made-up cursor. */
export async function listAlertRules(query: NamedQuery): Promise<Page<AlertRule>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().alertRule.findMany({
    where: { deletedAt: null, id: { gt: after }, ...named(query) },
    orderBy: { id: 'asc' },
    take,
  });
  const { data, nextCursor } = pageOfRows(rows, query, present);
  return { data: await withAchieved(data, new Date()), nextCursor };
}

/** Throws `not_found`. */
export async function getAlertRule(id: string): Promise<AlertRule> {
  return await answer(present(await stored(id)));
}

/** The enabled rules of a kind. */
export async function rulesOf<Kind extends RuleKind>(
  db: Prisma.TransactionClient,
  kind: Kind,
): Promise<RuleOf<Kind>[]> {
  const rows = await db.alertRule.findMany({
    where: { kind, enabled: true, deletedAt: null },
    orderBy: { id: 'asc' },
  });
  return rows.map(present).filter((rule): rule is RuleOf<Kind> => rule.kind === kind);
}

/** Makes a rule. Throws `invalid` for a target that there is not. */
export async function createAlertRule(input: AlertRuleCreate): Promise<AlertRule> {
  await refuseUnknownTargets(input.targetIds);
  const metric = 'metric' in input ? input.metric : null;
  const data = { ...input, metric, id: uuid() };
  const made = await getPrisma().$transaction(async (tx) => present(await tx.alertRule.create({ data })));
  return await answer(made);
}

/** Changes a rule; it applies within a minute. Switched off, its open incidents are over. Throws `not_found` or `invalid`. */
export async function updateAlertRule(id: string, patch: AlertRulePatch, now = new Date()): Promise<AlertRule> {
  const before = present(await stored(id));
  if (patch.targetIds) await refuseUnknownTargets(patch.targetIds);
  const { id: _id, demo: _demo, createdAt: _createdAt, updatedAt: _updatedAt, metric, ...stays } = before;
  const { achieved: _achieved, managed: _managed, ...rest } = { achieved: null, ...stays };
  const kept = before.kind === 'detector' || before.kind === 'threshold' ? { ...rest, metric } : rest;
  // What is left has to be in order as a whole, for the kind that the rule has.
  const { kind: _kind, ...data } = parsePart(AlertRuleCreate, { ...kept, ...patch }, 'body');
  const updated = await getPrisma().$transaction(async (db) => {
    if (before.enabled && !data.enabled) await endIncidentsOf(db, id, 'rule_disabled', now);
    return present(await db.alertRule.update({ where: { id }, data }));
  });
  return await answer(updated);
}

/** Deletes a rule; its open incidents end without a notification. Throws `not_found`. */
export async function deleteAlertRule(id: string): Promise<void> {
  await getPrisma().$transaction(async (db) => {
    const now = new Date();
    const { count } = await db.alertRule.updateMany({ where: { id, deletedAt: null }, data: { deletedAt: now } });
    if (count === 0) throw notFound('alert rule', id);
    await endIncidentsOf(db, id, 'rule_deleted', now);
  });
}

/** No notification: that the rule is gone does not say that all is well. */
async function endIncidentsOf(
  db: Prisma.TransactionClient,
  ruleId: string,
  reason: EndReason,
  now: Date,
): Promise<void> {
  const batch = await beginBatch(db, now);
  for (const incident of await lockIncidents(db, { ruleId, status: { not: 'resolved' } })) {
    incident.backfilled = true;
    endIncident(batch, incident, { reason });
  }
  await writeBatch(batch);
}

async function stored(id: string): Promise<Row> {
  const row = await getPrisma().alertRule.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw notFound('alert rule', id);
  return row;
}

async function refuseUnknownTargets(ids: string[]): Promise<void> {
  const rows = await getPrisma().target.findMany({ where: { id: { in: ids }, deletedAt: null }, select: { id: true } });
  const known = new Set(rows.map((row) => row.id));
  const unknown = ids.findIndex((id) => !known.has(id.toLowerCase()));
  if (unknown >= 0) throw invalidField(`targetIds.${unknown}`, 'is not a target');
}

/** A rule as the API gives it, with the rate of false pages that it achieved. */
async function answer(made: AlertRule): Promise<AlertRule> {
  const [rule = made] = await withAchieved([made], new Date());
  return rule;
}

function present(row: Row): AlertRule {
  const [createdAt, updatedAt] = [row.createdAt.toISOString(), row.updatedAt.toISOString()];
  return AlertRule.parse({ ...row, managed: row.managedAt !== null, createdAt, updatedAt });
}
