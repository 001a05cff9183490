import { beforeAll, describe, expect, it } from 'vitest';
import type { Detection } from '#analysis/detection/detection.ts';
import { levelsOf } from '#server/detection/levels.ts';
import { recoveredCells } from '#server/incidents/rollback.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertMinutes } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const vantage = makeVantage('CN-BJ', 'telecom');
const [FAST, SLOW] = [45, 110];
/** Minutes before the change and since, of whose handshakes 3 and 10 in 20 are slow. */
const [BEFORE, SINCE] = [60, 300];
const CHANGE = WEDNESDAY / 1_000 + BEFORE * 60;

let detection: Detection;
prepareTestDatabase([vantage]);
beforeAll(async () => {
  const targetId = await insertTarget();
  await insertMinutes({
    targetId,
    vantages: [vantage],
    from: WEDNESDAY,
    count: BEFORE + SINCE,
    change: (result, _vantage, index) => {
      const isSlow = (index * 7) % 20 < (index < BEFORE ? 3 : 10);
      Object.assign(result.phases, { tls: isSlow ? SLOW : FAST });
    },
  });
  detection = {
    ...{
      kind: 'regression',
      metric: 'tls',
      cause: 'tls',
      page: true,
      country: 'CN',
      region: 'CN-BJ',
      carrier: 'telecom',
    },
    ...{ target: targetId, vantage: vantage.id, group: { cause: 'tls', target: targetId, changeAt: CHANGE } },
    ...{ at: CHANGE + SINCE * 60, changeAt: CHANGE, effect: (10 / 20 - 3 / 20) * Math.log(SLOW / FAST) },
  } as Detection;
});

describe('the levels of a spike', () => {
  const SPIKE = { kind: 'spike', effect: Math.log(2), changeAt: CHANGE, at: CHANGE + 300 } as const;
  /** Of so many results of 20 ms in the hour before, of which the last is odd, and five of 90 since; all resumed a session. */
  async function levels(before: number, metric: Detection['metric'] = 'tls') {
    const target = await insertTarget();
    await insertMinutes({
      ...{ targetId: target, vantages: [vantage], from: CHANGE * 1_000 - before * MINUTE, count: before + 5 },
      change: (result, _vantage, index) => {
        const ms = index < before - 1 ? 20 : index < before ? 500 : 90;
        Object.assign(result.phases, { tls: ms, firstByte: ms });
        Object.assign(result.tls ?? {}, { resumed: true });
      },
    });
    const [found] = await levelsOf([{ ...detection, ...SPIKE, target, metric }], WEDNESDAY);
    return found;
  }

  it('are those of the hour before, of three results at least', async () => {
    expect(await levels(3)).toMatchObject({ before: 20, after: 90, resumedBefore: 1, resumedAfter: 1 });
  });

  it('are by what the detector says that it moved, where there are fewer', async () => {
    for (const few of [0, 1, 2])
      expect(await levels(few)).toMatchObject({ before: expect.closeTo(45, 3), after: 90, resumedBefore: null });
    // Of a first byte it does not say.
    expect(await levels(2, 'firstByte')).toMatchObject({ before: null, after: 90 });
  });
});

describe('a level that is back', () => {
  it.each([
    [19, 0],
    [20, 1],
  ])('takes twenty results of its hours: of %i there are %i', async (count, back) => {
    const target = await insertTarget();
    await insertMinutes({ targetId: target, vantages: [vantage], from: WEDNESDAY + DAY, count });
    const times = { changeAt: new Date(WEDNESDAY), at: new Date(WEDNESDAY + 60 * MINUTE) };
    const cell = cellOf({
      targetId: target,
      vantageId: vantage.id ?? null,
      region: 'CN-BJ',
      carrier: 'telecom',
      kind: 'regression',
      metric: 'tls',
      ...times,
      beforeMs: 29,
      afterMs: 100,
    });
    const position = (WEDNESDAY + DAY + 61 * MINUTE) / 1_000;
    expect(await recoveredCells([cell], { before: position - 120, position }, position * 1_000)).toHaveLength(back);
  });
});

describe('the levels of a lasting change of a share of two modes', () => {
  it('are the means of both modes, so that what divides the levels divides the modes', async () => {
    const [found] = await levelsOf([{ ...detection, shares: { before: 0.15, after: 0.5 } }], WEDNESDAY);
    expect(found?.before).toBeCloseTo(FAST * (SLOW / FAST) ** 0.15, 0);
    expect(found?.after).toBeCloseTo(FAST * (SLOW / FAST) ** 0.5, 0);
    const middle = Math.sqrt((found?.before ?? 0) * (found?.after ?? 0));
    expect(middle).toBeGreaterThan(FAST);
    expect(middle).toBeLessThan(SLOW);
  });
});
