import { v7 } from 'uuid';
import type { Location } from '#contract/extent.ts';
import type { Incident, IncidentCell } from '#contract/incident.ts';
import { affectedBy } from '#contract/incident-parts.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import { CHINA_REGIONS } from '#contract/location.ts';
import type { VantageRef } from '#contract/result.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { getPrisma } from '#server/database/database.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';

// Incidents as the API shows them, made of where they are.

export const ONSET = '2026-11-20T16:03:00.000Z';
export const id = (n: number) => `01970000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** A place of a target, by the target's number. */
export type Where = Location & { target: number };

/** A series that is slower, or was. */
export const cellAt = ({ target, region, carrier }: Where, over = false): IncidentCell => ({
  targetId: id(target),
  targetName: `target-${target}`,
  vantageId: id(1_000 + CHINA_REGIONS.indexOf(region as never) * 10 + KNOWN_CARRIERS.indexOf(carrier as never)),
  vantageName: `${region} ${carrier} 1`,
  region,
  carrier,
  kind: 'spike',
  metric: 'tls',
  variant: 'main',
  at: ONSET,
  changeAt: ONSET,
  beforeMs: 55,
  afterMs: 102,
  peakMs: null,
  resumedBefore: null,
  resumedAfter: null,
  quietSince: null,
  recoveredAt: over ? ONSET : null,
});

/** A spike of these series, of targets that are measured there. */
export function incidentOf(cells: IncidentCell[], measured: Location[], given: Partial<Incident> = {}): Incident {
  return {
    id: id(9),
    kind: 'spike',
    state: 'open',
    status: 'open',
    resolution: null,
    severity: 'warning',
    ruleId: null,
    ruleName: null,
    metric: 'tls',
    targetId: null,
    targetName: null,
    carrier: null,
    region: null,
    cause: 'network',
    subCause: null,
    explanation: null,
    counterfactual: null,
    candidates: [],
    cells,
    affected: affectedBy(cells, 'tls', measured),
    evidence: {},
    failure: null,
    openedAt: ONSET,
    onsetAt: ONSET,
    markersFrom: ONSET,
    markersTo: ONSET,
    acknowledgedAt: null,
    acknowledgedBy: null,
    quietSince: null,
    closesAt: null,
    resolvedAt: null,
    overAt: null,
    reopened: 0,
    effectMs: 47.2,
    effectRatio: 0.853,
    peakMs: null,
    silenced: false,
    flapping: false,
    demo: false,
    mergedInto: null,
    heldUntil: null,
    impact: null,
    standingSince: null,
    cost: null,
    resolvedBy: null,
    splitFrom: null,
    notUseful: null,
    next: null,
    ...given,
  };
}

const RULE = '01940000-0000-7000-8000-000000000001';
const NOON = Date.parse('2026-11-20T12:00:00Z');

export type MadeIncident = {
  kind?: IncidentKind;
  status?: string;
  resolution?: string;
  minute?: number;
  effectMs?: number;
  region?: string;
};

/** Puts an incident of one series into the database as the jobs leave it; its id. */
export async function storeIncident(
  { targetId, vantage }: { targetId: string; vantage: Pick<VantageRef, 'id'> },
  {
    kind = 'regression',
    resolution,
    status = resolution ? 'resolved' : 'open',
    minute = 0,
    effectMs = 10,
    region = 'CN-GD',
  }: MadeIncident = {},
): Promise<string> {
  const openedAt = new Date(NOON + minute * 60_000);
  const id = v7({ msecs: openedAt.getTime() });
  const place = { targetId, vantageId: vantage.id ?? null, region, carrier: 'telecom' };
  await getPrisma().incident.create({
    data: {
      id,
      kind,
      groupKey: `target:${targetId}`,
      groups: [],
      status,
      resolution: resolution ?? null,
      severity: 'warning',
      ruleId: RULE,
      metric: 'tls',
      targetId,
      region,
      carrier: 'telecom',
      cause: 'server',
      cells: [cellOf({ ...place, kind, metric: 'tls', at: openedAt, beforeMs: 50, afterMs: 50 + effectMs })],
      openedAt,
      onsetAt: openedAt,
      effectMs,
      effectRatio: effectMs / 50,
    },
  });
  return id;
}
