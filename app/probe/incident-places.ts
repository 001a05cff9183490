import type { Incident } from '#contract/incident.ts';
import { MAX_MEASUREMENT_VANTAGES } from '#contract/measurement.ts';

/**
 * The target of an incident with the most of its series, and the places of these that have not recovered, or of all where all have. Null
 * where nothing of it can be probed: of a silent vantage, or of targets that are gone.
 */
export function probedOf({ cells }: Pick<Incident, 'cells'>): { targetId: string; vantageIds: string[] } | null {
  const lasting = cells.filter(({ recoveredAt }) => recoveredAt === null);
  const byTarget = Map.groupBy(
    (lasting.length > 0 ? lasting : cells).filter(({ vantageId }) => vantageId !== null),
    ({ targetId }) => targetId,
  );
  const [most] = [...byTarget].filter(([targetId]) => targetId !== null).sort(([, a], [, b]) => b.length - a.length);
  const [targetId, own = []] = most ?? [];
  if (!targetId) return null;
  const vantageIds = [...new Set(own.flatMap(({ vantageId }) => vantageId ?? []))];
  return { targetId, vantageIds: vantageIds.slice(0, MAX_MEASUREMENT_VANTAGES) };
}
