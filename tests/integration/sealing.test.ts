import { fork } from 'node:child_process';
import { once } from 'node:events';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RuleOf } from '#contract/alert-rule.ts';
import { ResultsQuery } from '#contract/query.ts';
import type { StorableResult } from '#contract/result.ts';
import { Block, type StoredBlock } from '#server/blocks/pack.ts';
import { thinOldDays } from '#server/blocks/rare-results.ts';
import type { Cursor } from '#server/blocks/scan.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { dropOldPartitions } from '#server/database/partitions.ts';
import { measuredLevels } from '#server/detection/levels.ts';
import { countSamples, oldestSample, readSamples } from '#server/detection/read-samples.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { causeCandidates } from '#server/incidents/candidates.ts';
import { failuresOfIncidents } from '#server/incidents/failure.ts';
import { recoveredCells } from '#server/incidents/rollback.ts';
import { cellOf, type IncidentRecord } from '#server/incidents/stored-incident.ts';
import { reusedIds } from '#server/ingest/ids.ts';
import { unboundRedirects } from '#server/ingest/redirects.ts';
import { startOfInstant } from '#server/results/cursor.ts';
import { resolveFilter } from '#server/results/filter.ts';
import { insertBatch } from '#server/results/insert.ts';
import { getResultAndFollowers, getRun, listResults } from '#server/results/results.ts';
import { searchRows } from '#server/results/search.ts';
import { streamResults } from '#server/results/stream.ts';
import { readRanges } from '#server/rollups/read.ts';
import { drainRollups, logMinutes } from '#server/rollups/rollups.ts';
import { judgeCertificate } from '#server/rules/certificate.ts';
import { judgeSilent } from '#server/rules/silent.ts';
import { isLong } from '../support/extent.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;
const day = Math.floor(WEDNESDAY / DAY) * DAY;
/** On a busy machine. */
const SLOW_MS = 240_000;
/** When TLS takes longer, and the ALPN is another. */
const CHANGE = day + 30 * MINUTE;
/** Long enough after the days of the results. */
const END = day + 3 * DAY;
const vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom'), makeVantage('CN-SH', 'mobile')];

let targets: string[];
let stored: StorableResult[];
let before: Awaited<ReturnType<typeof everything>>;
prepareTestDatabase(vantages);
beforeAll(async () => {
  targets = [await insertTarget({ name: 'one' }), await insertTarget({ name: 'two' })];
  stored = targets
    .flatMap((targetId, target) =>
      vantages.flatMap((vantage, place) =>
        Array.from({ length: target === 0 ? 400 : 100 }, (_, n) =>
          resultAt(targetId, vantage, day - 20 * MINUTE + n * 12_000 + place * 701 + target, n),
        ),
      ),
    )
    .flat();
  await insertResults(stored);
  await assignAll();
  const longAgo = new Date(day - 9 * DAY);
  await getPool().query('update prober set created_at = $1', [longAgo]);
  await getPool().query('update target set updated_at = $1', [longAgo]);
  before = await everything();
}, SLOW_MS);

/** Now and then one that failed, was unclean, or is followed by another handshake. */
function resultAt(
  targetId: string,
  vantage: (typeof vantages)[number],
  startedAt: number,
  n: number,
): StorableResult[] {
  const made = makeResult({
    targetId,
    vantage,
    startedAt,
    tls: (startedAt < CHANGE ? 20 : 45) + ((n * 7919) % 1_000) / 31,
  });
  if (made.tls && startedAt >= CHANGE) made.tls = { ...made.tls, alpn: 'http/1.1' };
  if (n % 50 === 7) {
    const failure = { phase: 'tls', reason: 'tls_reset', source: 'target', message: `reset ${n}` } as const;
    return [{ ...made, ok: false, failure }];
  }
  if (n % 40 === 3) return [{ ...made, prober: { ...made.prober, clean: false } }];
  if (n % 30 !== 5) return [made];
  const follower = makeResult({ targetId, vantage, startedAt: startedAt + 400, tls: 11.5 });
  return [made, { ...follower, variant: 'resumed', mainId: made.id }];
}

const query = (fields: Record<string, string>) => ResultsQuery.parse(fields);

async function everyPage(fields: Record<string, string>): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, nextCursor } = await listResults(query({ ...fields, ...(cursor ? { cursor } : {}) }));
    pages.push(...data);
    cursor = nextCursor;
  }
  return pages;
}

async function exported(fields: Record<string, string>, format: 'csv' | 'ndjson'): Promise<string> {
  let text = '';
  for await (const piece of await streamResults(query(fields), format)) text += piece;
  return text;
}

/** What all readers of results say. */
async function everything() {
  const [target = '', other = ''] = targets;
  const [vantage] = vantages;
  const followed = stored.find(({ variant }) => variant === 'resumed');
  const single = await Promise.all(stored.filter((_, n) => n % 150 === 0).map(({ id }) => getResultAndFollowers(id)));
  const run = followed && (await getRun(await getResultAndFollowers(followed.id)));
  const from = (day - HOUR) / 1_000;
  return {
    all: await everyPage({ limit: '1000' }),
    small: (await listResults(query({ limit: '70', target, to: new Date(day).toISOString() }))).data,
    ofVantage: await everyPage({ limit: '300', vantage: vantage?.id ?? '' }),
    ofCarrier: await everyPage({ limit: '400', carrier: 'unicom', target: other }),
    failed: await everyPage({ limit: '25', ok: 'false' }),
    good: await everyPage({ limit: '999', ok: 'true', target }),
    resumed: await everyPage({ limit: '60', variant: 'resumed' }),
    ranged: await everyPage({
      limit: '310',
      from: new Date(day - 10 * MINUTE).toISOString(),
      to: new Date(day + 20 * MINUTE).toISOString(),
    }),
    followers: (await listResults(query({ mainId: followed?.mainId ?? '' }))).data,
    csv: await exported({ target }, 'csv'),
    ndjson: await exported({}, 'ndjson'),
    named: await everyPage({ limit: '7', ids: single.map(({ id }) => id).join(',') }),
    single,
    run,
    samples: await readSamples(from, from + 2 * 3_600),
    count: await countSamples(from, from + 2 * 3_600),
    oldest: await oldestSample((day - DAY) / 1_000),
    ...(await judged()),
    minutes: await minutes(),
    times: await timesStored(),
  };
}

/** What detection, incidents and rules read of results. */
async function judged() {
  const [targetId = ''] = targets;
  const cells = vantages.map((vantage) => cellAt(targetId, vantage.id));
  // Of an incident no more is read than this.
  const incident = { targetId, cells, onsetAt: new Date(CHANGE) } as unknown as IncidentRecord;
  const spans = (['tls', 'failures'] as const).flatMap((metric) =>
    vantages.map(({ id }) => ({
      targetId,
      vantageId: id,
      metric,
      changeAt: CHANGE / 1_000,
      at: CHANGE / 1_000 + 1_500,
    })),
  );
  const asked = { targetIds: [], vantageIds: [], regions: [], carriers: [] };
  const rule = { ...asked, params: { days: 89 } } as unknown as RuleOf<'certificate'>;
  const { broken } = await judgeCertificate(rule, new Date(CHANGE));
  const silent = { ...asked, params: { periods: 5 } } as unknown as RuleOf<'silent'>;
  const { healthy } = await judgeSilent(silent, new Date(day + HOUR), new Date(day));
  return {
    levels: await measuredLevels(spans),
    candidates: await causeCandidates([{ cells, onsetAt: new Date(CHANGE) }]),
    failure: await failuresOfIncidents([incident], new Date(day + DAY)),
    back: await recoveredCells(
      cells.map((cell) => ({
        ...cell,
        at: instant(CHANGE - DAY),
        changeAt: instant(CHANGE - DAY - HOUR),
        beforeMs: 20,
        afterMs: 90,
      })),
      { before: CHANGE / 1_000 - 60, position: CHANGE / 1_000 + 60 },
      END,
    ),
    certificates: broken.map(({ key, evidence }) => ({ key, evidence })),
    healthy,
    last: (await listTargetSummaries()).map(({ id, lastResultAt }) => ({ id, lastResultAt })),
  };
}

const instant = (ms: number) => new Date(ms).toISOString();

const cellAt = (targetId: string, vantageId: string) =>
  cellOf({ targetId, vantageId, kind: 'regression', metric: 'tls', at: new Date(CHANGE) });

const countOf = async (sql: string) => (await getPool().query<{ n: number }>(`select (${sql})::int as n`)).rows[0]?.n;

/** Every result that is stored, rows and sealed ones, by id: how often. */
async function timesStored(): Promise<Map<string, number>> {
  const { rows } = await getPool().query<{ id: string }>('select id from result');
  const blocks = await getPool().query<StoredBlock>('select target_id, codec, ids, data from result_block');
  const sealed = blocks.rows.flatMap((row) => {
    const block = new Block(row);
    return Array.from({ length: block.rows }, (_, at) => block.idAt(at));
  });
  const times = new Map<string, number>();
  for (const id of [...rows.map((row) => row.id), ...sealed]) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}

/** Minutes of both targets, as the rollups have them. */
async function minutes() {
  await drainRollups({ settled: true });
  const range = { from: (day - HOUR) / 1_000, to: (day + 2 * HOUR) / 1_000, step: 60, metric: 'tls' as const };
  const cells = await readRanges(targets.map((targetId) => ({ targetId, groups: null, ...range })));
  return cells.map((own) => own.toSorted((a, b) => a.slot - b.slot));
}

/** Has every minute of these computed anew. */
const recompute = (results: StorableResult[]) =>
  inTransaction((client) =>
    logMinutes(
      client,
      results.filter(({ variant = 'main' }) => variant === 'main'),
    ),
  );

/** A process that seals, and ends by SIGKILL where a step comes for the nth time. */
async function killedAt(step: string, nth: number, now = END): Promise<void> {
  const child = fork('tests/support/seal-child.ts', [String(now), step, String(nth)], {
    env: { ...process.env, LOG_LEVEL: 'error' },
    execArgv: [],
  });
  const [, signal] = await once(child, 'exit');
  expect(signal, `${step} ${nth}`).toBe('SIGKILL');
  // PostgreSQL lets its locks go once it sees that the process is gone: until then senders are told to come again.
  await expect
    .poll(() => countOf(`select count(*) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'`))
    .toBe(0);
}

/** How a result is refused whose day is being sealed. */
const SENT_LATER = {
  by: 'sealing',
  message: 'is of a day that is over and being packed at the moment: send it again later',
  retry: true,
};

const sizeOf = (answer: unknown): number => {
  if (typeof answer === 'number') return answer;
  return answer instanceof Set || answer instanceof Map ? answer.size : Object.values(answer ?? {}).flat().length;
};

describe('sealing', () => {
  it.runIf(isLong)(
    'leaves all as it was where its process is killed, at every step',
    async () => {
      // There are two days; the first is sealed where the second is locked.
      const steps: [string, number][] = [
        ['locked', 1],
        ['packed', 1],
        ['truncated', 1],
        ['attached', 1],
        ['locked', 2],
        ['packed', 1],
      ];
      for (const [step, nth] of steps) {
        await killedAt(step, nth);
        expect(await exported({}, 'ndjson'), step).toBe(before.ndjson);
      }
      expect(await timesStored()).toEqual(before.times);
      expect(await countOf('select count(*) from result where ok')).toBeGreaterThan(0);
      expect(await countOf('select count(*) from result_block')).toBeGreaterThan(0);
    },
    SLOW_MS,
  );

  it(
    'changes no answer',
    async () => {
      expect(before.all).toHaveLength(stored.length);
      // Nothing of it is empty: two empty answers would be equal too.
      for (const [name, answer] of Object.entries(before)) expect(sizeOf(answer), name).toBeGreaterThan(0);
      expect(before.levels[0]?.after).toBeGreaterThan(1.5 * (before.levels[0]?.before ?? Infinity));
      await sealDays(END);
      const good = stored.filter(({ ok }) => ok).length;
      expect(await countOf('select count(*) from result where ok')).toBe(0);
      expect(await countOf('select count(*) from result')).toBe(stored.length - good);
      expect(await countOf('select count(*) from result_evidence')).toBe(stored.length - good);
      expect(await countOf('select sum(count) from result_block')).toBe(good);
      await recompute(stored);
      expect(await everything()).toEqual(before);
    },
    SLOW_MS,
  );

  it('has nothing to do where all is sealed', async () => {
    expect(await sealDays(END)).toBe(0);
  });

  it('leaves what is sealed a duplicate, and its id another result cannot have', async () => {
    expect(await insertResults(stored)).toEqual({ accepted: 0, duplicates: stored.length });
    const [first] = stored;
    if (!first) throw new Error('nothing is stored');
    const again = { ...first, startedAt: new Date(Date.parse(first.startedAt) + 5_000).toISOString() };
    const elsewhere = { ...first, targetId: targets[1] ?? '' };
    expect([...(await reusedIds([again])).values()]).toMatchObject([{ id: first.id, field: 'id' }]);
    expect([...(await reusedIds([elsewhere])).values()]).toMatchObject([{ id: first.id, field: 'id' }]);
    expect((await reusedIds(stored.slice(0, 300))).size).toBe(0);
  });

  it('lets a redirect follow a main result that is sealed', async () => {
    const main = stored.find(({ ok, variant = 'main' }) => ok && variant === 'main');
    if (!main) throw new Error('nothing is stored');
    const { targetId, vantage } = main;
    const redirect = (mainId: string, at = targetId): StorableResult => ({
      ...makeResult({ targetId: at, vantage, startedAt: Date.parse(main.startedAt) + 900 }),
      variant: 'redirect',
      mainId,
    });
    expect((await unboundRedirects([redirect(main.id)])).size).toBe(0);
    expect((await unboundRedirects([redirect(v7({ msecs: day }))])).size).toBe(1);
    expect((await unboundRedirects([redirect(main.id, targets[1])])).size).toBe(1);
  });

  it.runIf(isLong)(
    'takes late results as rows, counts them in their minutes, and packs them at any crash exactly once',
    async () => {
      const [targetId = ''] = targets;
      const late = vantages.flatMap((vantage, place) =>
        Array.from({ length: 40 }, (_, n) =>
          makeResult({ targetId, vantage, startedAt: day + n * MINUTE + 999 + place }),
        ),
      );
      const was = await minutes();
      expect(await insertResults([...late, ...stored])).toEqual({ accepted: late.length, duplicates: stored.length });
      const all = await exported({}, 'ndjson');
      const seen = await minutes();
      const total = (cells: typeof was) => cells.flat().reduce((sum, { summary }) => sum + summary.total, 0);
      expect(total(seen)).toBe(total(was) + late.length);
      for (const [step, nth] of [
        ['deleted', 1],
        ['moved', 1],
      ] as const) {
        await killedAt(step, nth);
        expect(await exported({}, 'ndjson'), step).toBe(all);
        expect(await countOf('select count(*) from result where ok')).toBe(late.length);
      }
      expect(await sealDays(END)).toBe(late.length);
      expect(await countOf('select count(*) from result where ok')).toBe(0);
      expect(await exported({}, 'ndjson')).toBe(all);
      expect(await insertResults(late)).toEqual({ accepted: 0, duplicates: late.length });
      await recompute([...stored, ...late]);
      expect(await minutes()).toEqual(seen);
    },
    SLOW_MS,
  );

  it(
    'refuses for now what comes, new or again, while its day is being sealed, stores the rest, and counts each result once',
    async () => {
      const [targetId = '', other = ''] = targets;
      const [vantage] = vantages;
      if (!vantage) throw new Error('no vantage');
      const next = day + 5 * DAY;
      const made = [targetId, other].flatMap((target) =>
        Array.from({ length: 60 }, (_, n) => makeResult({ targetId: target, vantage, startedAt: next + n * MINUTE })),
      );
      await insertResults(made);
      const allowance = { strings: 1_000, certificates: 1_000 };
      const news: StorableResult[] = [];
      await sealDays(next + 2 * DAY, {
        step: async () => {
          const fresh = makeResult({ targetId, vantage, startedAt: next + HOUR + news.length });
          const ofToday = makeResult({ targetId, vantage, startedAt: Date.now() });
          news.push(fresh);
          const came = await insertBatch([fresh, ...made, ofToday], allowance);
          expect(came.fresh).toEqual([ofToday]);
          expect([...came.refused.values()]).toEqual(
            Array.from(came.refused.values(), ({ id }) => ({ ...SENT_LATER, id })),
          );
          expect(came.refused.size).toBe(1 + made.length);
        },
      });
      expect(news.length).toBeGreaterThan(4);
      // As probers do, which keep what is refused for now.
      for (let time = 0; time < 2; time++)
        expect(await insertResults([...news, ...made])).toEqual({
          accepted: time === 0 ? news.length : 0,
          duplicates: made.length + (time === 0 ? 0 : news.length),
        });
      const times = await timesStored();
      expect([...made, ...news].map(({ id }) => times.get(id))).toEqual([...made, ...news].map(() => 1));
      expect(await sealDays(next + 2 * DAY)).toBe(news.length);
      expect(await countOf(`select count(*) from result where ok and started_at < '${instant(next + DAY)}'`)).toBe(0);
      expect(new Set((await timesStored()).values())).toEqual(new Set([1]));
      await getPool().query('delete from result where started_at >= $1', [new Date(Date.now() - HOUR)]);
    },
    SLOW_MS,
  );

  it(
    'takes what comes for a day that was left half packed',
    async () => {
      const [targetId = ''] = targets;
      const [vantage] = vantages;
      if (!vantage) throw new Error('no vantage');
      const next = day + 7 * DAY;
      const made = Array.from({ length: 30 }, (_, n) =>
        makeResult({ targetId, vantage, startedAt: next + n * MINUTE }),
      );
      await insertResults(made.slice(0, 20));
      await killedAt('packed', 1, next + 2 * DAY);
      expect(await insertResults(made)).toEqual({ accepted: 10, duplicates: 20 });
      await killedAt('truncated', 1, next + 2 * DAY);
      expect(await sealDays(next + 2 * DAY)).toBe(30);
      expect(await insertResults(made)).toEqual({ accepted: 0, duplicates: 30 });
    },
    SLOW_MS,
  );

  it('is searched as far as there is time, and from there on', async () => {
    const filter = await resolveFilter(query({ vantage: vantages[1]?.id ?? '', ok: 'true' }));
    const whole = await searchRows(filter, null, 10_000, SLOW_MS);
    const stops: number[] = [];
    const found: string[] = [];
    for (let after: Cursor | null = null; ; ) {
      // No time at all: as far as it goes at the least.
      const { rows, searchedUntil } = await searchRows(filter, after, 10_000, 0);
      found.push(...rows.map(({ id }) => id));
      if (searchedUntil === null) break;
      stops.push(searchedUntil);
      after = startOfInstant(searchedUntil);
    }
    expect(found).toEqual(whole.rows.map(({ id }) => id));
    expect(stops.length).toBeGreaterThan(1);
    expect(stops).toEqual([...new Set(stops)].sort((x, y) => y - x));
  });

  it('says of a block that a newer version wrote what is wrong, and no half of an answer', async () => {
    const sealed = stored.find(({ ok }) => ok)?.id ?? '';
    await getPool().query('update result_block set codec = 99');
    await expect(getResultAndFollowers(sealed)).rejects.toThrow('is written in form 99; this version reads 1');
    await expect(listResults(query({}))).rejects.toThrow('is written in form 99');
    await getPool().query('update result_block set codec = 1');
  });

  it('ends with the retention of results, but for those that failed', async () => {
    expect(await countOf('select count(*) from result_block')).toBeGreaterThan(0);
    const failed = await everyPage({ limit: '1000', ok: 'false' });
    expect(await thinOldDays(day + 60 * DAY)).toHaveLength(4);
    expect(await dropOldPartitions(day + 60 * DAY)).not.toContainEqual(expect.stringMatching(/^result/));
    expect(await countOf('select count(*) from result_block')).toBe(0);
    expect(await everyPage({ limit: '1000' })).toEqual(failed);
    expect(failed.length).toBeGreaterThan(20);
    const dropped = await dropOldPartitions(day + 120 * DAY);
    expect(dropped.filter((name) => name.startsWith('result_block_p'))).toHaveLength(4);
    expect((await listResults(query({}))).data).toEqual([]);
  });
});
