import { v7 } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { ID_APART_MS } from '#server/ingest/judge.ts';
import { getResult } from '#server/results/results.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const DAY = 86_400_000;

let targetId: string;
let otherTargetId: string;
let vantage: VantageRef;
let prober: { id: string; vantageIds: string[] };
prepareTestDatabase();
beforeAll(async () => {
  targetId = await insertTarget();
  otherTargetId = await insertTarget();
  vantage = makeVantage('CN-GD', 'telecom');
  prober = { id: await insertProber([vantage]), vantageIds: [vantage.id] };
  await assignAll();
});

const make = (changes: Partial<StorableResult> = {}, ago = 60_000): StorableResult => ({
  ...makeResult({ targetId, vantage, startedAt: Date.now() - ago }),
  ...changes,
});
const send = (...results: unknown[]) => ingestBatch(prober, { results });
const later = ({ startedAt }: StorableResult, ms: number) => new Date(Date.parse(startedAt) + ms).toISOString();

/** What may be sent under an id that another result has. */
const others: [string, (first: StorableResult) => StorableResult][] = [
  ['another time', (first) => ({ ...first, startedAt: later(first, 1_000) })],
  ['a time of another day', (first) => ({ ...first, startedAt: later(first, -ID_APART_MS + 1_000) })],
  ['another target', (first) => ({ ...first, targetId: otherTargetId })],
];

it.each(others)('an id that is stored is refused with %s, and what was sent first stays', async (_, change) => {
  const first = make();
  expect(await send(first)).toMatchObject({ accepted: 1 });
  const answer = await send(change(first), make());
  expect(answer).toMatchObject({ accepted: 1, duplicates: 0, rejected: [{ index: 0, id: first.id, field: 'id' }] });
  expect(await getResult(first.id)).toEqual(first);
});

it.each([
  ...others,
  ['another outcome', (first: StorableResult) => ({ ...first, engineVersion: first.engineVersion + 1 })] as const,
])('an id that comes twice in a batch counts as it came first, and is refused with %s', async (_, change) => {
  const first = make();
  const answer = await send(first, change(first));
  expect(answer).toMatchObject({ accepted: 1, duplicates: 0, rejected: [{ index: 1, id: first.id, field: 'id' }] });
  expect(answer.rejected[0]).not.toHaveProperty('retry');
  expect(await getResult(first.id)).toEqual(first);
});

it('the same result is a duplicate, in the batch and after it', async () => {
  const first = make();
  expect(await send(first, { ...first }, first)).toMatchObject({ accepted: 1, duplicates: 2, rejected: [] });
  expect(await send(first)).toMatchObject({ accepted: 0, duplicates: 1, rejected: [] });
});

it('cannot say that no engine of ours measured it, as what is imported does', async () => {
  const answer = await send({ ...make(), engineVersion: 0 });
  expect(answer).toMatchObject({ accepted: 0, rejected: [{ field: 'engineVersion', message: 'must be 1 or more' }] });
});

it('a result that was refused leaves its id to the next one', async () => {
  const good = make();
  const answer = await send({ ...good, targetId: v7() }, good);
  expect(answer).toMatchObject({ accepted: 1, rejected: [{ index: 0, field: 'targetId' }] });
});

it.each([
  ['before', -ID_APART_MS],
  ['after', ID_APART_MS],
])('an id may be of a time half a day %s the result, and no more', async (_, apartMs) => {
  const [near, far] = [make(), make()];
  const minted = (result: StorableResult, ms: number) => v7({ msecs: Date.parse(result.startedAt) + ms });
  const answer = await send(
    { ...near, id: minted(near, apartMs) },
    { ...far, id: minted(far, apartMs + Math.sign(apartMs)) },
  );
  expect(answer).toMatchObject({ accepted: 1, rejected: [{ index: 1, field: 'id' }] });
});

it('an id may be of the time of a clock that is wrong, where the prober says by how much', async () => {
  const offMs = -40 * DAY;
  const wrong = () => {
    const result = make();
    return { ...result, id: v7({ msecs: Date.parse(result.startedAt) + offMs }) };
  };
  const corrected = wrong();
  const prober40 = { ...corrected.prober, clockOffsetMs: offMs };
  expect(await send({ ...corrected, prober: prober40 })).toMatchObject({ accepted: 1, rejected: [] });
  expect(await send(wrong())).toMatchObject({ accepted: 0, rejected: [{ field: 'id' }] });
  const sentAt = new Date(Date.now() + offMs).toISOString();
  expect(await ingestBatch(prober, { results: [wrong()], sentAt })).toMatchObject({ accepted: 1, rejected: [] });
});
