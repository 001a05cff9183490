import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TableReader } from '#analysis/columnar.ts';
import { ResultsQuery } from '#contract/query.ts';
import type { StorableResult } from '#contract/result.ts';
import { Block } from '#server/blocks/pack.ts';
import { MOST_UNPACKED } from '#server/blocks/scan.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { readSamples } from '#server/detection/read-samples.ts';
import { reusedIds } from '#server/ingest/ids.ts';
import { streamResults } from '#server/results/stream.ts';
import { computeMinutes } from '#server/rollups/minutes.ts';
import { nodesOf, rowsLookedAt, sentDuring } from '../support/explained.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { DAY, MINUTE, SCENE_VANTAGES, SLOW_MS, type StoredScene, storedScene } from '../support/stored-scene.ts';

// What questions about sealed results cost, counted: rows that PostgreSQL looks at, columns that are decoded, blocks that are
// unpacked at a time.

vi.setConfig({ testTimeout: SLOW_MS, hookTimeout: SLOW_MS });
const day = Math.floor(WEDNESDAY / DAY) * DAY;
const TARGETS = 160;
const FEW = 40;
const EACH = 6;
const vantages = SCENE_VANTAGES;

let database: StoredScene['database'];
let targets: string[];
let stored: StorableResult[];
beforeAll(async () => {
  const names = Array.from({ length: TARGETS }, (_, n) => `target ${n}`);
  ({ database, targets, stored } = await storedScene(names, (made) =>
    made.flatMap((targetId, target) =>
      Array.from({ length: EACH }, (_, n) => {
        const vantage = vantages[n % 2] as (typeof vantages)[number];
        return makeResult({ targetId, vantage, startedAt: day + n * MINUTE + target * 11 });
      }),
    ),
  ));
  await sealDays(day + 2 * DAY);
});
afterAll(() => database.drop());
afterEach(() => vi.restoreAllMocks());

/** How many rows PostgreSQL looks at for a question while there are so many targets. */
async function costOf(count: number, ask: () => Promise<unknown>): Promise<number> {
  await getPool().query('update target set deleted_at = case when id = any($1) then null else now() end', [
    targets.slice(0, count),
  ]);
  const questions = (await sentDuring(ask)).filter(
    ({ text }) => /from unnest/.test(text) && !/result_block/.test(text),
  );
  expect(questions).toHaveLength(1);
  const cost = rowsLookedAt(await nodesOf(questions[0] as (typeof questions)[number]));
  await getPool().query('update target set deleted_at = null');
  return cost;
}

describe('what is asked of all targets', () => {
  it('costs four times as much for the samples of four times as many', async () => {
    const samples = () => readSamples(day / 1_000, day / 1_000 + 3_600);
    expect(await samples()).toHaveLength(TARGETS * EACH);
    const few = await costOf(FEW, samples);
    expect(few).toBeGreaterThan(FEW * EACH);
    expect((await costOf(TARGETS, samples)) / few).toBeLessThan(5);
  });

  it('costs four times as much for the minutes of four times as many', async () => {
    const minutesOf = (count: number) => () =>
      inTransaction((client) =>
        computeMinutes(
          client,
          targets
            .slice(0, count)
            .flatMap((targetId) => [0, 1, 2].map((n) => ({ targetId, bucket: day / 1_000 + n * 60 }))),
        ),
      );
    const few = await costOf(TARGETS, minutesOf(FEW));
    expect(few).toBeGreaterThan(FEW * 3);
    expect((await costOf(TARGETS, minutesOf(TARGETS))) / few).toBeLessThan(5);
  });
});

describe('a batch that is sent again', () => {
  it('has no more decoded than what names its results, and each block read once', async () => {
    const decoded = new Set<string>();
    const { cells, cellAt } = TableReader.prototype;
    vi.spyOn(TableReader.prototype, 'cells').mockImplementation(function (this: TableReader, name) {
      decoded.add(name);
      return cells.call(this, name);
    });
    vi.spyOn(TableReader.prototype, 'cellAt').mockImplementation(function (this: TableReader, name, row) {
      decoded.add(name);
      return cellAt.call(this, name, row);
    });
    const looked = vi.spyOn(Block.prototype, 'rowsOf');
    expect(await insertResults(stored)).toEqual({ accepted: 0, duplicates: stored.length });
    expect(decoded).toEqual(new Set(['t:started_at', 'x:id', 'u:vantage_id', 'i:variant']));
    // Behind COPY, and when what is there already is left out.
    expect(looked).toHaveBeenCalledTimes(2 * TARGETS);
    looked.mockClear();
    expect((await reusedIds(stored)).size).toBe(0);
    expect(looked).toHaveBeenCalledTimes(TARGETS);
  });
});

describe('an export of very many targets', () => {
  it('has some of their blocks unpacked at a time, and says the same as one of each', async () => {
    const live = countUnpacked();
    const all = await exported({}).finally(live.restore);
    const most = live.most();
    expect(most).toBeLessThanOrEqual(MOST_UNPACKED + COUNTED_EVERY);
    expect(most).toBeGreaterThan(MOST_UNPACKED / 2);
    expect(all.length).toBeGreaterThanOrEqual(stored.length);
    const single = (await Promise.all(targets.slice(0, 5).map((target) => exported({ target })))).flat();
    expect(single.filter((line) => !all.includes(line))).toEqual([]);
    expect(all).toEqual(all.toSorted((a, b) => (startOf(a) < startOf(b) ? 1 : -1)));
  });
});

const startOf = (line: string) => `${JSON.parse(line).startedAt} ${JSON.parse(line).id}`;

async function exported(fields: Record<string, string>): Promise<string[]> {
  let text = '';
  for await (const piece of await streamResults(ResultsQuery.parse(fields), 'ndjson')) text += piece;
  return text.split('\n').filter(Boolean);
}

/** Garbage is collected whenever so many more blocks were unpacked. */
const COUNTED_EVERY = 32;

/** Counts the unpacked blocks that something still holds. */
function countUnpacked(): { most: () => number; restore: () => void } {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const names = Object.getOwnPropertyDescriptor(TableReader.prototype, 'names') as PropertyDescriptor;
  const unpacked: WeakRef<TableReader>[] = [];
  let most = 0;
  const count = () => {
    collect();
    most = Math.max(most, unpacked.filter((each) => each.deref() !== undefined).length);
  };
  // Each block asks for these once, when it is unpacked. No spy: one keeps what it was called on.
  Object.defineProperty(TableReader.prototype, 'names', {
    ...names,
    get(this: TableReader) {
      if (unpacked.push(new WeakRef(this)) % COUNTED_EVERY === 0) setImmediate(count);
      return names.get?.call(this);
    },
  });
  return { most: () => most, restore: () => Object.defineProperty(TableReader.prototype, 'names', names) };
}
