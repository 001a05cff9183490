import type { Incident, IncidentCost, IncidentState } from '#contract/incident.ts';
import { effectOf, tellingCells } from './effect.ts';
import type { IncidentRecord } from './row.ts';

// What becomes of an incident that nobody ends: two days after its onset a small lasting change is accepted as the new normal, and a
// large one stands until its level comes back or a person decides.

const HOUR_MS = 3_600_000;

/** How long after its onset it is decided what becomes of a lasting change. */
export const DECIDED_AFTER_MS = 48 * HOUR_MS;
/** A lasting change below either of these is small. */
export const SMALL_CHANGE = { ratio: 0.1, ms: 10 } as const;
/** A standing one is sent again at most this often, whatever its rule says. */
export const STANDING_REMINDER_MS = 24 * HOUR_MS;

/** Where an incident is in its life; `quietSince` is since when it has been back to normal at all of its cells. */
export function stateOf(
  { status, resolution, standingSince }: Pick<IncidentRecord, 'status' | 'resolution' | 'standingSince'>,
  quietSince: Date | null,
): IncidentState {
  if (status === 'resolved') return resolution === 'accepted' ? 'accepted' : 'resolved';
  if (standingSince !== null) return 'standing';
  return quietSince === null ? 'open' : 'quiet';
}

/** Whether a change is so small that it needs no decision; one of unknown size does. */
export function isSmall({ effectMs, effectRatio }: Pick<IncidentRecord, 'effectMs' | 'effectRatio'>): boolean {
  if (effectMs === null || effectRatio === null) return false;
  return effectMs < SMALL_CHANGE.ms || effectRatio < SMALL_CHANGE.ratio;
}

/** When that is decided: two days after the onset; of what was found later, when it was found. */
export const decidedAt = ({ onsetAt, openedAt }: Pick<IncidentRecord, 'onsetAt' | 'openedAt'>): Date =>
  new Date(Math.max(onsetAt.getTime() + DECIDED_AFTER_MS, openedAt.getTime()));

/** What becomes of an incident by itself, and when, if nothing changes; null where nothing does at a known time. */
export function nextOf(incident: IncidentRecord, closesAt: Date | null): Incident['next'] {
  const { kind, status, standingSince, cells } = incident;
  if (status === 'resolved') return null;
  if (closesAt !== null) return { state: 'resolved', at: closesAt.toISOString() };
  if (kind !== 'regression' || standingSince !== null) return null;
  const lasting = cells.filter(({ recoveredAt }) => recoveredAt === null);
  return { state: isSmall(effectOf(lasting)) ? 'accepted' : 'standing', at: decidedAt(incident).toISOString() };
}

/**
 * What a lasting change cost until `until`: hours since its onset, the mean excess of its series, each for as long as it was slower, and
 * the share of users that it affects. Null where no level is known.
 */
export function costOf(
  { onsetAt, cells, userShare }: Pick<IncidentRecord, 'onsetAt' | 'cells' | 'userShare'>,
  until: Date,
): IncidentCost | null {
  const known = tellingCells(cells).flatMap(({ beforeMs, afterMs, changeAt, recoveredAt }) => {
    const end = recoveredAt === null ? until.getTime() : Math.min(Date.parse(recoveredAt), until.getTime());
    const ms = Math.max(0, end - Date.parse(changeAt));
    return beforeMs === null || afterMs === null ? [] : { excess: afterMs - beforeMs, ms };
  });
  const total = known.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  return {
    hours: Math.max(0, until.getTime() - onsetAt.getTime()) / HOUR_MS,
    meanExcessMs: known.reduce((sum, { excess, ms }) => sum + excess * ms, 0) / total,
    users: userShare,
  };
}
