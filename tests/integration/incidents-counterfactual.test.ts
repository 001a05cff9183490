import { v7 } from 'uuid';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { computeUsual } from '#server/figures/usual.ts';
import { counterfactualOf } from '#server/incidents/counterfactual.ts';
import { type Detected, storeDetections } from '#server/incidents/detected.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { recordDetections } from '#server/incidents/record.ts';
import { recordOf, type StoredCell } from '#server/incidents/row.ts';
import { MAX_UNAFFECTED, unaffectedBy } from '#server/incidents/unaffected.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { rulesOf } from '#server/rules/rules.ts';
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
  unicom,
  vantages,
} from '../support/counterfactual-scene.ts';
import { type Made, makeDetection, record } from '../support/detections.ts';
import { isLong } from '../support/extent.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { insertRolledUp } from '../support/minutes.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

let shop: string;
incidentScene({ vantages, also: ['target'], begin: (id) => (shop = id) });
beforeEach(() => ensurePartitions(Array.from({ length: 17 }, (_, day) => EVENING.getTime() - day * DAY)));

/** Results of a series, of so many ms at each instant, `every` ms. */
function resultsOf(targetId: string, vantage: VantageRef, { from, to, every }: Span, msAt: (at: number) => number) {
  const results: StorableResult[] = [];
  for (let at = from; at < to; at += every)
    results.push(makeResult({ targetId, vantage, startedAt: at, tls: msAt(at) }));
  return results;
}
type Span = { from: number; to: number; every: number };

const isEvening = (at: number) => new Date(at).getUTCHours() >= 10 && new Date(at).getUTCHours() < 16;

/** Two weeks of these targets at the vantages of telecom: 40 ms, in the evening 48. */
async function insertUsual(targets: string[], until: number): Promise<void> {
  const usual = { from: until - 15 * DAY, to: until, every: 30 * MINUTE };
  for (const targetId of targets) {
    for (const vantage of telecom)
      await insertResults(resultsOf(targetId, vantage, usual, (at) => (isEvening(at) ? 48 : 40)));
  }
}

const incidentOf = (cells: StoredCell[], cause: 'network' | 'server' | null = 'network') =>
  ({ kind: 'spike', metric: 'tls', cause, cells, resolvedAt: null }) as const;

describe('an incident at one target, looked at in the evening', () => {
  it.runIf(isLong)(
    'is told from the evening: without it the target would be slower than before, too',
    {
      timeout: 240_000,
    },
    async () => {
      const others = await Promise.all(['mail', 'search', 'cart'].map((name) => insertTarget({ name })));
      await assignAll(telecom);
      const begin = ONSET.getTime() - 2 * HOUR;
      await insertUsual([shop, ...others], begin);
      // This evening is slower for all of the carrier: by three tenths, where a fifth is usual.
      for (const targetId of [shop, ...others])
        await insertRolledUp({
          targetId,
          vantages: telecom,
          from: begin,
          count: (EVENING.getTime() - begin) / MINUTE,
          change: (result, vantage, index) => {
            const at = begin + index * MINUTE;
            const made = makeResult({ targetId, vantage, startedAt: at, tls: isEvening(at) ? 52 : 40 });
            Object.assign(result, { phases: made.phases, network: made.network });
            if (targetId === shop && at >= ONSET.getTime()) slower(20)(result);
          },
        });
      await getPool().query(
        `insert into target_usual (target_id, at, levels, overall)
        select id, 'epoch', '{}', '{"country": "", "metrics": {}}' from target on conflict do nothing`,
      );
      for (const targetId of [shop, ...others]) await computeUsual(targetId, begin);

      const opened = new Date(ONSET.getTime() + 10 * MINUTE);
      const found = telecom.map((vantage) =>
        makeDetection({ targetId: shop, vantage, at: opened, changeAt: ONSET, beforeMs: 40, afterMs: 60 }),
      );
      await record(found, [], opened);
      const { id, counterfactual: atFirst } = await latest();
      expect(atFirst).toMatchObject({ series: 2, siblings: 6, at: opened.toISOString() });
      expect(atFirst?.withoutMs).toBeCloseTo(40, 0);
      expect(atFirst?.nowMs).toBeCloseTo(60, 0);
      const [message] = await getPrisma().delivery.findMany();
      const { data } = (message?.payload ?? {}) as { data: Record<string, unknown> };
      expect(textOf({ type: 'tls.spike.opened', timestamp: opened.toISOString(), data }, 'en').lines).toContain(
        'Without it 40 ms, now 60 ms',
      );

      await revise(EVENING.getTime() / 1_000);
      const { counterfactual } = await getIncident(id);
      expect(counterfactual).toMatchObject({ series: 2, siblings: 6, at: EVENING.toISOString() });
      expect(counterfactual?.withoutMs).toBeCloseTo(52, 0);
      expect((counterfactual?.nowMs ?? 0) - (counterfactual?.withoutMs ?? 0)).toBeCloseTo(20, 0);

      // Alone it has its own usual evening to go by.
      await getPool().query(`update "check" set deleted_at = now() where target_id <> $1`, [shop]);
      const alone = await counterfactualOf(await latest(), EVENING.getTime());
      expect(alone).toMatchObject({ siblings: 0 });
      expect(alone?.withoutMs).toBeCloseTo(48, 0);
    },
  );
});

const WHEN = {
  before: { from: ONSET.getTime() - HOUR, to: ONSET.getTime() },
  now: { from: EVENING.getTime() - HOUR / 2, to: EVENING.getTime() },
};
const isTelecom = ({ carrier }: VantageRef) => carrier === 'telecom';

describe('an incident of the network', () => {
  const cells = () => telecom.map((vantage) => cellOf(shop, vantage));

  it('is compared with its target elsewhere, which has the same server', async () => {
    await assignAll();
    await measure(shop, (vantage, since) => (isTelecom(vantage) ? (since ? 70 : 40) : since ? 22 : 20));
    const found = await counterfactualOf(incidentOf(cells()), EVENING.getTime());
    expect(found).toMatchObject({ series: 2, siblings: 4 });
    expect(found?.withoutMs).toBeCloseTo(44, 0);
    expect(found?.nowMs).toBeCloseTo(70, 0);
    // Without a cause nobody knows what series share.
    expect(await counterfactualOf(incidentOf(cells(), null), EVENING.getTime())).toMatchObject({ siblings: 0 });
  });

  it('leaves out what another incident touches, but not what one of the server did later', async () => {
    await assignAll();
    await measure(shop, (vantage, since) => (isTelecom(vantage) ? (since ? 70 : 40) : since ? 22 : 20));
    const other = async (cause: string, changeAt: Date) =>
      await getPrisma().incident.create({
        data: {
          ...{ id: v7(), kind: 'spike', groupKey: 'other', groups: [], status: 'open', severity: 'warning', cause },
          cells: unicom.slice(0, 2).map((vantage) => cellOf(shop, vantage, { changeAt: changeAt.toISOString() })),
          ...{ openedAt: changeAt, onsetAt: changeAt },
        },
      });
    const siblings = async () => (await counterfactualOf(incidentOf(cells()), EVENING.getTime()))?.siblings;
    const { id } = await other('server', new Date(ONSET.getTime() + 2 * HOUR));
    expect(await siblings()).toBe(4);
    await getPrisma().incident.update({ where: { id }, data: { cause: 'network' } });
    expect(await siblings()).toBe(0);
    await getPrisma().incident.delete({ where: { id } });
    await other('server', new Date(ONSET.getTime() + 10 * MINUTE));
    expect(await siblings()).toBe(0);
  });

  it('leaves out what is at another level than in the hours before since an incident that is over', async () => {
    await assignAll();
    await measure(shop, (vantage, since) => (isTelecom(vantage) ? (since ? 70 : 40) : since ? 22 : 20));
    const siblings = async (kind: string, resolution: string, changedAt: number, overAt: number) => {
      const [changeAt, resolvedAt] = [new Date(changedAt), new Date(overAt)];
      const { id } = await getPrisma().incident.create({
        data: {
          ...{
            id: v7(),
            kind,
            groupKey: 'other',
            groups: [],
            status: 'resolved',
            severity: 'warning',
            cause: 'network',
          },
          // A cell of a spike is over as its new level begins.
          cells: unicom.slice(0, 2).map((vantage) =>
            cellOf(shop, vantage, {
              changeAt: changeAt.toISOString(),
              recoveredAt: resolution === 'superseded' ? resolvedAt.toISOString() : null,
            }),
          ),
          ...{ openedAt: changeAt, onsetAt: changeAt, resolution, resolvedAt },
        },
      });
      const found = await counterfactualOf(incidentOf(cells()), EVENING.getTime());
      await getPrisma().incident.delete({ where: { id } });
      return found?.siblings;
    };
    const [before, onset, evening] = [ONSET.getTime() - HOUR / 2, ONSET.getTime(), EVENING.getTime()];
    // Two siblings are too few to say something.
    expect(await siblings('regression', 'rolled_back', onset - 3 * HOUR, before)).toBe(0);
    expect(await siblings('regression', 'rolled_back', onset - 3 * HOUR, onset - 2 * HOUR)).toBe(4);
    expect(await siblings('spike', 'recovered', onset + HOUR, onset + 2 * HOUR)).toBe(4);
    expect(await siblings('spike', 'recovered', evening - HOUR, evening - 10 * MINUTE)).toBe(0);
    // Nobody knows of what a person ended whether it was over: neither before nor now.
    expect(await siblings('regression', 'by_hand', onset - 3 * HOUR, before)).toBe(0);
    expect(await siblings('regression', 'by_hand', onset + HOUR, onset + 2 * HOUR)).toBe(0);
    expect(await siblings('spike', 'superseded', onset + HOUR, onset + 1.5 * HOUR)).toBe(0);
    // What stays: in both of the times that are compared, in one of them, in none.
    for (const [kind, resolution] of [
      ['improvement', 'recovered'],
      ['regression', 'accepted'],
      ['spike', 'superseded'],
    ] as const) {
      expect(await siblings(kind, resolution, onset - 3 * HOUR, onset - 2 * HOUR)).toBe(4);
      expect(await siblings(kind, resolution, before, onset)).toBe(0);
      expect(await siblings(kind, resolution, onset + 5 * MINUTE, evening)).toBe(0);
      expect(await siblings(kind, resolution, evening + MINUTE, evening + HOUR)).toBe(4);
    }
  });

  it('takes the last two hours of checks that run every ten minutes', async () => {
    const span = { from: ONSET.getTime() - HOUR, to: EVENING.getTime(), every: 10 * MINUTE };
    const sparse = telecom.flatMap((vantage) =>
      resultsOf(shop, vantage, span, (at) => (at < ONSET.getTime() ? 40 : at < EVENING.getTime() - 2 * HOUR ? 99 : 70)),
    );
    await insertResults(sparse);
    await drainRollups({ settled: true });
    const found = await counterfactualOf(incidentOf(cells()), EVENING.getTime());
    expect(found).toMatchObject({ series: 2, withoutMs: 40, nowMs: expect.closeTo(70, 0) });
  });

  it('leaves out series that have recovered; once all have, it is of the minutes before', async () => {
    await measure(shop, (vantage, since) => (since ? (vantage === telecom[0] ? 70 : 90) : 40));
    const over = (minutes: number) => ({ recoveredAt: new Date(ONSET.getTime() + minutes * MINUTE).toISOString() });
    const [first, second] = telecom as [VantageRef, VantageRef];
    const one = await counterfactualOf(
      incidentOf([cellOf(shop, first, over(60)), cellOf(shop, second)]),
      EVENING.getTime(),
    );
    expect(one).toMatchObject({ series: 1, at: EVENING.toISOString() });
    expect(one?.nowMs).toBeCloseTo(90, 0);
    const both = await counterfactualOf(
      incidentOf([cellOf(shop, first, over(60)), cellOf(shop, second, over(30))]),
      EVENING.getTime(),
    );
    expect(both).toMatchObject({ series: 1, at: over(60).recoveredAt });
    expect(both?.nowMs).toBeCloseTo(70, 0);
  });

  it('is of all while they recover one after the other: the few that go on are no measure of it', async () => {
    await measure(shop, (vantage, since) =>
      isTelecom(vantage) ? 20 : since ? (vantage === unicom[0] ? 200 : 70) : 40,
    );
    const end = ONSET.getTime() + 30 * MINUTE;
    const over = (ago: number) => ({ quietSince: new Date(end - ago * MINUTE).toISOString() });
    const found = async (ago: number) =>
      await counterfactualOf(
        incidentOf(unicom.map((vantage, n) => cellOf(shop, vantage, n === 0 ? {} : over(ago)))),
        end,
      );
    expect(await found(3)).toMatchObject({ series: 4, nowMs: expect.closeTo(70, 0) });
    // Long after the others it is what goes on.
    expect(await found(15)).toMatchObject({ series: 1, nowMs: expect.closeTo(200, -1) });
  });

  it('whose series were over one after the other is of the last minutes of each', async () => {
    const ends = (vantage: VantageRef) => (vantage === telecom[0] ? 230 : 62 + 3 * vantages.indexOf(vantage));
    const begin = ONSET.getTime() - HOUR;
    await insertRolledUp({
      targetId: shop,
      vantages,
      from: begin,
      count: 300,
      change: (result, vantage, index) => {
        const isHigh = index >= 60 && index - 60 < ends(vantage);
        slower((isHigh ? (vantage === telecom[0] ? 70 : 90) : 40) - (result.phases.tls ?? 0))(result);
      },
    });
    const over = vantages.map((vantage) =>
      cellOf(shop, vantage, { recoveredAt: new Date(ONSET.getTime() + ends(vantage) * MINUTE).toISOString() }),
    );
    const found = await counterfactualOf(incidentOf(over), EVENING.getTime());
    expect(found).toMatchObject({ series: 6, at: over[0]?.recoveredAt });
    expect(found?.nowMs).toBeCloseTo(90, 0);
    // Of series of which each was over at another half hour, no four are of half.
    const apart = Array.from({ length: 10 }, (_, n) =>
      cellOf(shop, makeVantage('CN-SC', 'mobile'), {
        recoveredAt: new Date(ONSET.getTime() + (n + 1) * 31 * MINUTE).toISOString(),
      }),
    );
    expect(await counterfactualOf(incidentOf(apart), EVENING.getTime() + 6 * HOUR)).toBeNull();
  });

  it('is not known of few results, of shares, nor of what has no time', async () => {
    await measure(shop, (_, since) => (since ? 70 : 40), 0.05);
    expect(await counterfactualOf(incidentOf(cells()), ONSET.getTime() + 3 * MINUTE)).toBeNull();
    await measure(shop, (_, since) => (since ? 70 : 40));
    expect(await counterfactualOf(incidentOf(cells()), EVENING.getTime())).not.toBeNull();
    const failures = telecom.map((vantage) => cellOf(shop, vantage, { metric: 'failures', beforeMs: 0, afterMs: 1 }));
    expect(await counterfactualOf({ ...incidentOf(failures), metric: 'failures' }, EVENING.getTime())).toBeNull();
    expect(await counterfactualOf({ ...incidentOf(cells()), metric: 'refused' }, EVENING.getTime())).toBeNull();
    expect(await counterfactualOf({ ...incidentOf(cells()), kind: 'down' }, EVENING.getTime())).toBeNull();
  });
});

describe('what is compared', () => {
  it('is bounded: of so many targets, and vantages elsewhere', async () => {
    for (let n = 0; n < 10; n++) await insertTarget({ name: `other ${n}` });
    await assignAll();
    const own = telecom.map(({ id }) => ({ targetId: shop, vantageId: id ?? '' }));
    const cells = telecom.map((vantage) => cellOf(shop, vantage));
    const { tiers, tiersOf } = await unaffectedBy({ cause: 'server', cells }, { own, ...WHEN });
    expect(MAX_UNAFFECTED).toEqual({ targets: 8, vantages: 40 });
    const lines = [...tiers.values()].flat();
    expect(new Set(lines.map(({ targetId }) => targetId)).size).toBe(8);
    // Those of the same vantage, and of both of the carrier.
    expect(tiersOf(own[0] ?? { targetId: '', vantageId: '' }).map((tier) => tiers.get(tier)?.length)).toEqual([8, 16]);

    const many = Array.from({ length: 45 }, () => makeVantage('CN-SC', 'mobile'));
    await insertProber(many);
    await assignAll(many);
    const elsewhere = await unaffectedBy({ cause: 'network', cells }, { own, ...WHEN });
    expect([...elsewhere.tiers.values()].map((same) => same.length)).toEqual([40]);
  });

  it('is chosen where it is stored: no more is read than is compared', async () => {
    for (let n = 0; n < 10; n++) await insertTarget({ name: `other ${n}` });
    await assignAll();
    // Measured at one vantage of two: the others come first, however many vantages of the carrier they lack.
    const half = await insertTarget({ name: '0 half' });
    await assignAll(telecom.slice(0, 1));
    const query = vi.spyOn(getPool(), 'query');
    const cells = telecom.map((vantage) => cellOf(shop, vantage));
    const own = telecom.map(({ id }) => ({ targetId: shop, vantageId: id ?? '' }));
    await unaffectedBy({ cause: 'server', cells }, { own, ...WHEN });
    const answers = await Promise.all(query.mock.results.map(({ value }) => value as Promise<{ rows: object[] }>));
    query.mockRestore();
    const lines = answers.flatMap(({ rows }) => rows).filter((row) => 'targetId' in row && 'vantageId' in row);
    expect(lines).toHaveLength(16);
    expect(lines).not.toContainEqual(expect.objectContaining({ targetId: half }));
  });

  it('is nothing that another incident of the same stretch of results touches', async () => {
    await assignAll();
    await measure(shop, (vantage, since) => (isTelecom(vantage) ? (since ? 70 : 40) : since ? 22 : 20));
    const at = new Date(ONSET.getTime() + 10 * MINUTE);
    const detect = (some: VantageRef[], group: string, afterMs: number) =>
      some.map((vantage) => {
        const level = { beforeMs: afterMs / 2, afterMs };
        return makeDetection({ targetId: shop, vantage, at, changeAt: ONSET, cause: 'network', group, ...level });
      });
    await record([...detect(telecom, 'a', 80), ...detect(unicom.slice(0, 2), 'b', 60)], [], at);
    const found = (await getPrisma().incident.findMany()).map(recordOf);
    expect(found).toHaveLength(2);
    expect(found.map(({ counterfactual }) => counterfactual?.siblings)).toEqual([0, 0]);
  });

  it('is nothing that history touched which the same transaction has gone over', async () => {
    const others = await Promise.all(['mail', 'search', 'cart'].map((name) => insertTarget({ name })));
    await assignAll(telecom);
    for (const targetId of [shop, ...others])
      await insertRolledUp({
        targetId,
        vantages: telecom,
        from: ONSET.getTime() - HOUR,
        count: 120,
        change: (result, _, index) => slower(targetId === shop && index >= 60 ? 40 : 0)(result),
      });
    const at = new Date(ONSET.getTime() + 10 * MINUTE);
    const detect = (targetId: string, group: string, more: Partial<Made>) =>
      telecom.map((vantage) => makeDetection({ targetId, vantage, at, changeAt: ONSET, cause: 'tls', group, ...more }));
    const better = others.slice(0, 2).map((id) => detect(id, id, { kind: 'improvement', beforeMs: 60, afterMs: 30 }));
    const within = { gte: ONSET, lt: EVENING };
    const siblingsAfter = async (earlier: Detected[][]) => {
      await getPrisma().incident.deleteMany();
      await getPrisma().detection.deleteMany();
      await getPrisma().$transaction(async (db) => {
        const rules = await rulesOf(db, 'detector');
        for (const found of [...earlier, detect(shop, 'a', { beforeMs: 30, afterMs: 70 })])
          await recordDetections(
            db,
            await storeDetections(db, found),
            rules,
            EVENING,
            { closed: [], changes: [] },
            within,
          );
      });
      const { counterfactual } = await getPrisma().incident.findFirstOrThrow({ where: { kind: 'spike' } });
      return (counterfactual as { siblings: number } | null)?.siblings;
    };
    expect(await siblingsAfter([])).toBe(6);
    expect(await siblingsAfter(better)).toBe(0);
  });
});
