import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Past } from '#analysis/detection/past.ts';
import { type Histogram, quantile } from '#analysis/histogram.ts';
import { getPool } from '#server/database/database.ts';
import { readPasts, type SeriesPast } from '#server/detection/past.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { DAY, detected, detectUntil, HOUR, noise } from '../support/detecting.ts';
import { extent, isLong } from '../support/extent.ts';
import { type Measured, rollUpHistory, writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

// What relearning reads is made here as it is in operation: results are rolled up, and then only what is to be told by them is left.

const PERIOD = extent(600, 300);
const END = FRIDAY / 1_000;
const beijing = makeVantage('CN-BJ', 'telecom');
const hubei = makeVantage('CN-HB', 'telecom');

let database: TestDatabase;
let targetId: string;
beforeEach(async () => {
  database = await testDatabase([beijing, hubei]);
  targetId = await insertTarget();
});
afterEach(() => database.drop());

/** By vantage and variant, what was measured when. */
type Known = Map<string, Map<number, Measured>>;

/** Eight days of two checks, one of which also offers sessions, and their rollups; `excess` of TLS time, ms. */
async function writePast(excess: (at: number) => number = () => 0): Promise<Known> {
  const known: Known = new Map();
  const noisy = noise(2);
  const write = async (vantage: typeof beijing, variant: string, from: number, measure: (at: number) => Measured) => {
    const values = new Map<number, Measured>();
    known.set(`${vantage.id} ${variant}`, values);
    await writeHistory([{ targetId, vantage }], { from, to: END, period: PERIOD }, (_, at) => {
      const measured = measure(at);
      values.set(at, measured);
      return measured;
    });
  };
  const usual = (at: number) => ({ rtt: noisy(40), tls: noisy(45) + excess(at) });
  await write(beijing, '', END - 8 * DAY, usual);
  // Every tenth of its probes fails on the last day.
  const fails = (at: number) => at >= END - DAY && (at / PERIOD) % 10 === 0;
  await write(hubei, '', END - 8 * DAY, (at) => ({ ...usual(at), ok: !fails(at) }));
  await write(hubei, 'resumed', END - DAY, () => ({ rtt: noisy(40), tls: noisy(12), refused: false }));
  await rollUpHistory();
  return known;
}

const keep = (since: number) => getPool().query('delete from result where started_at < to_timestamp($1)', [since]);

const exactly = (ms: number) => Math.round(ms * 1_000) / 1_000;
const inHalfHour = (values: Map<number, Measured>, slot: number, slots = 1) =>
  [...values].filter(
    ([at, { ok }]) => ok !== false && Math.floor(at / 1_800) >= slot && Math.floor(at / 1_800) < slot + slots,
  );
const middleOf = (values: number[]) => values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? Number.NaN;

describe('what relearning reads of real rollups', { timeout: 300_000 }, () => {
  it('is each value of 26 hours, half hours of tens up to 80 hours back, and before these two of each hour', async () => {
    const known = await writePast();
    // Results tell of the last two hours alone, of which there are no rollups.
    await keep(END - 2 * HOUR);
    await getPool().query(
      ['minute', 'ten', 'hour']
        .map((tier) => `delete from rollup_${tier} where bucket >= to_timestamp(${END - 2 * HOUR})`)
        .join(';'),
    );
    const found = new Map<string, Past>();
    for await (const { vantage, variant, past } of readPasts(END, 8 * 24) as AsyncIterable<SeriesPast>)
      found.set(`${vantage.id} ${variant ?? ''}`, past);
    expect([...found.keys()].toSorted()).toEqual([...known.keys()].toSorted());

    for (const [key, values] of known) {
      const { samples, halfHours } = found.get(key) as Past;
      const newest = [...values].filter(
        ([at, { ok }]) => at >= END - 26 * HOUR && (ok !== false || at >= END - 2 * HOUR),
      );
      expect(samples.map(({ timestamp }) => timestamp)).toEqual(newest.map(([at]) => at));
      const measured = samples.filter(({ ok }) => ok);
      const succeeded = newest.filter(([, { ok }]) => ok !== false);
      expect(measured.map(({ tls }) => tls)).toEqual(succeeded.map(([, { tls }]) => exactly(tls)));
      if (key.endsWith('resumed')) continue;
      expect(measured.map(({ tcp }) => tcp)).toEqual(succeeded.map(([, { rtt }]) => exactly(rtt)));
      expect(measured.map(({ firstByte }) => firstByte)).toEqual(
        succeeded.map(([, { rtt }]) => exactly(exactly(rtt) + 10)),
      );

      const slots = halfHours.map(({ slot }) => slot);
      expect([slots.length, slots[0], slots.at(-1)]).toEqual([
        (8 * 24 - 26) * 2,
        (END - 8 * DAY) / 1_800,
        (END - 26 * HOUR) / 1_800 - 1,
      ]);
      for (const { slot, tls, tcp } of halfHours) {
        const isOfTen = slot * 1_800 >= END - 80 * HOUR;
        // Of an hour: its two half hours have the same.
        const some = isOfTen ? inHalfHour(values, slot) : inHalfHour(values, slot - (slot % 2), 2);
        expect([tls?.count, tcp?.count]).toEqual([some.length, some.length]);
        const tlsMiddle = middleOf(some.map(([, each]) => each.tls));
        expect(Math.abs((quantile(tls as Histogram, 0.5) ?? 0) / tlsMiddle - 1)).toBeLessThan(0.011);
        const tcpMiddle = middleOf(some.map(([, each]) => each.rtt));
        expect(Math.abs((quantile(tcp as Histogram, 0.5) ?? 0) / tcpMiddle - 1)).toBeLessThan(0.011);
      }
    }
    const rateOf = (vantage: typeof beijing) => found.get(`${vantage.id} `)?.failureRate ?? Number.NaN;
    expect(rateOf(beijing)).toBe(0);
    expect(rateOf(hubei)).toBeGreaterThan(0.08);
    expect(rateOf(hubei)).toBeLessThan(0.12);
  });

  it.runIf(isLong)(
    'is enough to find what has just begun: a job that is far behind has the same spike as one that went through all',
    async () => {
      const since = END - 20 * 60;
      await writePast((at) => (at >= since ? 120 : 0));
      const spikes = async () =>
        (await detected())
          .filter(({ metric, at }) => metric === 'tls' && at.getTime() >= since * 1_000)
          .map(({ kind, vantageId, changeAt, cause }) => ({ kind, vantageId, changeAt, cause }))
          .toSorted((a, b) => (a.vantageId < b.vantageId ? -1 : 1));
      const inOrder = createDetectionJob();
      await detectUntil(inOrder, END + GRACE_SECONDS);
      await inOrder.close();
      const expected = await spikes();
      expect(expected.map(({ kind }) => kind)).toEqual(['spike', 'spike']);

      await getPool().query(
        'truncate detection, incident, detector_tick, detector_checkpoint, detector_status cascade',
      );
      // Of what is past there are the rollups alone, and a result that says how far it goes back.
      await getPool().query(
        `delete from result where started_at < to_timestamp($1)
        and started_at > (select min(started_at) + interval '1 hour' from result)`,
        [END - HOUR],
      );
      const far = createDetectionJob({ inOrderResults: 0 });
      await detectUntil(far, END + GRACE_SECONDS);
      await far.close();
      expect(await spikes()).toEqual(expected);
    },
  );
});
