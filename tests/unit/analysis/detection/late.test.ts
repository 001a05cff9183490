import { describe, expect, it } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { thaw } from '#analysis/detection/frozen.ts';
import { type HalfHours, isSpiked, slotValue, type Table } from '#analysis/detection/history/half-hours.ts';
import { halfHourCapacity } from '#analysis/detection/parameters.ts';
import { inTurns } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import type { CheckSample } from '#server/detection/read-samples.ts';
import { packLate, unpackLate } from '#server/detection/tick.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import { noise } from '../../../support/detecting.ts';

const START = 1_767_542_400;
const HALF_HOUR = 1_800;
const TABLES: Table[] = ['mean', 'low', 'middle', 'high', 'tcp', 'firstByte', 'think'];
const labels = {
  country: 'CN',
  city: null,
  carrier: 'c',
  asn: null,
  access: 'idc',
  demo: false,
  proberId: null,
  deleted: false,
  imported: false,
} as const;
const vantages = new Map(
  ['a', 'b'].map((id): [string, VantageLabels] => [id, { ...labels, id, name: id, region: id }]),
);
const noisy = noise(4);
/** Eight hours of two vantages, a probe a minute. */
const ALL: CheckSample[] = Array.from({ length: 480 }, (_, minute) =>
  ['a', 'b'].map((vantageId) => {
    const rtt = Math.round(noisy(40) * 1_000) / 1_000;
    const sample = { timestamp: START + 60 * minute, tcp: rtt, tls: rtt + 5, firstByte: rtt + 9, ok: true };
    return { targetId: 't', vantageId, sample };
  }),
).flat();
const within = ({ sample }: CheckSample, from: number, to: number) =>
  sample.timestamp >= START + from * HALF_HOUR && sample.timestamp < START + to * HALF_HOUR;
const SLOT = START / HALF_HOUR;

/** An engine that has consumed samples, half hour by half hour; of [from, to) those of one vantage are missing. */
function fed(missing?: { vantageId: string; from: number; to: number }): Engine {
  const engine = new Engine();
  for (let half = 0; half < 16; half++) {
    const some = ALL.filter(
      (each) =>
        within(each, half, half + 1) &&
        !(missing && each.vantageId === missing.vantageId && within(each, missing.from, missing.to)),
    );
    const range = { seq: half + 1, from: START + half * HALF_HOUR, to: START + (half + 1) * HALF_HOUR };
    consume(engine, engine.prepare(range, some, vantages));
  }
  return engine;
}

const consume = (engine: Engine, tick: Parameters<Engine['consumeTick']>[0]) => [...engine.consumeTick(tick)];

const halfHoursOf = (engine: Engine): HalfHours[] =>
  [...engine.state()].slice(1).map((piece) => thaw<{ halfHours: HalfHours }>(piece).halfHours);

/** What all tables have of a slot; they hold single floats. */
const tablesAt = (halfHours: HalfHours | undefined, slot: number) =>
  TABLES.map((table) => halfHours && slotValue(halfHours, table, slot));

/** A half hour of all vantages, as it is read when some of it came late. */
function takeLate(engine: Engine, half: number) {
  const read = ALL.filter((each) => within(each, half, half + 1));
  const tick = engine.prepareLate({ seq: 17, at: START + 16 * HALF_HOUR, slot: SLOT + half }, read, vantages);
  const late = unpackLate(packLate(tick.late ?? []));
  expect(late).toEqual(tick.late);
  consume(engine, { ...tick, late });
  return tick;
}

describe('half hours whose results come late', () => {
  it('are in the end as if all had come in time, and those that nothing came late for stay', () => {
    const inTime = halfHoursOf(fed());
    const engine = fed({ vantageId: 'b', from: 6, to: 12 });
    expect(tablesAt(halfHoursOf(engine)[1], SLOT + 7)).toEqual(TABLES.map(() => Number.NaN));
    for (let half = 6; half < 12; half++) takeLate(engine, half);
    const found = halfHoursOf(engine);
    for (let half = 0; half < 15; half++)
      for (const index of [0, 1])
        expect(tablesAt(found[index], SLOT + half)).toEqual(tablesAt(inTime[index], SLOT + half));
  });

  it('go on from a stored state as they do without a restart', async () => {
    const engine = fed({ vantageId: 'b', from: 6, to: 12 });
    const resumed = await inTurns(Engine.resuming([...engine.state()]));
    for (const each of [engine, resumed]) takeLate(each, 8);
    expect([...resumed.state()]).toEqual([...engine.state()]);
  });

  it('bring a series that nothing was known of', () => {
    const engine = fed({ vantageId: 'b', from: 0, to: 16 });
    expect(halfHoursOf(engine)).toHaveLength(1);
    const tick = takeLate(engine, 9);
    expect(tick.series.map(({ vantage }) => vantage)).toEqual(['b']);
    expect(halfHoursOf(engine)).toHaveLength(2);
    expect(tablesAt(halfHoursOf(engine)[1], SLOT + 9)).toEqual(tablesAt(halfHoursOf(fed())[1], SLOT + 9));
  });

  it('whose samples are unusual count as those of a spike, and one that was a spike stays one', () => {
    const high = ALL.map((each) => ({ ...each, sample: { ...each.sample, tls: 400 } }));
    const engine = fed({ vantageId: 'b', from: 10, to: 11 });
    const put = (read: CheckSample[]) =>
      consume(engine, engine.prepareLate({ seq: 17, at: 0, slot: SLOT + 10 }, read, vantages));
    put(high.filter((each) => each.vantageId === 'b' && within(each, 10, 11)));
    const spiked = () => isSpiked(halfHoursOf(engine)[1] as HalfHours, SLOT + 10);
    expect(spiked()).toBe(true);
    put(ALL.filter((each) => within(each, 10, 11)));
    expect(spiked()).toBe(true);
  });

  it('that are not over are refused, and those of longer ago than is kept change nothing', () => {
    const engine = fed();
    expect(engine.slot()).toBe(SLOT + 15);
    const late = (slot: number) => engine.prepareLate({ seq: 17, at: 0, slot }, ALL.slice(0, 2), vantages);
    expect(() => late(SLOT + 15)).toThrow(RangeError);
    const before = [...engine.state()];
    consume(engine, late(SLOT + 14 - halfHourCapacity));
    expect([...engine.state()]).toEqual(before);
  });
});

describe('a stored state', () => {
  it('is read a series at a time', async () => {
    const detector = createDetector();
    for (let index = 0; index < 40; index++)
      detector.indexOf({ target: `t${index}`, vantage: 'v', country: 'CN', region: 'r', carrier: 'c' });
    const state = [...detector.state()];
    let turns = 0;
    let reading = true;
    const turn = () => {
      turns += 1;
      if (reading) setImmediate(turn);
    };
    setImmediate(turn);
    const engine = await inTurns(Engine.resuming(state), 0);
    reading = false;
    expect(turns).toBeGreaterThanOrEqual(40);
    expect([...engine.state()]).toHaveLength(state.length);
  });
});
