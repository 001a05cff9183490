import type { Incident, IncidentCost } from '#contract/incident.ts';
import type { IncidentState } from '#contract/incident-vocabulary.ts';
import { isShare } from '#contract/vocabulary.ts';
import { effectOf, tellingCells } from './effect.ts';
import type { IncidentRecord, StoredCell } from './stored-incident.ts';

// How an incident ends that no person ends: two days after its onset a small lasting change is accepted as the new normal, and
// a large one stands until its level comes back or a person decides.

const HOUR_MS = 3_600_000;

/** How long after its onset it is decided what becomes of a lasting change. */
export const DECIDED_AFTER_MS = 48 * HOUR_MS;
/** A lasting change below either of the first two is small; of failures or refused sessions, one below this share of results. */
export const SMALL_CHANGE = { ratio: 0.1, ms: 10, share: 0.1 } as const;
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

/** Whether a change of these cells is so small that it needs no decision; one of unknown size does. */
export function isSmall(cells: readonly StoredCell[]): boolean {
  const shares = cells.filter(({ metric }) => isShare(metric));
  if (!shares.every(isSmallShare)) return false;
  if (shares.length === cells.length) return cells.length > 0;
  const { effectMs, effectRatio } = effectOf(cells);
  if (effectMs === null || effectRatio === null) return false;
  return effectMs < SMALL_CHANGE.ms || effectRatio < SMALL_CHANGE.ratio;
}

const isSmallShare = ({ beforeMs, afterMs }: StoredCell) =>
  beforeMs !== null && afterMs !== null && afterMs - beforeMs < SMALL_CHANGE.share;

/**
 * Whether it is ever decided what becomes of it: of lasting changes, and of failures, which the detector never takes for the usual level,
 * however long they last.
 */
export const isDecidedOn = ({ kind, cells }: Pick<IncidentRecord, 'kind' | 'cells'>): boolean =>
  kind === 'regression' ||
  (kind === 'spike' && cells.some(({ metric, recoveredAt }) => metric === 'failures' && recoveredAt === null));

/** When that is decided: two days after the onset, or after it came back; of what was found later, when it was found. */
export function decidedAt({
  onsetAt,
  openedAt,
  reopenedAt,
}: Pick<IncidentRecord, 'onsetAt' | 'openedAt' | 'reopenedAt'>): Date {
  const since = Math.max(onsetAt.getTime(), reopenedAt?.getTime() ?? 0);
  return new Date(Math.max(since + DECIDED_AFTER_MS, openedAt.getTime()));
}

/** What becomes of an incident by itself, and when, if nothing changes; null where nothing does at a known time. */
export function nextOf(incident: IncidentRecord, closesAt: Date | null): Incident['next'] {
  const { status, standingSince, cells } = incident;
  if (status === 'resolved') return null;
  if (closesAt !== null) return { state: 'resolved', at: closesAt.toISOString() };
  if (!isDecidedOn(incident) || standingSince !== null) return null;
  const lasting = cells.filter(({ recoveredAt }) => recoveredAt === null);
  return { state: isSmall(lasting) ? 'accepted' : 'standing', at: decidedAt(incident).toISOString() };
}

/** Of the ends of its series this share: one of many that goes on does not make it last. */
const OVER_SHARE = 0.9;

/**
 * When it was over: when its series were as before, which is known later, half an hour of a spike and hours of a lasting change;
 * what ended otherwise, when it was resolved. Null where it goes on, as an accepted level and an improvement do.
 */
export function overAt({
  kind,
  resolution,
  resolvedAt,
  reopenedAt,
  cells,
}: Pick<IncidentRecord, 'kind' | 'resolution' | 'resolvedAt' | 'reopenedAt' | 'cells'>): Date | null {
  if (resolution === 'accepted' || kind === 'improvement') return null;
  if (resolution !== 'recovered' && resolution !== 'rolled_back') return resolvedAt;
  const ends = cells.flatMap(({ recoveredAt }) => (recoveredAt === null ? [] : Date.parse(recoveredAt)));
  if (ends.length < cells.length) return resolvedAt;
  // Of what was over and came back, the last time: the others ended before.
  const last = ends.filter((end) => end >= (reopenedAt?.getTime() ?? 0)).toSorted((a, b) => a - b);
  const end = last[Math.ceil(OVER_SHARE * last.length) - 1];
  return end === undefined ? resolvedAt : new Date(end);
}

/**
 * What a lasting change cost until `until`: hours since its onset, the mean excess of its series, each for as long as it was slower, and
 * the share of users that it affects. Null where no level is known.
 */
export function costOf(
  { onsetAt, cells, userShare }: Pick<IncidentRecord, 'onsetAt' | 'cells' | 'userShare'>,
  until: Date,
): IncidentCost | null {
  // A spike of minutes that the change began with is none of it.
  const lasting = cells.filter(({ kind }) => kind !== 'spike');
  const known = tellingCells(lasting.length > 0 ? lasting : cells).flatMap(
    ({ beforeMs, afterMs, changeAt, recoveredAt }) => {
      const end = recoveredAt === null ? until.getTime() : Math.min(Date.parse(recoveredAt), until.getTime());
      const ms = Math.max(0, end - Date.parse(changeAt));
      return beforeMs === null || afterMs === null ? [] : { excess: afterMs - beforeMs, ms };
    },
  );
  const total = known.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  return {
    hours: Math.max(0, until.getTime() - onsetAt.getTime()) / HOUR_MS,
    meanExcessMs: known.reduce((sum, { excess, ms }) => sum + excess * ms, 0) / total,
    users: userShare,
  };
}
