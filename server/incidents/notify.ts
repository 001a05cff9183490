import { INCIDENT_EVENT_TYPES, isEndType } from '#contract/incident-vocabulary.ts';
import type { WebhookEventType } from '#contract/webhook-event.ts';
import { type Batch, note } from './batch.ts';
import { silenceOf } from './silences.ts';
import type { IncidentRecord } from './stored-incident.ts';
import { awaitGrowth, isFollowed, isGrowing, isOutdated, seriesOf, stopWaiting } from './update-timing.ts';

/**
 * Sends what receivers do not know yet of an incident, unless something holds it back; what is held back is sent by a
 * later call (`sweep.ts`), and is not sent at all where it is over by then.
 */
export function notify(batch: Batch, incident: IncidentRecord): void {
  const type = dueMessage(incident);
  if (type === null || isHeld(batch, incident) || isSilenced(batch, incident) || incident.flapping) return;
  send(batch, incident, type);
}

/**
 * Whether it is one series alone, which is not notified before an instant (nor at all if it is over by then), or one that
 * other series are still joining.
 */
const isHeld = ({ now }: Batch, incident: IncidentRecord) =>
  (incident.heldUntil !== null && (now < incident.heldUntil || isQuiet(incident))) || isGrowing(incident, now);

/** Whether every series is back to normal, and only the half hour that says so is not over. */
const isQuiet = ({ kind, cells }: IncidentRecord) =>
  kind === 'spike' && cells.every(({ quietSince, recoveredAt }) => (quietSince ?? recoveredAt) !== null);

/** Tells once more of an incident that is still open. */
export function remind(batch: Batch, incident: IncidentRecord): void {
  if (isSilenced(batch, incident)) return;
  send(batch, incident, INCIDENT_EVENT_TYPES[incident.kind].open, true);
  note(batch, incident.id, batch.now, 'reminded');
}

/**
 * Tells who was told of an incident that what was said of it no longer holds: it grew threefold, its cause is another, it is graver, or
 * another incident became part of it. It waits until nothing else changes, and is not sent where the incident then is as
 * notified.
 */
export function notifyUpdate(batch: Batch, incident: IncidentRecord): void {
  const { updated } = INCIDENT_EVENT_TYPES[incident.kind];
  const { lastEvent } = incident;
  if (updated === null || !isFollowed(incident)) return;
  if (!isOutdated(incident)) {
    stopWaiting(incident);
    return;
  }
  if (incident.waitingSince === null) awaitGrowth(incident, batch.now);
  if (isGrowing(incident, batch.now) || isSilenced(batch, incident)) return;
  send(batch, incident, updated);
  // Who opened an incident has its opening still as the last word on whether it is over.
  incident.lastEvent = lastEvent;
}

/** Tells that an incident comes and goes; after it nothing is sent until it has made up its mind. */
export function notifyFlapping(batch: Batch, incident: IncidentRecord): void {
  incident.flapping = true;
  stopWaiting(incident);
  note(batch, incident.id, batch.now, 'flapping');
  tellFlapping(batch, incident);
}

/** The one message of an incident that comes and goes, unless something holds it back. */
export function tellFlapping(batch: Batch, incident: IncidentRecord): void {
  if (incident.backfilled || isHeld(batch, incident) || isSilenced(batch, incident)) return;
  send(batch, incident, INCIDENT_EVENT_TYPES[incident.kind].open);
}

/** The type of the message that receivers should have had and did not; null where they know all. */
export function dueMessage({
  kind,
  status,
  resolution,
  lastEvent,
  backfilled,
}: IncidentRecord): WebhookEventType | null {
  if (backfilled) return null;
  const { open, resolved, accepted } = INCIDENT_EVENT_TYPES[kind];
  const isOver = status === 'resolved' && kind !== 'improvement';
  // Of what they never lastEvent of they need not hear that it is over.
  if (isOver && (lastEvent === null || isEndType(lastEvent))) return null;
  const ended = resolution === 'accepted' ? (accepted ?? resolved) : resolved;
  const wanted = isOver ? ended : open;
  return wanted === lastEvent ? null : wanted;
}

/** Whether a silence holds its messages back now; the record says so from now on. */
export function isSilenced(batch: Batch, incident: IncidentRecord): boolean {
  const silence = silenceOf(batch.silences, incident, batch.now);
  if (silence && !incident.silenced) {
    const params = { silenceId: silence.id, comment: silence.comment };
    note(batch, incident.id, batch.now, 'silenced', { params });
  }
  incident.silenced = silence !== null;
  return incident.silenced;
}

function send(batch: Batch, incident: IncidentRecord, type: WebhookEventType, reminder = false): void {
  incident.lastEvent = type;
  incident.notifiedAt = batch.now;
  incident.notifiedSeries = seriesOf(incident.cells);
  incident.notifiedCause = incident.cause;
  incident.notifiedSeverity = incident.severity;
  stopWaiting(incident);
  // As it is now: what else becomes of it in this batch is another message's.
  batch.messages.push({ incident: { ...incident }, type, reminder });
  note(batch, incident.id, batch.now, 'told', { params: { type } });
}
