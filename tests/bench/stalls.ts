import { getPool } from '#server/database/database.ts';
import { loadCheckpoint, saveCheckpoint } from '#server/detection/checkpoint.ts';
import { consumeTick, inTurns } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import { noWork } from '#server/detection/status.ts';
import type { Tick } from '#server/detection/tick.ts';
import { noise } from '../support/detecting.ts';
import { onFreshDatabase } from './database.ts';

const START = 1_767_542_400;
const VANTAGES = 93;
/** So many hours before anything is measured: all that a detector keeps by the sample is full. */
const WARM_UP_HOURS = 27;
const LIVE_MINUTES = 40;

/** The longest stretch between two turns of the event loop, ms: of CPU time and by the clock. */
type Longest = { cpu: number; clock: number };

/**
 * Prints the longest stretches in which the jobs' event loop stands still for the detector, and what a checkpoint takes:
 * `stalls SERIES SECONDS`, a probe a minute, over the end of a half hour, after 27 hours of a probe in so many seconds.
 */
export async function benchStalls([given = '4650', seconds = '300']: string[]): Promise<void> {
  const [series, period] = [Number(given), Number(seconds)];
  await onFreshDatabase(async () => {
    const memory = { engine: new Engine(), work: noWork() };
    const ticks = ticksOf(series);
    for (let hour = 0; hour < WARM_UP_HOURS; hour++) await consumeTick(memory, ticks(3_600, period));
    const live: Longest = { cpu: 0, clock: 0 };
    for (let minute = 0; minute < LIVE_MINUTES; minute++) {
      const tick = ticks(60, 60);
      join(live, await longestIn(() => consumeTick(memory, tick)));
    }
    const begunSaving = performance.now();
    const saving = await longestIn(() => saveCheckpoint({ seq: 1, to: START, state: memory.engine.state() }));
    const savedMs = performance.now() - begunSaving;
    const { rows } = await getPool().query<{ mb: number }>(
      'select sum(length(state))::float8 / 1e6 as mb from detector_checkpoint',
    );
    const begun = performance.now();
    const loading = await longestIn(async () => {
      const checkpoint = await loadCheckpoint();
      if (checkpoint) await inTurns(Engine.resuming(checkpoint.state));
    });
    process.stdout.write(
      `${JSON.stringify({ series, live, saving, savedMs, mb: rows[0]?.mb, loading, loadedMs: performance.now() - begun })}\n`,
    );
  });
}

/** Gives ticks one after the other, of so many seconds and a probe of each series a period. */
function ticksOf(count: number): (seconds: number, period: number) => Tick {
  const noisy = noise(1);
  const all = Array.from({ length: count }, (_, index) => ({
    target: `target-${Math.floor(index / VANTAGES)}`,
    vantage: `vantage-${index % VANTAGES}`,
    country: 'CN',
    region: `region-${(index % VANTAGES) % 31}`,
    carrier: `carrier-${index % 3}`,
  }));
  let from = START;
  let seq = 0;
  return (seconds, period) => {
    seq += 1;
    const samples = Array.from({ length: (seconds / period) * count }, (_, at) => {
      const index = at % count;
      const timestamp = from + Math.floor(at / count) * period + Math.floor((index * period) / count);
      return { index, sample: { timestamp, tcp: noisy(40), tls: noisy(45), firstByte: noisy(50), ok: true } };
    });
    const tick = { seq, from, to: from + seconds, series: seq === 1 ? all : [], samples, count: samples.length };
    from += seconds;
    return tick;
  };
}

function join(one: Longest, other: Longest): void {
  one.cpu = Math.max(one.cpu, other.cpu);
  one.clock = Math.max(one.clock, other.clock);
}

async function longestIn(work: () => Promise<unknown>): Promise<Longest> {
  const longest: Longest = { cpu: 0, clock: 0 };
  let working = true;
  let cpu = process.threadCpuUsage();
  let since = performance.now();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(cpu);
    join(longest, { cpu: (user + system) / 1_000, clock: performance.now() - since });
    cpu = process.threadCpuUsage();
    since = performance.now();
    if (working) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  turn();
  working = false;
  return longest;
}
