import { v7 as uuid } from 'uuid';
import type { Detection, GroupId, GroupScope } from '#analysis/detection/detection.ts';
import type { WatchedMetric } from '#contract/alert-rule.ts';
import type { Cause } from '#contract/explanation.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { levelsOf } from '#server/detection/levels.ts';
import { cellOf, type StoredCell } from './stored-incident.ts';

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
  /** False where it is one series alone, which is not notified at first. */
  page: boolean;
  demo: boolean;
};

/** Adds the levels before and after, of the results that are there at `now` (ms since 1970). */
export async function describeDetections(
  detections: Detection[],
  demoTargets: ReadonlySet<string>,
  now: number,
): Promise<Detected[]> {
  const levels = await levelsOf(detections, now);
  return detections.map((detection, index) => {
    const { target, vantage, variant, country, region, carrier, kind, metric, cause } = detection;
    const [at, changeAt] = [new Date(detection.at * 1_000), new Date(detection.changeAt * 1_000)];
    const { before = null, after = null, resumedBefore = null, resumedAfter = null } = levels[index] ?? {};
    return {
      id: uuid({ msecs: at.getTime() }),
      group: groupKey(detection.group),
      kind,
      metric,
      cause,
      at,
      changeAt,
      cell: {
        ...cellOf({ targetId: target, kind, region, carrier, metric, at, changeAt, beforeMs: before, afterMs: after }),
        ...(variant && { variant }),
        targetId: target,
        vantageId: vantage,
        resumedBefore,
        resumedAfter,
      },
      scope: scopeKey(cause === 'network' ? { country, carrier } : { target }),
      page: detection.page,
      demo: demoTargets.has(target),
    };
  });
}

/** How what an event is about is stored. */
export function scopeKey(scope: GroupScope): string {
  return 'target' in scope ? `target:${scope.target}` : `network:${scope.country}/${scope.carrier}`;
}

/** How a group of the detector is stored. */
export function groupKey(group: GroupId): string {
  const scope = group.cause === 'network' ? `${group.country}/${group.carrier}` : group.target;
  return `${group.cause}/${scope}/${group.changeAt}`;
}

/** Stores detections; those that were not there yet. A detection is raised once, however often its tick is played. */
export async function storeDetections(db: Prisma.TransactionClient, found: Detected[]): Promise<Detected[]> {
  if (found.length === 0) return [];
  const rows = found.map(({ id, group, kind, metric, cause, at, changeAt, cell, page, demo }) => ({
    id,
    group_key: group,
    target_id: cell.targetId,
    vantage_id: cell.vantageId,
    variant: VARIANT_CODES[cell.variant ?? 'main'],
    kind,
    metric,
    at,
    change_at: changeAt,
    before_ms: cell.beforeMs,
    after_ms: cell.afterMs,
    cause,
    demo,
    page,
  }));
  const stored = await db.$queryRaw<{ id: string }[]>`
    insert into detection (id, group_key, target_id, vantage_id, variant, kind, metric, at, change_at, before_ms, after_ms, cause, demo, page)
    select found.* from json_to_recordset(${JSON.stringify(rows)}::json) as found (id uuid, group_key text, target_id uuid, vantage_id uuid,
      variant smallint, kind text, metric text, at timestamptz, change_at timestamptz, before_ms float8, after_ms float8, cause text,
      demo boolean, page boolean)
    on conflict do nothing returning id`;
  const ids = new Set(stored.map(({ id }) => id));
  return found.filter(({ id }) => ids.has(id));
}
