// A state as older versions wrote it, made of the present one.

import { Buffer } from 'node:buffer';
import type { GroupId } from '#analysis/detection/detection.ts';
import { freeze, thaw } from '#analysis/detection/frozen.ts';
import { type HalfHours, slotValue, spikedIn, type Table } from '#analysis/detection/history/half-hours.ts';
import { eachSample, type History, type Place, unpack } from '#analysis/detection/history/history.ts';
import { halfHourCapacity, historyCapacity, logSteps, recentCapacity } from '#analysis/detection/parameters.ts';
import type { SeriesState } from '#analysis/detection/series/series.ts';

/** A state as version 7 wrote it: without what is known of probers and of refused sessions. */
export function asVersion7(state: Iterable<Uint8Array>): Uint8Array[] {
  const [head, ...series] = state;
  const { probers: _none, ...rest } = thaw<{ probers: object }>(head as Uint8Array);
  const older = series.map((each) => {
    const { refused: _refused, ...known } = thaw<SeriesState>(each);
    return freeze(known);
  });
  return [freeze({ ...rest, version: 7 }), ...older];
}

/** A state as version 6 wrote it. */
export function asVersion6(state: Iterable<Uint8Array>): Uint8Array[] {
  const [head, ...series] = state;
  return [freeze({ ...thaw<object>(head as Uint8Array), version: 6 }), ...series];
}

/** The texts of a state as version 5 wrote them. */
export function asVersion5(state: Iterable<Uint8Array>): string[] {
  const [head, ...series] = state;
  return [textOf({ ...thaw<object>(head as Uint8Array), version: 5 }), ...series.map((each) => seriesOf(each, ringOf))];
}

/** As version 4 wrote them: histories had a time a sample, and a length that is a power of two. */
export function asVersion4(state: Iterable<Uint8Array>): string[] {
  const [head, ...series] = state;
  const texts = series.map((each) => seriesOf(each, timedRingOf));
  return [textOf({ ...thaw<object>(head as Uint8Array), version: 4 }), ...texts];
}

/** As version 3 wrote them: with other names. */
export function asVersion3(state: Iterable<Uint8Array>): string[] {
  return asVersion4(state).map(asInVersion3);
}

type RingOf = (history: History, place: Place) => object;

function seriesOf(frozen: Uint8Array, ring: RingOf): string {
  const { history, tcpShape, halfHours, recent, filling, ...series } = thaw<SeriesState>(frozen);
  const monitors = Object.fromEntries(
    (['tls', 'tcp', 'firstByte'] as const).map((metric) => {
      const monitor = series[metric];
      if (monitor === null) return [metric, null];
      const { place, centre, ...rest } = monitor;
      const distribution = centre === null ? null : { centre, counts: new Uint16Array(768), total: 0 };
      return [metric, { history: ring(history, place), distribution, ...rest }];
    }),
  );
  return textOf({
    ...series,
    ...monitors,
    tcpShape: series.tcp?.shape ?? tcpShape,
    halfHours: halfHoursOf(halfHours),
    recent: recentOf(recent),
    filling: fillingOf(filling),
  });
}

function textOf(state: unknown): string {
  return JSON.stringify(state, (_key, value) =>
    ArrayBuffer.isView(value)
      ? {
          typed: value.constructor.name,
          base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
        }
      : value,
  );
}

type Remembered = { time: number; log: number; learned: boolean };

function samplesOf(history: History, place: Place): Remembered[] {
  const samples: Remembered[] = [];
  eachSample(unpack(history), place, (time, log, learned) => samples.push({ time, log, learned }));
  return samples;
}

/** The ring goes over its end. */
function ringOf(history: History, place: Place): object {
  const samples = samplesOf(history, place);
  const length = historyCapacity;
  const head = length - 100;
  const [gaps, logs, learned] = [new Uint16Array(length), new Int16Array(length), new Uint8Array(length / 8)];
  let longGap = 0;
  samples.forEach(({ time, log, learned: isLearned }, index) => {
    const at = (head + index) % length;
    const gap = time - (samples[index - 1]?.time ?? time);
    if (gap >= 65_535) longGap = gap;
    gaps[at] = Math.min(65_535, gap);
    logs[at] = log * logSteps;
    if (isLearned) learned[at >> 3] = (learned[at >> 3] as number) | (1 << (at & 7));
  });
  const [oldest, newest] = [samples[0]?.time ?? 0, samples.at(-1)?.time ?? 0];
  return { gaps, logs, learned, head, count: samples.length, oldest, newest, longGap };
}

function timedRingOf(history: History, place: Place): object {
  const samples = samplesOf(history, place);
  const length = 4_096;
  const head = length - 96;
  const [times, logs, learned] = [new Uint32Array(length), new Int16Array(length), new Uint8Array(length)];
  samples.forEach((sample, index) => {
    const at = (head + index) % length;
    times[at] = sample.time;
    logs[at] = sample.log * logSteps;
    learned[at] = sample.learned ? 1 : 0;
  });
  return { times, logs, learned, head, count: samples.length };
}

const TABLES: readonly Table[] = ['mean', 'low', 'middle', 'high', 'tcp', 'firstByte', 'think'];
const SHARES = [0, 0.25, 0.5] as const;

function halfHoursOf(halfHours: HalfHours): object {
  const slots = new Int32Array(halfHourCapacity).fill(-1);
  const floats = () => new Float32Array(halfHourCapacity).fill(Number.NaN);
  const tables = Object.fromEntries(TABLES.map((table) => [table, floats()])) as Record<Table, Float32Array>;
  const spiked = floats();
  const { newest } = halfHours;
  for (let slot = Math.max(0, newest - halfHourCapacity + 1); slot <= newest; slot++) {
    if (Number.isNaN(slotValue(halfHours, 'mean', slot))) continue;
    const position = slot % halfHourCapacity;
    slots[position] = slot;
    for (const table of TABLES) tables[table][position] = slotValue(halfHours, table, slot);
    spiked[position] = SHARES[spikedIn(halfHours, slot)];
  }
  return { slots, count: new Uint16Array(halfHourCapacity), ...tables, spiked };
}

function recentOf({ rows, next, count, newest }: SeriesState['recent']): object {
  const floats = () => new Float64Array(recentCapacity);
  const [timestamps, tls, tcp, think] = [floats(), floats(), floats(), floats()];
  let time = newest;
  for (let age = 1; age <= count; age++) {
    const at = (next + recentCapacity - age) % recentCapacity;
    timestamps[at] = time;
    [tls, tcp, think].forEach((table, column) => {
      table[at] = rows[4 * at + 1 + column] as number;
    });
    time -= rows[4 * at] as number;
  }
  return { next, timestamps, tls, tcp, think };
}

function fillingOf({ rows, count, spiked }: SeriesState['filling']): object {
  const column = (index: number) =>
    Array.from({ length: count }, (_, row) => rows[4 * row + index] as number).filter((value) => !Number.isNaN(value));
  return { tls: column(0), tcp: column(1), firstByte: column(2), think: column(3), spiked };
}

/** A text in the names of version 3. */
function asInVersion3(text: string): string {
  const names: Record<string, string> = { id: 'series', tcp: 'connect', tcpShape: 'connectShape' };
  return JSON.stringify(
    JSON.parse(text, (_key, value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      if ('newest' in value && 'id' in value) return incidentOfVersion3(value);
      const { target, vantage, country, region, carrier, ...rest } = value;
      const labels = { target, province: `${region}/${vantage}`, carrier: `${country}/${carrier}` };
      const named = vantage === undefined ? value : { ...labels, ...rest };
      return Object.fromEntries(
        Object.entries(named).map(([name, each]) => [
          names[name] ?? (name === 'groups' ? 'incidents' : name),
          name === 'metric' && each === 'tcp' ? 'connect' : name === 'version' ? 3 : each,
        ]),
      );
    }),
  );
}

function incidentOfVersion3({ id, newest }: { id: GroupId; newest: number }) {
  const of = id.cause === 'network' ? `${id.country}/${id.carrier}` : id.target;
  const scope = id.cause === 'network' ? 'carrier' : 'target';
  return { id: `${id.cause}/${of}/${id.changeAt}`, scope, of, onset: id.changeAt, newest };
}
