import type { Comparison, ComparisonHeadline } from '#contract/comparison.ts';
import type { Incident, IncidentCell } from '#contract/incident.ts';
import { affectedBy } from '#contract/incident-parts.ts';
import {
  INCIDENT_EVENT_TYPES,
  INCIDENT_KINDS,
  type IncidentKind,
  type IncidentResolution,
  isEndType,
  type Severity,
} from '#contract/incident-vocabulary.ts';
import type { WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import { verdictText } from '#i18n/comparison.ts';
import { translator } from '#i18n/translator.ts';

const ID = '01970000-0000-7000-8000-000000000001';
const TARGET = '01970000-0000-7000-8000-000000000002';
const VANTAGE = '01970000-0000-7000-8000-000000000003';
const BEFORE_MS = 30.1;
const AFTER_MS = 75.3;
const AGO_MS = 600_000;
const HOUR_MS = 3_600_000;
const ACCEPTED_AGO_MS = 7 * 86_400_000;

/** A made-up message of this type, for tests and previews; `data.sample` says that it is one. */
export function samplePayload(type: WebhookEventType, now: Date): WebhookPayload {
  const timestamp = now.toISOString();
  if (type === 'webhook.test') {
    return { type, timestamp, data: { message: 'Messages of Roundtrip arrive here.', sample: true } };
  }
  if (type === 'comparison.ready') return { type, timestamp, data: comparison(now) };
  const kind = INCIDENT_KINDS.find((candidate) => eventTypes(candidate).includes(type)) ?? 'spike';
  const accepted = type === INCIDENT_EVENT_TYPES[kind].accepted;
  const resolution = accepted ? 'accepted' : isEndType(type) ? 'recovered' : null;
  return { type, timestamp, data: incident(kind, resolution, now) };
}

const eventTypes = (kind: IncidentKind): (string | null)[] => Object.values(INCIDENT_EVENT_TYPES[kind]);

const SEVERITY: Record<IncidentKind, Severity> = {
  spike: 'warning',
  regression: 'warning',
  improvement: 'info',
  threshold: 'warning',
  down: 'critical',
  certificate: 'warning',
  staple: 'warning',
  silent: 'warning',
};
const SLOWER = new Set<IncidentKind>(['spike', 'regression', 'improvement', 'threshold']);

const COMPARED_MS = 20 * 60_000;

function comparison(now: Date): Comparison & { sample: true } {
  const at = (windows: number) => new Date(now.getTime() + windows * COMPARED_MS).toISOString();
  const headline: ComparisonHeadline = {
    refusal: null,
    milestone: 'total',
    direction: 'faster',
    shift: { value: -31.2, low: -33.1, high: -29.3 },
    roundTrips: { value: -1.01, low: -1.08, high: -0.94 },
    workMs: { value: 0.3, low: -0.6, high: 1.2 },
    network: { value: -0.4, low: -1.1, high: 0.3 },
    server: { value: -31.1, low: -32.9, high: -29.3 },
    networkMoves: [],
    refused: null,
    regions: { faster: 28, slower: 0, unclear: 3, provinces: true },
    directions: [],
    verdict: 'explained',
    cause: 'version',
    causeAfter: 'TLSv1.3',
    predicted: -1,
    mixture: null,
  };
  return {
    id: ID,
    targetId: TARGET,
    targetName: 'shop.example.org',
    markerId: null,
    incidentId: null,
    title: 'TLS 1.3',
    before: { from: at(-2), to: at(-1) },
    after: { from: at(-1), to: at(0) },
    milestone: 'total',
    status: 'ready',
    dueAt: at(0),
    computedAt: at(0),
    headline,
    summary: verdictText({ locale: 'en', t: translator('en'), timeZone: 'UTC' }, headline),
    shared: false,
    createdBy: 'dashboard',
    createdAt: at(-1),
    demo: false,
    sample: true,
  };
}

function incident(kind: IncidentKind, resolution: IncidentResolution | null, now: Date): Incident & { sample: true } {
  const onset = now.getTime() - (resolution === 'accepted' ? ACCEPTED_AGO_MS : AGO_MS);
  const at = (ms: number) => new Date(ms).toISOString();
  const since = at(onset);
  const measured = SLOWER.has(kind);
  const [beforeMs, afterMs] = kind === 'improvement' ? [AFTER_MS, BEFORE_MS] : [BEFORE_MS, AFTER_MS];
  const metric = measured ? 'tls' : null;
  const cells = [sampleCell(kind, since, measured ? { beforeMs, afterMs } : { beforeMs: null, afterMs: null })];
  return {
    id: ID,
    kind,
    state: resolution === 'accepted' ? 'accepted' : resolution ? 'resolved' : 'open',
    status: resolution ? 'resolved' : 'open',
    resolution,
    severity: SEVERITY[kind],
    ruleId: null,
    ruleName: null,
    metric,
    targetId: kind === 'silent' ? null : TARGET,
    targetName: kind === 'silent' ? null : 'shop.example.org',
    carrier: measured || kind === 'silent' ? 'telecom' : null,
    region: measured || kind === 'silent' ? 'CN-GD' : null,
    cause: measured ? 'network' : null,
    subCause: null,
    explanation: null,
    counterfactual: null,
    candidates: [],
    cells,
    affected: affectedBy(cells, metric, []),
    evidence: {},
    failure: kind === 'down' ? { phase: 'tls', reason: 'cert_expired', source: 'target', share: 1 } : null,
    openedAt: since,
    onsetAt: since,
    markersFrom: at(onset - HOUR_MS),
    markersTo: at(onset + HOUR_MS),
    acknowledgedAt: null,
    acknowledgedBy: null,
    quietSince: null,
    closesAt: null,
    next: null,
    resolvedAt: resolution ? now.toISOString() : null,
    overAt: resolution && resolution !== 'accepted' ? now.toISOString() : null,
    reopened: 0,
    effectMs: measured ? Math.round((afterMs - beforeMs) * 10) / 10 : null,
    effectRatio: measured ? Math.round((afterMs / beforeMs - 1) * 1_000) / 1_000 : null,
    peakMs: null,
    impact: null,
    silenced: false,
    flapping: false,
    demo: false,
    mergedInto: null,
    heldUntil: null,
    standingSince: null,
    cost: null,
    resolvedBy: null,
    splitFrom: null,
    notUseful: null,
    sample: true,
  };
}

function sampleCell(
  kind: IncidentKind,
  since: string,
  change: Pick<IncidentCell, 'beforeMs' | 'afterMs'>,
): IncidentCell {
  return {
    targetId: kind === 'silent' ? null : TARGET,
    targetName: kind === 'silent' ? null : 'shop.example.org',
    vantageId: VANTAGE,
    vantageName: 'Guangzhou Telecom',
    region: 'CN-GD',
    carrier: 'telecom',
    kind,
    metric: SLOWER.has(kind) ? 'tls' : null,
    variant: 'main',
    at: since,
    changeAt: since,
    ...change,
    peakMs: null,
    resumedBefore: null,
    resumedAfter: null,
    quietSince: null,
    recoveredAt: null,
  };
}
