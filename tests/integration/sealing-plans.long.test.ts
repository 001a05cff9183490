import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ResultsQuery } from '#contract/query.ts';
import type { StorableResult } from '#contract/result.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { readSamples } from '#server/detection/read-samples.ts';
import { getResult, listResults } from '#server/results/results.ts';
import { nodesOf, sentDuring } from '../support/explained.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { makeResult } from '../support/results.ts';
import { DAY, SCENE_VANTAGES, SLOW_MS, type StoredScene, storedScene } from '../support/stored-scene.ts';

// How PostgreSQL reads thirty sealed days: along indexes, and no more days than a question is about. The days are small, so it
// is told not to read tables from end to end where there is another way: it would rather.

const DAYS = 30;
const today = Math.floor(WEDNESDAY / DAY) * DAY;
vi.setConfig({ testTimeout: SLOW_MS, hookTimeout: SLOW_MS });
const vantages = SCENE_VANTAGES;

let database: StoredScene['database'];
let targets: string[];
let stored: StorableResult[];
beforeAll(async () => {
  const failure = { phase: 'tls', reason: 'tls_reset', source: 'target', message: '' } as const;
  ({ database, targets, stored } = await storedScene(['one', 'two'], (ids) =>
    Array.from({ length: DAYS }, (_, n) => today - n * DAY).flatMap((day) =>
      ids.flatMap((targetId) =>
        vantages.flatMap((vantage, place) =>
          Array.from({ length: 5 }, (_, n): StorableResult => {
            const made = makeResult({ targetId, vantage, startedAt: day + (n + 9) * 3_600_000 + place });
            return n === 3 ? { ...made, ok: false, failure } : made;
          }),
        ),
      ),
    ),
  ));
  await sealDays(today + 2 * DAY);
  await getPool().query('analyze');
  await getPool().query(
    `do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`,
  );
});
afterAll(() => database.drop());

type Read = { question: string; days: number; wholly: string[]; indexes: string[] };

/** Of each statement about results that `ask` sends: how many days it read, what from end to end, and along which indexes. */
async function readsOf(ask: () => Promise<unknown>): Promise<Read[]> {
  const sent = await sentDuring(ask);
  const questions = sent.filter(({ text }) => /^\s*select\b/.test(text) && /\bresult(_block|_evidence)?\b/.test(text));
  const reads: Read[] = [];
  for (const each of questions) {
    const nodes = (await nodesOf(each)).filter((node) => node['Actual Loops'] > 0);
    const ofResults = nodes.filter((node) => node['Relation Name']?.startsWith('result'));
    const days = new Set(ofResults.map((node) => node['Relation Name']?.slice(-8)));
    reads.push({
      question: each.text,
      days: days.size,
      wholly: ofResults.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? '') : [])),
      indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    });
  }
  return reads.filter(({ days }) => days > 0);
}

const list = (fields: Record<string, string>) => () => listResults(ResultsQuery.parse({ limit: '5', ...fields }));
const midway = new Date(today - 15 * DAY).toISOString();

describe('thirty sealed days', () => {
  it('are thirty partitions of blocks, and failed results in as many of rows', async () => {
    const { rows } = await getPool().query(`select (select count(*)::int from result_block) as blocks,
      (select count(*)::int from result) as failed, (select count(distinct tableoid)::int from result_block) as days`);
    expect(rows).toEqual([{ blocks: 2 * DAYS, failed: 4 * DAYS, days: DAYS }]);
  });

  // Six results are asked for; rows are the failed ones, two a day and target.
  it.each([
    ['of a target', () => list({ target: targets[0] ?? '', to: midway }), 4],
    ['of a vantage', () => list({ vantage: vantages[0]?.id ?? '', to: midway }), 2],
    ['of all targets', () => list({ to: midway }), 4],
    ['that succeeded', () => list({ ok: 'true', to: midway }), 2],
    ['of a range', () => list({ from: new Date(today - 16 * DAY).toISOString(), to: midway }), 2],
    [
      'of an hour, as samples',
      () => () => readSamples((today - 9 * DAY) / 1_000, (today - 9 * DAY) / 1_000 + 43_200),
      1,
    ],
  ] as const)('are searched a day at a time for results %s', async (_, ask, most) => {
    const reads = await readsOf(ask());
    expect(reads.some(({ question }) => question.includes('result_block'))).toBe(true);
    for (const { question, days, wholly } of reads) {
      expect(wholly, question).toEqual([]);
      expect(days, question).toBeLessThanOrEqual(most);
    }
  });

  it('are searched along the index of failed results for these', async () => {
    const reads = await readsOf(list({ ok: 'false', limit: '30', to: midway }));
    const rows = reads.filter(
      ({ question }) =>
        /from (result|\(select \* from result where .*\)) result\n/.test(question) && question.includes('not ok'),
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { question, wholly, indexes } of rows) {
      expect(wholly, question).toEqual([]);
      expect(indexes.every((name) => name.includes('target_id_started_at_id_vantage_id'))).toBe(true);
    }
  });

  it('are searched by the time in its id for one result', async () => {
    const one = stored.find(({ ok, startedAt }) => ok && startedAt < midway);
    const reads = await readsOf(() => getResult(one?.id ?? ''));
    const rows = reads.filter(({ question }) => question.includes('where r.id = any('));
    const blocks = reads.filter(({ question }) => question.includes('int8range'));
    expect([rows.length, blocks.length]).toEqual([1, 1]);
    for (const { question, wholly } of reads) expect(wholly, question).toEqual([]);
    expect(rows[0]?.days).toBeLessThanOrEqual(2);
    expect(rows[0]?.indexes.some((name) => name.includes('_id_idx'))).toBe(true);
    // No column says on which day a block with this id is: each day's index of ids is asked, and says no at once.
    expect(blocks[0]?.indexes.every((name) => name.includes('int8range') || name.includes('pkey'))).toBe(true);
  });
});
