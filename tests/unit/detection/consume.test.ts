import { describe, expect, it } from 'vitest';
import { consumeTick } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import { noWork } from '#server/detection/status.ts';
import type { Tick } from '#server/detection/tick.ts';

const SERIES = Array.from({ length: 60 }, (_, index) => ({
  target: `t${index % 3}`,
  vantage: `v${index}`,
  country: 'CN',
  region: 'r',
  carrier: 'c',
}));
const HALF_HOUR = 1_800;
const START = 1_767_542_400;

/** Two samples of each series, on both sides of a half hour's end. */
function tickOverHalfHour(): Tick {
  const at = (timestamp: number) =>
    SERIES.map((_, index) => ({ index, sample: { timestamp, tcp: 20, tls: 25, firstByte: 30, ok: true } }));
  const samples = [...at(START + HALF_HOUR - 1), ...at(START + HALF_HOUR)];
  return { seq: 1, from: START, to: START + HALF_HOUR + 1, series: SERIES, samples, count: samples.length };
}

describe('a tick that is consumed', () => {
  it('lets other work in between after each series at the end of a half hour', async () => {
    let turns = 0;
    let consuming = true;
    const turn = () => {
      turns += 1;
      if (consuming) setImmediate(turn);
    };
    setImmediate(turn);
    const memory = { engine: new Engine(), work: noWork() };
    await consumeTick(memory, tickOverHalfHour(), 0);
    consuming = false;
    // Its half hour is closed, and it is tested for a lasting change.
    expect(turns).toBeGreaterThanOrEqual(2 * SERIES.length);
  });

  it('says the same in steps as at once', () => {
    const [inSteps, atOnce] = [new Engine(), new Engine()];
    const found = [...inSteps.consuming(tickOverHalfHour())].filter((each) => each !== null);
    expect(found).toEqual([...atOnce.consumeTick(tickOverHalfHour())]);
    expect([...inSteps.state()]).toEqual([...atOnce.state()]);
  });
});
