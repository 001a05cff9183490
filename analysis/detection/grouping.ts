import type { Cause, DetectionKind } from './detection.ts';
import { groupSeconds, sameShiftSeconds, sameSpikeSeconds } from './parameters.ts';
import type { Series } from './sample.ts';

/** What one page tells of: detections with one cause's scope and one onset. */
export type Incident = {
  id: string;
  /** `carrier` for the network, else `target`. */
  scope: 'carrier' | 'target';
  /** The carrier or the target. */
  of: string;
  /** Onset of its first detection, epoch seconds. */
  onset: number;
  /** Time of its newest detection. */
  newest: number;
};

/** A detection as far as its incident follows from it. */
export type Finding = Series & { kind: DetectionKind; cause: Cause; at: number; changeAt: number };

/** The id of the incident that a finding belongs to; a new one joins `incidents`. */
export function incidentOf(incidents: Incident[], finding: Finding): string {
  const scope = finding.cause === 'network' ? 'carrier' : 'target';
  const of = finding[scope];
  const within = finding.kind === 'spike' ? sameSpikeSeconds : sameShiftSeconds;
  const distance = (each: Incident) => Math.abs(each.onset - finding.changeAt);
  const near = incidents
    .filter((each) => each.scope === scope && each.of === of && distance(each) <= within)
    .sort((a, b) => distance(a) - distance(b))[0];
  if (near) {
    near.newest = finding.at;
    return near.id;
  }
  const id = `${finding.cause}/${of}/${finding.changeAt}`;
  incidents.push({ id, scope, of, onset: finding.changeAt, newest: finding.at });
  return id;
}

/** Drops incidents that nothing can join any more. */
export function forgetIncidents(incidents: Incident[], now: number): Incident[] {
  return incidents.filter(({ newest }) => newest > now - groupSeconds);
}
