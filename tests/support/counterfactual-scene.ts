import type { StorableResult, VantageRef } from '#contract/result.ts';
import { getPrisma } from '#server/database/database.ts';
import { reviseCounterfactuals } from '#server/incidents/counterfactual.ts';
import { recordOf, type StoredCell } from '#server/incidents/row.ts';
import { insertRolledUp } from './minutes.ts';
import { makeVantage } from './vantages.ts';

// A target that becomes slower on a Thursday afternoon at some of its vantages, for tests of what it would be without that.

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Thursday, 16:00 in China, and that day's evening, which begins at 18:00. */
export const ONSET = new Date('2026-11-19T08:00:00Z');
export const EVENING = new Date('2026-11-19T12:00:00Z');
export const telecom = ['CN-BJ', 'CN-GD'].map((region) => makeVantage(region, 'telecom'));
export const unicom = ['CN-BJ', 'CN-GD', 'CN-SH', 'CN-HB'].map((region) => makeVantage(region, 'unicom'));
export const vantages = [...telecom, ...unicom];

/** The server takes so many ms longer in the handshake. */
export const slower = (ms: number) => (result: StorableResult) =>
  Object.assign(result.phases, { tls: (result.phases.tls ?? 0) + ms });

/** A turn a minute after the last. */
export const revise = (position: number) => reviseCounterfactuals({ before: position - 60, position });

export const latest = async () => recordOf(await getPrisma().incident.findFirstOrThrow({ orderBy: { id: 'desc' } }));

export const cellOf = (
  targetId: string,
  { id, region, carrier }: VantageRef,
  more: Partial<StoredCell> = {},
): StoredCell => ({
  targetId,
  vantageId: id,
  region,
  carrier,
  kind: 'spike',
  metric: 'tls',
  at: new Date(ONSET.getTime() + 5 * MINUTE).toISOString(),
  changeAt: ONSET.toISOString(),
  beforeMs: 40,
  afterMs: 60,
  recoveredAt: null,
  ...more,
});

/** One target an hour before the onset and so many since; `ms` by vantage and whether it is since. */
export async function measure(
  targetId: string,
  ms: (vantage: VantageRef, since: boolean) => number,
  hours = 4,
): Promise<void> {
  const begin = ONSET.getTime() - HOUR;
  await insertRolledUp({
    targetId,
    vantages,
    from: begin,
    count: 60 * (hours + 1),
    change: (result, vantage, index) => slower(ms(vantage, index >= 60) - (result.phases.tls ?? 0))(result),
  });
}
