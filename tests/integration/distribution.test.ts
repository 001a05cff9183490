import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Distribution, DistributionQuery } from '#contract/distribution.ts';
import { queryDistribution, readDistribution } from '#server/figures/distribution.ts';
import { readPlaces } from '#server/vantages/labels.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { storeTwoPlaces } from '../support/two-places.ts';

const HOUR = 3_600_000;
const iso = (offsetMs: number) => new Date(WEDNESDAY + offsetMs).toISOString();

let target: { id: string; demo: boolean };
prepareTestDatabase();
beforeAll(async () => {
  // One hour of 20 ms in Beijing and 30 in Guangdong, then one of 40 and 60: each minute.
  const instants = Array.from({ length: 120 }, (_, minute) => WEDNESDAY + minute * 60_000 + 500);
  target = await storeTwoPlaces(instants, (at, place) => (at < WEDNESDAY + HOUR ? 10 : 20) * (place + 2));
});

const metric = { metric: 'tls', variant: 'main' } as const;
const secondHour = { ...metric, from: iso(HOUR), to: iso(2 * HOUR) };

/** The shares that are not 0, by what a bin reaches up to. */
const shown = (edges: number[], shares: number[]) =>
  shares.flatMap((share, bin) => (share > 0 ? [[Math.round(edges[bin + 1] ?? 0), share]] : []));

describe('the distribution of a range', () => {
  it('stands beside that of the window before it, in the same bins', async () => {
    const { edges, now, before } = await readDistribution(target, secondHour, await readPlaces({}));
    expect([before.from, before.to, now.from, now.to]).toEqual([iso(0), iso(HOUR), iso(HOUR), iso(2 * HOUR)]);
    expect(now).toMatchObject({ n: 120, p50: expect.closeTo(40, 0), p95: expect.closeTo(60, 0) });
    expect(before).toMatchObject({ n: 120, p50: expect.closeTo(20, 0), p95: expect.closeTo(30, 0) });
    expect(edges.length).toBeLessThanOrEqual(49);
    expect(shown(edges, now.shares).map(([, share]) => share)).toEqual([0.5, 0.5]);
    expect(shown(edges, before.shares).map(([, share]) => share)).toEqual([0.5, 0.5]);
    expect(shown(edges, before.shares)[0]?.[0]).toBeLessThan(22);
    expect(shown(edges, now.shares)[1]?.[0]).toBeGreaterThanOrEqual(60);
  });

  it('is of the places that a filter selects', async () => {
    const places = await readPlaces({ region: ['CN-GD'] });
    const { now, before } = await readDistribution(target, secondHour, places);
    expect([now.n, before.n]).toEqual([60, 60]);
    expect(now.p50).toBeCloseTo(60, 0);
  });

  it('has nothing beside it where nothing was measured before, and no bins where nothing was at all', async () => {
    const places = await readPlaces({});
    const first = await readDistribution(target, { ...metric, from: iso(0), to: iso(HOUR) }, places);
    expect([first.now.n, first.before]).toMatchObject([120, { n: 0, p50: null, p95: null }]);
    const empty = await readDistribution(target, { ...metric, from: iso(9 * HOUR), to: iso(10 * HOUR) }, places);
    expect(empty).toMatchObject({ edges: [], now: { n: 0, shares: [] }, before: { n: 0, shares: [] } });
  });

  it('is answered by the API under the same filters, of a duration alone', async () => {
    const query = DistributionQuery.parse({ target: target.id, region: 'CN-GD', from: iso(HOUR), to: iso(2 * HOUR) });
    const answer = await queryDistribution(query);
    expect(answer).toEqual(await readDistribution(target, secondHour, await readPlaces({ region: ['CN-GD'] })));
    expect(Distribution.parse(answer).now.n).toBe(60);
    expect(DistributionQuery.safeParse({ target: target.id, metric: 'roundTrips' }).success).toBe(false);
    const unknown = { code: 'not_found', fields: [{ field: 'target', message: 'is unknown' }] };
    await expect(queryDistribution({ ...query, target: randomUUID() })).rejects.toMatchObject(unknown);
  });
});
