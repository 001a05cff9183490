import { v7 as uuid } from 'uuid';
import type { Detection } from '#analysis/detection/detection.ts';
import type { WatchedMetric } from '#contract/alert-rule.ts';
import type { Cause } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { levelsOf } from '#server/detection/levels.ts';
import { placeOf } from '#server/detection/series.ts';
import { METRIC_NAMES } from '#server/detection/watched.ts';
import type { StoredCell } from './row.ts';

/** A detection with what the database knows of it. */
export type Detected = {
  id: string;
  group: string;
  kind: Detection['kind'];
  metric: WatchedMetric;
  cause: Cause;
  at: Date;
  changeAt: Date;
  cell: StoredCell & { targetId: string; vantageId: string };
  /** `carrier` with its country for the network, else the target: what the event is about. */
  scope: string;
  demo: boolean;
};

/** Adds the levels before and after. */
export async function describeDetections(
  detections: Detection[],
  demoTargets: ReadonlySet<string>,
): Promise<Detected[]> {
  const levels = await levelsOf(detections);
  return detections.map((detection, index) => {
    const { target, kind, cause, incident, carrier } = detection;
    const place = placeOf(detection);
    const [at, changeAt] = [new Date(detection.at * 1_000), new Date(detection.changeAt * 1_000)];
    const metric = METRIC_NAMES[detection.metric];
    const { before = null, after = null } = levels[index] ?? {};
    return {
      id: uuid({ msecs: at.getTime() }),
      group: incident,
      kind,
      metric,
      cause,
      at,
      changeAt,
      cell: {
        targetId: target,
        vantageId: place.vantageId,
        region: place.region,
        carrier: place.carrier,
        kind,
        metric,
        at: at.toISOString(),
        changeAt: changeAt.toISOString(),
        beforeMs: before,
        afterMs: after,
        recoveredAt: null,
      },
      scope: cause === 'network' ? `network:${carrier}` : `target:${target}`,
      demo: demoTargets.has(target),
    };
  });
}

/** Stores detections; those that were not there yet. A detection is raised once, however often its tick is played. */
export async function storeDetections(db: Prisma.TransactionClient, found: Detected[]): Promise<Detected[]> {
  if (found.length === 0) return [];
  const data = found.map(({ id, group, kind, metric, cause, at, changeAt, cell, demo }) => ({
    id,
    groupKey: group,
    targetId: cell.targetId,
    vantageId: cell.vantageId,
    kind,
    metric,
    at,
    changeAt,
    beforeMs: cell.beforeMs,
    afterMs: cell.afterMs,
    cause,
    demo,
  }));
  const stored = await db.detection.createManyAndReturn({ data, skipDuplicates: true, select: { id: true } });
  const ids = new Set(stored.map(({ id }) => id));
  return found.filter(({ id }) => ids.has(id));
}
