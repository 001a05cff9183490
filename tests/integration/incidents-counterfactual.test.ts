import { v7 } from 'uuid';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { computeUsual } from '#server/figures/usual.ts';
import { counterfactualOf, MOST_SERIES } from '#server/incidents/counterfactual.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import type { StoredCell } from '#server/incidents/row.ts';
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
import { makeDetection, record } from '../support/detections.ts';
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
        makeDetection({
          targetId: shop,
          vantage,
          at: opened,
          changeAt: ONSET,
          cause: 'tls',
          beforeMs: 40,
          afterMs: 60,
        }),
      );
      await record(found, [], opened);
      const { id } = await latest();
      await revise(opened.getTime() / 1_000);
      expect((await latest()).counterfactual).toMatchObject({ series: 2, siblings: 6, at: opened.toISOString() });
      expect((await latest()).counterfactual?.withoutMs).toBeCloseTo(40, 0);
      expect((await latest()).counterfactual?.nowMs).toBeCloseTo(60, 0);

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

  it('leaves out what another incident has touched since the hours before', async () => {
    await assignAll();
    await measure(shop, (vantage, since) => (isTelecom(vantage) ? (since ? 70 : 40) : since ? 22 : 20));
    const siblings = async (kind: string, resolvedAt: Date | null) => {
      const { id } = await getPrisma().incident.create({
        data: {
          ...{ id: v7(), kind, groupKey: 'other', groups: [], severity: 'warning', cause: 'server', resolvedAt },
          status: resolvedAt === null ? 'open' : 'resolved',
          cells: unicom.slice(0, 2).map((vantage) => cellOf(shop, vantage)),
          ...{ openedAt: ONSET, onsetAt: ONSET },
        },
      });
      const found = await counterfactualOf(incidentOf(cells()), EVENING.getTime());
      await getPrisma().incident.delete({ where: { id } });
      return found?.siblings;
    };
    // Two series are too few to say something.
    expect(await siblings('spike', null)).toBe(0);
    expect(await siblings('down', new Date(ONSET.getTime() + MINUTE))).toBe(0);
    expect(await siblings('improvement', new Date(ONSET.getTime() - HOUR / 2))).toBe(0);
    expect(await siblings('spike', new Date(ONSET.getTime() - HOUR))).toBe(4);
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

  it('is of those that were over just now, too, and not known where the few that were over last are no measure of all', async () => {
    await measure(shop, (vantage, since) =>
      isTelecom(vantage) ? 20 : since ? (vantage === unicom[0] ? 200 : 70) : 40,
    );
    const end = ONSET.getTime() + 30 * MINUTE;
    const over = (ago: number) => ({ quietSince: new Date(end - ago * MINUTE).toISOString() });
    const found = async (ago: number, last = {}) =>
      await counterfactualOf(
        incidentOf(unicom.map((vantage, n) => cellOf(shop, vantage, n === 0 ? last : over(ago)))),
        end,
      );
    expect(await found(3)).toMatchObject({ series: 4, nowMs: expect.closeTo(70, 0) });
    expect(await found(15)).toMatchObject({ series: 1, nowMs: expect.closeTo(200, -1) });
    expect(await found(3, over(0))).toMatchObject({ series: 4 });
    expect(await found(15, over(0))).toBeNull();
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

it('an incident of the server is compared with other targets of its vantages, with so many series at most', async () => {
  const many = Array.from({ length: 50 }, () => makeVantage('CN-SC', 'mobile'));
  await insertProber(many);
  for (let n = 0; n < 9; n++) await insertTarget({ name: `other ${n}` });
  await assignAll();
  await assignAll(many);
  const query = vi.spyOn(getPool(), 'query');
  await counterfactualOf(
    incidentOf(
      many.map((vantage) => cellOf(shop, vantage)),
      'server',
    ),
    EVENING.getTime(),
  );
  const answers = await Promise.all(query.mock.results.map(({ value }) => value as Promise<{ rows: object[] }>));
  query.mockRestore();
  const lines = answers.flatMap(({ rows }) => rows).filter((row) => 'targetId' in row && 'vantageId' in row);
  expect(MOST_SERIES).toBe(400);
  expect(lines).toHaveLength(MOST_SERIES);
  expect(lines).not.toContainEqual(expect.objectContaining({ targetId: shop }));
  const own = new Set(many.map(({ id }) => id));
  expect(lines.filter((line) => !own.has((line as { vantageId: string }).vantageId))).toEqual([]);
});
