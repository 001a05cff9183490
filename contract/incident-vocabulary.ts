import { z } from 'zod';

// The words of incidents: what they are, where they are in their life, how they end, and the events that tell so.

export const INCIDENT_KINDS = [
  'spike',
  'regression',
  'improvement',
  'threshold',
  'down',
  'certificate',
  'staple',
  'silent',
] as const;
export const IncidentKind = z.enum(INCIDENT_KINDS).meta({ id: 'IncidentKind' });
export type IncidentKind = z.infer<typeof IncidentKind>;

export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved'] as const;
export const IncidentStatus = z.enum(INCIDENT_STATUSES).meta({ id: 'IncidentStatus' });
export type IncidentStatus = z.infer<typeof IncidentStatus>;

/**
 * Where an incident is in its life: `quiet`, a spike that is back to normal and closes soon; `standing`, a large lasting change that
 * was neither accepted nor fixed within two days; `accepted`, over because its level is the new normal.
 */
export const INCIDENT_STATES = ['open', 'quiet', 'standing', 'resolved', 'accepted'] as const;
export const IncidentState = z.enum(INCIDENT_STATES).meta({ id: 'IncidentState' });
export type IncidentState = z.infer<typeof IncidentState>;

/**
 * How an incident ended: `recovered` and `rolled_back` say that the values are as before, `by_hand` that a person said so,
 * `accepted` that they are not and what they are now counts as usual, `superseded` that a spike was the beginning of a
 * lasting change, which has its own notification, `merged` that it is part of another incident,
 * `unwatched` that it is no longer measured.
 */
export const INCIDENT_RESOLUTIONS = [
  'recovered',
  'rolled_back',
  'by_hand',
  'accepted',
  'superseded',
  'merged',
  'unwatched',
] as const;
export const IncidentResolution = z.enum(INCIDENT_RESOLUTIONS).meta({ id: 'IncidentResolution' });
export type IncidentResolution = z.infer<typeof IncidentResolution>;

/** Why an incident ended (`params.reason` of its last event), and which resolution that is. */
export const END_REASONS = {
  quiet: 'recovered',
  healthy: 'recovered',
  rolled_back: 'rolled_back',
  by_hand: 'by_hand',
  not_useful: 'by_hand',
  by_person: 'accepted',
  small: 'accepted',
  new_level: 'accepted',
  lasting_change: 'superseded',
  merged: 'merged',
  no_results: 'unwatched',
  gone: 'unwatched',
  rule_deleted: 'unwatched',
  rule_disabled: 'unwatched',
  detector_reset: 'unwatched',
} as const satisfies Record<string, IncidentResolution>;
export type EndReason = keyof typeof END_REASONS;

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export const Severity = z.enum(SEVERITIES).meta({ id: 'Severity' });
export type Severity = z.infer<typeof Severity>;

/** What of the handshake's structure it is. `resumption`: servers refuse sessions that they gave out. */
export const SUB_CAUSES = ['resumption'] as const;

/** What a timeline has notes of. */
export const INCIDENT_EVENT_KINDS = [
  'opened',
  'cell_added',
  'cell_recovered',
  'escalated',
  'merged',
  'cause_changed',
  'acknowledged',
  'resolved',
  'accepted',
  'standing',
  'split',
  'not_useful',
  'reopened',
  'reminded',
  'silenced',
  'flapping',
  'told',
  'delivered',
  'delivery_failed',
  'note',
] as const;

/**
 * The types of webhook events that incidents send: when one opens, when what was said of it changes (null: that is not sent), when it
 * ends, and when it ends because its level was accepted (null: as any other end).
 */
export const INCIDENT_EVENT_TYPES = {
  spike: {
    open: 'tls.spike.opened',
    updated: 'tls.spike.updated',
    resolved: 'tls.spike.resolved',
    accepted: null,
  },
  regression: {
    open: 'tls.regression.opened',
    updated: 'tls.regression.updated',
    resolved: 'tls.regression.resolved',
    accepted: 'tls.regression.accepted',
  },
  improvement: { open: 'tls.improvement.detected', updated: null, resolved: null, accepted: null },
  threshold: { open: 'threshold.opened', updated: null, resolved: 'threshold.resolved', accepted: null },
  down: { open: 'target.down', updated: null, resolved: 'target.recovered', accepted: null },
  certificate: { open: 'certificate.expiring', updated: null, resolved: 'certificate.renewed', accepted: null },
  staple: { open: 'staple.unhealthy', updated: null, resolved: 'staple.healthy', accepted: null },
  silent: { open: 'vantage.silent', updated: null, resolved: 'vantage.heard', accepted: null },
} as const satisfies Record<
  IncidentKind,
  { open: string; updated: string | null; resolved: string | null; accepted: string | null }
>;

const END_TYPES = new Set<string>(
  Object.values(INCIDENT_EVENT_TYPES).flatMap(({ resolved, accepted }) => [resolved ?? [], accepted ?? []].flat()),
);

/** Whether an event's type says that an incident is over: that it recovered, or that its level was accepted. */
export const isEndType = (type: string): boolean => END_TYPES.has(type);

/** The type of the event that says that what an event of this type tells of has recovered; null where nothing does. */
export const endTypeOf = (type: string): string | null =>
  Object.values(INCIDENT_EVENT_TYPES).find(({ open, updated }) => type === open || type === updated)?.resolved ?? null;

const LASTING_TYPES = new Set<string>(
  Object.values(INCIDENT_EVENT_TYPES)
    .flatMap(({ open, updated, resolved }) => (resolved ? [open, updated ?? []] : []))
    .flat(),
);

/** Whether a later event says that what an event of this type tells of is over. */
export const isLastingType = (type: string): boolean => LASTING_TYPES.has(type);
