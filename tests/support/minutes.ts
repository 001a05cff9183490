import type { StorableResult, VantageRef } from '#contract/result.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertResults, makeResult } from './results.ts';

const MINUTE_MS = 60_000;

type Minutes = {
  targetId: string;
  vantages: VantageRef[];
  /** When the first is taken, ms since 1970, and how many each vantage takes. */
  from: number;
  count: number;
  /** Makes a Result what it should be; by the vantage and the minute's index. */
  change?: (result: StorableResult, vantage: VantageRef, index: number) => void;
};

/** Stores one Result a minute of each vantage. */
export async function insertMinutes({ targetId, vantages, from, count, change }: Minutes): Promise<void> {
  const results = vantages.flatMap((vantage) =>
    Array.from({ length: count }, (_, index) => {
      const result = makeResult({ targetId, vantage, startedAt: from + index * MINUTE_MS });
      change?.(result, vantage, index);
      return result;
    }),
  );
  await insertResults(results);
}

/** The same, and the rollups made of them. */
export async function insertRolledUp(minutes: Minutes): Promise<void> {
  await insertMinutes(minutes);
  await drainRollups({ settled: true });
}

export type Why = Omit<NonNullable<StorableResult['failure']>, 'message'>;

export const REFUSED: Why = { phase: 'tcp', reason: 'tcp_refused', source: 'target' };
export const OFFLINE: Why = { phase: 'tcp', reason: 'prober_offline', source: 'prober' };

/** Makes a Result one that failed so. */
export function fail(result: StorableResult, why: Why): void {
  Object.assign(result, { ok: false, failure: { ...why, message: '' }, tls: null, http: null });
}
