import { describe, expect, it } from 'vitest';
import { MatrixQuery, ResultsQuery, SeriesQuery } from '#contract/query.ts';
import type { StorableResult } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { getResultAndFollowers, getRun, listResults } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
prepareTestDatabase([vantage]);

const HOUR = 3_600_000;
const base = WEDNESDAY;

type Follower = Exclude<StorableResult['variant'], 'main' | undefined>;

/** A main result and its followers, a second apart. */
function makeRun(targetId: string, seconds: number, followers: Follower[]): [StorableResult, ...StorableResult[]] {
  const at = (offset: number, tls: number) =>
    makeResult({ targetId, vantage, startedAt: base + (seconds + offset) * 1_000, tls });
  const main = at(0, 30);
  return [main, ...followers.map((variant, index) => ({ ...at(index + 1, 900), variant, mainId: main.id }))];
}

const failed = (result: StorableResult): StorableResult => ({
  ...result,
  ok: false,
  failure: { phase: 'tls', reason: 'tls_timeout', source: 'target', message: '' },
});

async function counts(targetId: string): Promise<unknown> {
  const columns = 'coalesce(sum(total), 0)::int as total, coalesce(sum(ok), 0)::int as ok';
  const { rows } = await getPool().query(
    `select ${columns} from rollup_minute where target_id = $1
      union all select ${columns} from rollup_ten where target_id = $1
      union all select ${columns} from rollup_hour where target_id = $1
      union all select ${columns} from rollup_day where target_id = $1`,
    [targetId],
  );
  return rows;
}

const list = async (query: Record<string, string>) => (await listResults(ResultsQuery.parse(query))).data;

const day = { from: new Date(base).toISOString(), to: new Date(base + HOUR).toISOString() };

/** The value and count of TLS time of one kind of handshake over a range; undefined where there is no line. */
async function tlsOf(target: string, variant = 'main', stat = 'p50', range = day): Promise<unknown> {
  const { series } = await querySeries(SeriesQuery.parse({ target, variant, stat, ...range, step: '86400' }));
  const points = series[0]?.points ?? [];
  return points.find(([, , n]) => n > 0)?.slice(1);
}

describe('rollups', () => {
  it('keep the handshakes of a check apart: what follows a main one adds nothing to it, also when it fails', async () => {
    const targetId = await insertTarget();
    const [main, resumed, rsa, ecdsa, redirect] = makeRun(targetId, 0, ['resumed', 'rsa', 'ecdsa', 'redirect']);
    if (!resumed || !rsa || !ecdsa || !redirect) throw new Error('a follower is missing');
    await insertResults([main, resumed, failed(rsa), failed(ecdsa), redirect]);
    await drainRollups({ settled: true });
    expect(await counts(targetId)).toEqual([1, 2, 3, 4].map(() => ({ total: 4, ok: 2 })));
    expect(await tlsOf(targetId)).toEqual([30, 1]);
    expect(await tlsOf(targetId, 'resumed')).toEqual([900, 1]);
    expect(await tlsOf(targetId, 'rsa', 'availability')).toEqual([0, 1]);
    expect(await tlsOf(targetId, 'reuse')).toBeUndefined();
    const cells = await queryMatrix(
      MatrixQuery.parse({ target: targetId, variant: 'resumed', ...day, metric: 'tls', stat: 'mean' }),
    );
    expect(cells.margins.all).toMatchObject({ value: 900, n: 1 });
    expect(() => MatrixQuery.parse({ target: targetId, variant: 'redirect' })).toThrow('variant');
  });

  it('have the share of refused sessions, of handshakes that offered one alone', async () => {
    const targetId = await insertTarget();
    const refused = [true, false, false, true, true].flatMap((isRefused, index) => {
      const [main, resumed] = makeRun(targetId, 20 * index, ['resumed']);
      if (!main.tls || !resumed?.tls) throw new Error('a handshake is missing');
      return [
        { ...main, tls: { ...main.tls, resumed: false } },
        { ...resumed, tls: { ...resumed.tls, resumed: !isRefused } },
      ];
    });
    await insertResults(refused);
    const share = async (variant: string) => {
      const query = SeriesQuery.parse({
        target: targetId,
        variant,
        metric: 'refused',
        stat: 'mean',
        ...day,
        step: '86400',
      });
      const { series, unit } = await querySeries(query);
      return { unit, points: (series[0]?.points ?? []).filter(([, , n]) => n > 0).map(([, value, n]) => [value, n]) };
    };
    await drainRollups({ settled: true });
    expect(await share('resumed')).toEqual({ unit: 'share', points: [[0.6, 5]] });
    expect((await share('main')).points).toEqual([]);
  });

  it('of minutes that are still open are read from the results, each kind of handshake by itself', async () => {
    const targetId = await insertTarget();
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    const at = (variant: Follower | 'main', tls: number): StorableResult => {
      const made = makeResult({ targetId, vantage, startedAt: now - 1_000, tls });
      return { ...made, variant, tls: made.tls && { ...made.tls, resumed: false } };
    };
    await insertResults([at('main', 30), at('resumed', 10), at('redirect', 500)]);
    const open = { from: new Date(now - HOUR).toISOString(), to: new Date(now + 60_000).toISOString() };
    expect(await tlsOf(targetId, 'main', 'p50', open)).toEqual([30, 1]);
    expect(await tlsOf(targetId, 'resumed', 'p50', open)).toEqual([10, 1]);
    const asked = { target: targetId, variant: 'resumed', metric: 'refused', stat: 'mean', ...open, step: '86400' };
    const { series } = await querySeries(SeriesQuery.parse(asked));
    expect(series[0]?.points.filter(([, , n]) => n > 0).map(([, value]) => value)).toEqual([1]);
  });
  it('take a result without a variant for a main one', async () => {
    const targetId = await insertTarget();
    const { variant: _variant, mainId: _mainId, ...left } = makeRun(targetId, 0, [])[0];
    const old = { ...left, engineVersion: 1 };
    await insertResults([old]);
    await drainRollups({ settled: true });
    expect(await counts(targetId)).toEqual([1, 2, 3, 4].map(() => ({ total: 1, ok: 1 })));
    expect(await list({ target: targetId, variant: 'main' })).toEqual([{ ...old, mainId: null }]);
  });

  it('have nothing to do for a batch of redirects', async () => {
    const targetId = await insertTarget();
    await insertResults(makeRun(targetId, 0, ['redirect']).slice(1));
    const { rows } = await getPool().query('select count(*)::int as n from rollup_log where $1 = any(target_ids)', [
      targetId,
    ]);
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('the list of results', () => {
  it('has all variants, newest first, unless one is asked for', async () => {
    const targetId = await insertTarget();
    const run = makeRun(targetId, 0, ['resumed', 'rsa']);
    await insertResults(run);
    const ids = async (query: Record<string, string>) =>
      (await list({ target: targetId, ...query })).map(({ id }) => id);
    const [main, resumed, rsa] = run.map(({ id }) => id);
    expect(await ids({})).toEqual([rsa, resumed, main]);
    expect(await ids({ variant: 'all' })).toEqual([rsa, resumed, main]);
    expect(await ids({ variant: 'main' })).toEqual([main]);
    expect(await ids({ variant: 'resumed' })).toEqual([resumed]);
    expect(await ids({ variant: 'ecdsa' })).toEqual([]);
  });

  it('gives the followers of a main result, of it alone, under the other filters too', async () => {
    const targetId = await insertTarget();
    const first = makeRun(targetId, 0, ['resumed', 'rsa']);
    const second = makeRun(targetId, 10, ['resumed']);
    await insertResults([...first, ...second]);
    const ids = async (query: Record<string, string>) => (await list(query)).map(({ id }) => id);
    expect(await ids({ mainId: first[0].id })).toEqual([first[2]?.id, first[1]?.id]);
    expect(await ids({ mainId: first[0].id, variant: 'resumed' })).toEqual([first[1]?.id]);
    expect(await ids({ mainId: first[0].id, target: await insertTarget() })).toEqual([]);
    expect(await ids({ mainId: first[0].id, to: first[2]?.startedAt ?? '' })).toEqual([first[1]?.id]);
    expect(await ids({ mainId: makeRun(targetId, 50, [])[0].id })).toEqual([]);
  });

  it('names the variant in CSV, also where the result left it out', async () => {
    const targetId = await insertTarget();
    const [main, resumed] = makeRun(targetId, 0, ['resumed']);
    const { variant: _variant, ...old } = main;
    await insertResults([old, ...(resumed ? [resumed] : [])]);
    const query = ResultsQuery.parse({ target: targetId, format: 'csv' });
    let text = '';
    for await (const piece of await streamResults(query, 'csv')) text += piece;
    const [header = '', ...lines] = text.trim().split('\r\n');
    const column = header.split(',').indexOf('variant');
    // No field of a made result holds a comma but the issuer, which comes before in quotes.
    expect(lines.map((line) => line.replaceAll(/"[^"]*"/g, '').split(',')[column])).toEqual(['resumed', 'main']);
  });
});

describe('one result', () => {
  it('names its followers in their order, and none where none followed', async () => {
    const targetId = await insertTarget();
    const run = makeRun(targetId, 0, ['resumed', 'ecdsa']);
    await insertResults(run);
    const [main, ...followers] = run;
    expect((await getResultAndFollowers(main.id)).followers).toEqual(followers.map(({ id }) => id));
    expect(await getResultAndFollowers(followers[0]?.id ?? '')).toEqual(followers[0]);
  });

  it('comes with its whole run, whichever of it is asked for', async () => {
    const targetId = await insertTarget();
    const run = makeRun(targetId, 0, ['resumed', 'rsa']);
    await insertResults(run);
    for (const result of run) expect(await getRun(result)).toEqual(run);
  });

  it('stands alone where its main result is not there any more', async () => {
    const targetId = await insertTarget();
    const [, resumed] = makeRun(targetId, 0, ['resumed']);
    if (!resumed) throw new Error('no follower');
    await insertResults([resumed]);
    expect(await getRun(resumed)).toEqual([resumed]);
  });
});
