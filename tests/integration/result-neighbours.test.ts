import { beforeAll, expect, it } from 'vitest';
import type { StorableResult } from '#contract/result.ts';
import { findFastest, findNeighbours } from '#server/results/neighbours.ts';
import { getResult } from '#server/results/results.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const PERIOD = 60;
const NOON = WEDNESDAY + 12 * 3_600_000;
const [here, sameProvince, abroad] = [
  makeVantage('CN-GD', 'telecom'),
  makeVantage('CN-GD', 'mobile'),
  makeVantage('CN-HK', 'other'),
];
const stored: Record<string, StorableResult> = {};

prepareTestDatabase();
beforeAll(async () => {
  const targetId = await insertTarget();
  await insertProber([here, sameProvince, abroad]);
  const at = (minute: number, tls: number, vantage = here) => {
    const made = makeResult({ targetId, vantage, startedAt: NOON + minute * 60_000 });
    return { ...made, phases: { ...made.phases, tls } };
  };
  Object.assign(stored, {
    longAgo: at(-90, 1),
    first: at(-50, 30),
    quick: at(-20, 12),
    before: at(-1, 40),
    one: at(0, 50),
    after: at(1, 45),
    nearby: at(0, 5, sameProvince),
    abroad: at(0.2, 20, abroad),
    slowAbroad: at(-0.3, 25, abroad),
    abroadLater: at(3, 2, abroad),
  });
  await insertResults(Object.values(stored));
});

const of = async (name: string) => await getResult((stored[name] as StorableResult).id);
const idOf = (name: string) => stored[name]?.id;

it('has the handshakes of the same place right before and after one', async () => {
  const { previous, next } = await findNeighbours(await of('one'), PERIOD);
  expect([previous?.id, next?.id]).toEqual([idOf('before'), idOf('after')]);
  const last = await findNeighbours(await of('after'), PERIOD);
  expect([last.previous?.id, last.next]).toEqual([idOf('one'), null]);
});

it('finds the fastest of the hour before at the same place, or of the same round elsewhere', async () => {
  const one = await of('one');
  expect((await findFastest(one, PERIOD, 'fastest'))?.id).toBe(idOf('quick'));
  expect((await findFastest(one, PERIOD, 'elsewhere'))?.id).toBe(idOf('abroad'));
  expect(await findFastest(await of('longAgo'), PERIOD, 'fastest')).toBeNull();
});
