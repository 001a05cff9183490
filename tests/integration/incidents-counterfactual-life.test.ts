import { v7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import type { VantageRef } from '#contract/result.ts';
import { getPrisma } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { MOST_A_TURN, reviseCounterfactuals } from '#server/incidents/counterfactual.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { recordOf } from '#server/incidents/row.ts';
import { settleIncidents } from '#server/incidents/settle.ts';
import { textOf } from '#server/webhooks/text.ts';
import {
  cellOf,
  DAY,
  EVENING,
  HOUR,
  latest,
  MINUTE,
  measure,
  ONSET,
  revise,
  slower,
  telecom,
  vantages,
} from '../support/counterfactual-scene.ts';
import { makeDetection, record } from '../support/detections.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { insertRolledUp } from '../support/minutes.ts';

let shop: string;
incidentScene({ vantages, also: ['target'], begin: (id) => (shop = id) });
beforeEach(() => ensurePartitions(Array.from({ length: 17 }, (_, day) => EVENING.getTime() - day * DAY)));

const insert = async (n: number, more: object = {}) => {
  const id = v7();
  await getPrisma().incident.create({
    data: {
      ...{ id, kind: 'regression', groupKey: `${n}`, groups: [], status: 'open', severity: 'warning', metric: 'tls' },
      cells: [cellOf(shop, telecom[0] as VantageRef, { kind: 'regression' })],
      ...{ openedAt: ONSET, onsetAt: ONSET, cause: 'server', ...more },
    },
  });
  return id;
};

describe('incidents that go on', () => {
  it('are computed ten at a turn, those that wait longest first, and a standing one for as long as it stands', async () => {
    expect(MOST_A_TURN).toBe(10);
    await measure(shop, (_, since) => (since ? 70 : 40));
    const standing = await insert(0, { standingSince: ONSET });
    for (let n = 1; n < 12; n++) await insert(n);
    const at = async (id: string) => (await getIncident(id)).counterfactual?.at;
    const turn = EVENING.getTime() / 1_000 - 30 * 60;
    await revise(turn);
    await revise(turn + 60);
    const first = (await getPrisma().incident.findMany()).map(recordOf).filter((each) => each.counterfactual !== null);
    expect(first).toHaveLength(12);
    expect(
      Map.groupBy(first, ({ counterfactual }) => counterfactual?.at).get(new Date(turn * 1_000).toISOString()),
    ).toHaveLength(10);
    const before = await at(standing);
    await revise(turn + 120);
    expect(await at(standing)).toBe(before);
    await revise(turn + 720);
    expect(await at(standing)).toBe(new Date((turn + 720) * 1_000).toISOString());
  });

  it('are computed once more when they are over, and not after that', async () => {
    await measure(shop, (_, since) => (since ? 70 : 40));
    const over = new Date(ONSET.getTime() + 2 * HOUR);
    const cell = cellOf(shop, telecom[0] as VantageRef, { recoveredAt: over.toISOString() });
    const id = await insert(0, { kind: 'spike', cells: [cell], status: 'resolved', resolvedAt: over });
    await revise(over.getTime() / 1_000 + 1_800);
    expect((await getIncident(id)).counterfactual).toMatchObject({ at: over.toISOString(), series: 1 });
    await getPrisma().incident.update({
      where: { id },
      data: { counterfactual: { withoutMs: 1, nowMs: 2, series: 3, siblings: 0, at: over } },
    });
    await revise(over.getTime() / 1_000 + 2_400);
    expect((await getIncident(id)).counterfactual).toMatchObject({ series: 3 });
  });
});

describe('incidents that end, or are not what they were', () => {
  const minutes = (n: number) => new Date(ONSET.getTime() + n * MINUTE);
  const first = telecom[0] as VantageRef;
  const lasting = (kind: 'regression' | 'improvement', at: Date, changeAt: Date) => {
    const levels = kind === 'regression' ? { beforeMs: 40, afterMs: 90 } : { beforeMs: 90, afterMs: 40 };
    return makeDetection({ targetId: shop, vantage: first, kind, at, changeAt, group: kind, ...levels });
  };
  /** High for two hours, and so many hours in all. */
  const measureTwoHours = async (hours: number) =>
    await insertRolledUp({
      targetId: shop,
      vantages: [first],
      from: ONSET.getTime() - HOUR,
      count: 60 * (hours + 1),
      change: (result, _, index) => slower((index >= 60 && index < 180 ? 90 : 40) - (result.phases.tls ?? 0))(result),
    });
  const messages = async () =>
    (await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } })).map(({ payload }) => {
      const { type, data } = payload as { type: 'tls.spike.opened'; data: Record<string, unknown> };
      return [type, ...textOf({ type, timestamp: ONSET.toISOString(), data }, 'en').lines].join('\n');
    });

  it('by an improvement that is found hours later, are told of nothing from after their end, and have it of that within a turn', async () => {
    await measureTwoHours(5);
    await record([lasting('regression', minutes(30), ONSET)], [], minutes(30));
    const { id } = await latest();
    await revise(minutes(240).getTime() / 1_000);
    expect((await getIncident(id)).counterfactual?.nowMs).toBeCloseTo(40, 0);
    await record([lasting('improvement', minutes(270), minutes(120))], [], minutes(270));
    expect((await getIncident(id)).counterfactual).toBeNull();
    expect((await messages()).at(-1)).toMatch(/^tls.regression.resolved/);
    expect((await messages()).at(-1)).not.toContain('Without it');
    await revise(minutes(271).getTime() / 1_000);
    const { counterfactual } = await getIncident(id);
    expect(counterfactual).toMatchObject({ at: minutes(120).toISOString(), nowMs: expect.closeTo(90, 0) });
  });

  it('at a daily look say nothing of an end that nobody knows', async () => {
    await ensurePartitions([ONSET.getTime() + DAY]);
    await measureTwoHours(26);
    await record([lasting('regression', minutes(30), ONSET)], [], minutes(30));
    const { id } = await latest();
    await revise(minutes(240).getTime() / 1_000);
    expect((await getIncident(id)).counterfactual).not.toBeNull();
    const position = minutes(24 * 60 + 31);
    const progress = { before: minutes(24 * 60 + 29).getTime() / 1_000, position: position.getTime() / 1_000 };
    await settleIncidents(progress, position);
    expect(await getIncident(id)).toMatchObject({ resolution: 'rolled_back', counterfactual: null });
    await reviseCounterfactuals(progress);
    expect((await getIncident(id)).counterfactual).toBeNull();
  });

  const stale = { withoutMs: 1, nowMs: 2, series: 3, siblings: 0, at: minutes(20).toISOString() };

  it('and became one with others have no figures of the series that they had', async () => {
    const [one, other] = [await insert(1), await insert(2, { counterfactual: stale })];
    await updateIncident(one, { action: 'merge', into: other, note: '' }, 'somebody', minutes(60));
    expect((await getIncident(other)).counterfactual).toBeNull();
  });

  it('as improvements do at once are computed within the hour, of when they were found', async () => {
    await measure(shop, (_, since) => (since ? 40 : 70));
    const cells = [cellOf(shop, first, { kind: 'improvement', beforeMs: 70, afterMs: 40 })];
    const over = { status: 'resolved', openedAt: minutes(60), resolvedAt: minutes(60) };
    const id = await insert(1, { kind: 'improvement', cells, ...over });
    await revise(minutes(90).getTime() / 1_000);
    const { counterfactual } = await getIncident(id);
    expect(counterfactual).toMatchObject({
      at: minutes(60).toISOString(),
      withoutMs: 70,
      nowMs: expect.closeTo(40, 0),
    });
  });
});
