import { v7 } from 'uuid';
import type { ClosedSpike, GroupChange } from '#analysis/detection/detection.ts';
import type { VantageRef } from '#contract/result.ts';
import { getPrisma } from '#server/database/database.ts';
import { type Detected, storeDetections } from '#server/incidents/detected.ts';
import { recordDetections } from '#server/incidents/record.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { rulesOf } from '#server/rules/rules.ts';

/** What a made detection says; `changeAt` is `at` where left out. */
export type Made = {
  targetId: string;
  vantage: VantageRef;
  at: Date;
  changeAt?: Date;
  kind?: Detected['kind'];
  cause?: Detected['cause'];
  group?: string;
  metric?: Detected['metric'];
  beforeMs?: number;
  afterMs?: number;
  page?: boolean;
};

/** A detection as the job makes one. */
export function makeDetection(made: Made): Detected {
  const { targetId, vantage, at, changeAt = at, kind = 'spike', cause = 'server', metric = 'tls' } = made;
  const { beforeMs = 50, afterMs = 150, group = `${cause}/${targetId}` } = made;
  const { id, region, carrier } = vantage;
  const cell = cellOf({ targetId, region, carrier, kind, metric, at, changeAt, beforeMs, afterMs });
  return {
    id: v7(),
    group,
    kind,
    metric,
    cause,
    at,
    changeAt,
    cell: { ...cell, targetId, vantageId: id },
    scope: cause === 'network' ? `network:CN/${carrier}` : `target:${targetId}`,
    page: made.page ?? true,
    demo: false,
  };
}

/** What the detector says of a made spike of TLS time that is over: known at `at`, half an hour after it was. */
export function makeEnd({ cell, changeAt }: Detected, { region, carrier, id }: VantageRef, at: Date): ClosedSpike {
  return {
    target: cell.targetId,
    vantage: id ?? '',
    country: 'CN',
    region,
    carrier,
    metric: 'tls',
    changeAt: changeAt.getTime() / 1_000,
    endedAt: at.getTime() / 1_000 - 1_800,
    at: at.getTime() / 1_000,
    by: 'quiet',
  };
}

/** Stores and records them in one transaction, as the job does with what a stretch of results raised and ended. */
export async function record(
  found: Detected[],
  closed: ClosedSpike[],
  now: Date,
  changes: GroupChange[] = [],
): Promise<void> {
  await getPrisma().$transaction(
    async (db) =>
      recordDetections(db, await storeDetections(db, found), await rulesOf(db, 'detector'), now, { closed, changes }),
    { timeout: 300_000 },
  );
}
