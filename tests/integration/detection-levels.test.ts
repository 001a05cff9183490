import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Detection } from '#analysis/detection/detection.ts';
import { levelsOf } from '#server/detection/levels.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertMinutes } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-BJ', 'telecom');
const [FAST, SLOW] = [45, 110];
/** Minutes before the change and since, of whose handshakes 3 and 10 in 20 are slow. */
const [BEFORE, SINCE] = [60, 300];
const CHANGE = WEDNESDAY / 1_000 + BEFORE * 60;

let database: TestDatabase;
let detection: Detection;
beforeAll(async () => {
  database = await testDatabase([vantage]);
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
afterAll(() => database.drop());

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
