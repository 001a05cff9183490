import type { Incident } from '#contract/incident.ts';
import { MAX_MEASUREMENT_VANTAGES } from '#contract/measurement.ts';
import { spread } from '#server/measurements/choose.ts';

/**
 * The target of an incident with the most of its series, of `targets`, and the vantages of these that have not recovered, or of all where
 * all have; of very many some from end to end. Null where nothing of it can be probed: of a silent vantage, or of targets that are gone.
 */
export function probedOf(
  { cells }: Pick<Incident, 'cells'>,
  targets: ReadonlySet<string>,
): { targetId: string; vantageIds: string[] } | null {
  const lasting = cells.filter(({ recoveredAt }) => recoveredAt === null);
  const places = Map.groupBy(
    (lasting.length > 0 ? lasting : cells).filter(({ vantageId }) => vantageId !== null),
    ({ targetId }) => targetId ?? '',
  );
  const [most] = [...places].filter(([targetId]) => targets.has(targetId)).sort(([, a], [, b]) => b.length - a.length);
  if (!most) return null;
  const [targetId, own] = most;
  const vantageIds = [...new Set(own.flatMap(({ vantageId }) => vantageId ?? []))];
  return { targetId, vantageIds: spread(vantageIds, MAX_MEASUREMENT_VANTAGES) };
}
