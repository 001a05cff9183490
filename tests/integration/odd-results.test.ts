import { fork } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ResultsQuery } from '#contract/query.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { thinOldDays } from '#server/blocks/rare-results.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { readRetention } from '#server/database/disk.ts';
import { dropOldPartitions } from '#server/database/partitions.ts';
import { changeRetention, wholeSince } from '#server/database/retention.ts';
import { deleteSetting } from '#server/database/settings.ts';
import { levelsOf, measuredLevels } from '#server/detection/levels.ts';
import { oldestSample } from '#server/detection/read-samples.ts';
import { recoveredCells } from '#server/incidents/rollback.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { getResult, listResults } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// Failed results, and those with a finding that is rare around them, outlive the others.

const DAY = 86_400_000;
const MINUTE = 60_000;
const day = Math.floor(WEDNESDAY / DAY) * DAY;
/** On a busy machine. */
const SLOW_MS = 240_000;
vi.setConfig({ testTimeout: SLOW_MS, hookTimeout: SLOW_MS });
/** From each vantage: one in a hundred fails, and one in a hundred has a rare finding. */
const EACH = 400;
const PAST_RAW = day + 40 * DAY;
const vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom')];

let stored: StorableResult[];
let odd: string[];
let targetId: string;
prepareTestDatabase(vantages);
beforeAll(async () => {
  targetId = await insertTarget();
  stored = vantages.flatMap((vantage, place) =>
    Array.from({ length: EACH }, (_, n) => resultAt(vantage, day + n * MINUTE + place, n)),
  );
  odd = stored.flatMap(({ id, ok, findings }) =>
    !ok || findings.some(({ code }) => code === 'chain_exceeds_window') ? id : [],
  );
  await insertResults(stored);
});

/** Each has a finding that all have, one in a hundred another one; one in a hundred failed. */
function resultAt(vantage: (typeof vantages)[number], startedAt: number, n: number): StorableResult {
  const made = makeResult({ targetId, vantage, startedAt });
  const finding = (code: 'chain_exceeds_window' | 'staple_missing') => ({
    code,
    severity: 'warning' as const,
    savesRoundTrips: 1,
    savesMs: 28,
    evidence: 'as seen',
  });
  made.findings = [finding('staple_missing'), ...(n % 100 === 50 ? [finding('chain_exceeds_window')] : [])];
  if (n % 100 !== 20) return made;
  return { ...made, ok: false, failure: { phase: 'tls', reason: 'tls_reset', source: 'target', message: 'reset' } };
}

const query = (fields: Record<string, string>) => ResultsQuery.parse(fields);

async function exported(): Promise<Map<string, string>> {
  let text = '';
  for await (const piece of await streamResults(query({}), 'ndjson')) text += piece;
  const lines = text.split('\n').filter(Boolean);
  const byId = new Map(lines.map((line) => [String(JSON.parse(line).id), line]));
  expect(byId.size).toBe(lines.length);
  return byId;
}

const countOf = async (sql: string) => (await getPool().query<{ n: number }>(`select (${sql})::int as n`)).rows[0]?.n;

describe('odd results', () => {
  it('are in blocks of their own once their day is sealed, and nothing is lost or twice', async () => {
    const before = await exported();
    expect(before.size).toBe(stored.length);
    await sealDays(day + 2 * DAY);
    expect(await countOf('select sum(count) from result_block where odd')).toBe(8);
    expect(await countOf('select sum(count) from result_block where not odd')).toBe(stored.length - 16);
    expect(await exported()).toEqual(before);
  });

  it('are left, all or none of the others gone, at a kill at each step', async () => {
    const before = await exported();
    expect(odd).toHaveLength(16);
    for (const step of ['set aside', 'truncated', 'written back']) {
      await killedAt(step);
      expect(await exported(), step).toEqual(before);
    }
    // Somebody reads the day: it is left for the next time.
    await inTransaction(async (reader) => {
      await reader.query('select from result_block limit 1');
      expect(await thinOldDays(PAST_RAW)).toEqual([]);
    });
    expect(await thinOldDays(day + 31 * DAY - 1)).toEqual([]);
    expect(await wholeSince(day - DAY, PAST_RAW - 30 * DAY)).toBe(day - DAY);
    expect(await thinOldDays(PAST_RAW)).toEqual([day]);
    expect(await thinOldDays(PAST_RAW)).toEqual([]);
    // A longer retention brings nothing back.
    await changeRetention({ rawDays: 365 });
    expect(await wholeSince(day - DAY, PAST_RAW)).toBe(day + DAY);
    await changeRetention({ rawDays: null });
    expect(await dropOldPartitions(PAST_RAW)).not.toContainEqual(expect.stringMatching(/^result/));
    expect(await exported()).toEqual(new Map([...before].filter(([id]) => odd.includes(id))));
  });

  it('are found one by one, in lists, and by what they are', async () => {
    for (const id of odd) expect((await getResult(id)).id).toBe(id);
    const gone = stored.find(({ id }) => !odd.includes(id));
    await expect(getResult(gone?.id ?? '')).rejects.toThrow('There is no result');
    const listed = async (fields: Record<string, string>) =>
      (await listResults(query({ limit: '1000', ...fields }))).data;
    expect((await listed({})).map(({ id }) => id).toSorted()).toEqual(odd.toSorted());
    expect(await listed({ ok: 'false' })).toHaveLength(8);
    expect(await listed({ ok: 'true', vantage: vantages[0]?.id ?? '' })).toHaveLength(4);
    expect(await listed({ ok: 'true', to: new Date(day + 60 * MINUTE).toISOString() })).toHaveLength(2);
  });

  it('tell detection nothing, which would take them for all there was', async () => {
    await changeRetention({ rawDays: 5 });
    expect(await oldestSample((day - DAY) / 1_000)).toBe(day / 1_000 + 20 * 60);
    const job = createDetectionJob();
    while (await job.step(day + 8 * DAY));
    await job.close();
    expect(await countOf('select count(*) from detector_tick')).toBe(0);
    expect(await countOf('select count(*) from incident')).toBe(0);
    await changeRetention({ rawDays: null });
  });

  it('are a class of retention of their own, with what they take', async () => {
    const { classes } = await readRetention(PAST_RAW);
    const of = (name: string) => classes.find((each) => each.name === name);
    expect(of('rawDays')).toMatchObject({ bytes: 0 });
    const bytes = of('oddDays')?.bytes ?? 0;
    expect(bytes).toBeGreaterThan(8_000);
    // Sixty days more than the others.
    expect(of('oddDays')).toMatchObject({ days: 90, bytesPerDay: bytes, bytesWhenFull: 60 * bytes });
  });

  it('are no level before or after a change, nor one that is back', async () => {
    await changeRetention({ rawDays: 1 });
    // The clock is set back: by then nothing was deleted.
    await deleteSetting('deleted_until');
    const [vantage] = vantages as [VantageRef];
    const id = { vantage: vantage.id, country: 'CN', region: 'r', carrier: 'c' };
    const change = { kind: 'spike', metric: 'tls', cause: 'server', effect: 0.3, page: true } as const;
    const group = { cause: 'server', target: targetId, changeAt: 0 } as const;
    const [at, changeAt] = [day / 1_000 + 300 * 60, day / 1_000 + 60 * 60];
    const detection = { ...change, ...id, group, target: targetId, at, changeAt };
    // As they would be of the day, were it whole.
    const [found] = await levelsOf([detection], day + DAY);
    expect(found).toMatchObject({ before: expect.any(Number), after: expect.any(Number) });
    expect(await levelsOf([detection], day + 3 * DAY)).toEqual([{ before: null, after: null }]);
    // From the middle of the night on: what came before is not known, what came after is.
    expect(await measuredLevels([{ ...detection, targetId, vantageId: vantage.id }], changeAt)).toMatchObject([
      { before: null, after: found?.after, peak: found?.after },
    ]);
    const cell = cellOf({
      ...{ targetId, vantageId: vantage.id, region: 'r', carrier: 'c', kind: 'regression', metric: 'tls' },
      ...{ at: new Date((at - 86_400) * 1_000), changeAt: new Date((changeAt - 86_400) * 1_000) },
      ...{ beforeMs: 29, afterMs: 100 },
    });
    const back = (now: number) => recoveredCells([cell], { before: at - 60, position: at + 60 }, now);
    // Odd ones alone are twenty in no hours: as many as it takes, here.
    await insertResults(
      Array.from({ length: 30 }, (_, n) => makeResult({ targetId, vantage, startedAt: day + (70 + n) * MINUTE + 7 })),
    );
    expect(await back(day + DAY)).toHaveLength(1);
    expect(await back(day + 3 * DAY)).toEqual([]);
    await changeRetention({ rawDays: null });
  });

  it('go with the retention of their class', async () => {
    expect(await dropOldPartitions(day + 91 * DAY - 1)).not.toContainEqual(expect.stringMatching(/^result/));
    const dropped = await dropOldPartitions(day + 91 * DAY);
    expect(dropped.filter((name) => name.startsWith('result'))).toHaveLength(3);
    expect((await listResults(query({}))).data).toEqual([]);
  });
});

describe('a day that was not sealed', () => {
  const next = day + DAY;
  const made = () => Array.from({ length: EACH }, (_, n) => resultAt(vantages[0] as VantageRef, next + n * MINUTE, n));

  it('stays as it was where its sealing fails', async () => {
    await insertResults(made());
    const before = await countOf('select count(*) from result');
    const step = (name: string) => {
      if (name === 'packed') throw new Error('a crash');
    };
    await expect(sealDays(next + 2 * DAY, { step })).rejects.toThrow('a crash');
    expect(await countOf('select count(*) from result')).toBe(before);
  });

  it('keeps its failed results alone when the others have had their time', async () => {
    const failed = (await countOf('select count(*) from result where not ok')) ?? 0;
    expect(failed).toBeGreaterThan(0);
    expect(await countOf('select count(*) from result where ok')).toBeGreaterThan(failed);
    expect(await thinOldDays(next + 31 * DAY - 1)).toEqual([]);
    expect(await thinOldDays(next + 31 * DAY)).toEqual([next]);
    expect(await countOf('select count(*) from result where ok')).toBe(0);
    expect(await countOf('select count(*) from result where not ok')).toBe(failed);
    expect(await countOf('select count(*) from result_evidence')).toBe(failed);
    expect(await thinOldDays(next + 31 * DAY)).toEqual([]);
  });
});

/** A process that thins, and ends by SIGKILL at a step. */
async function killedAt(step: string): Promise<void> {
  const child = fork('tests/support/thin-child.ts', [String(PAST_RAW), step], {
    env: { ...process.env, LOG_LEVEL: 'error' },
    execArgv: [],
  });
  const [, signal] = await once(child, 'exit');
  expect(signal, step).toBe('SIGKILL');
}
