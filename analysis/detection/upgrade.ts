import type { GroupId } from './detection.ts';
import { type DetectionGroup, groupOfId } from './group.ts';
import {
  emptyFilling,
  emptyHalfHours,
  type Filling,
  type HalfHours,
  putHalfHour,
  putRow,
  type Table,
} from './history/half-hours.ts';
import {
  append,
  emptyHistory,
  FIRST_BYTE,
  type History,
  learnNewest,
  type Place,
  TCP,
  TLS,
} from './history/history.ts';
import { emptyRecent, put, type Recent } from './history/recent.ts';
import type { MetricMonitor } from './monitor/monitor.ts';
import { logSteps } from './parameters.ts';
import type { Series } from './sample.ts';
import type { SeriesState } from './series/series.ts';

// Up to version 3 the detector's state, and the log of ticks, had other names, and a vantage's fields were packed into two
// labels. What was learnt under these names goes on under the present ones. Up to version 4 histories had a time a sample, up to
// version 5 each metric had one of its own, and all of a state was JSON.

/** The labels of a series: region and vantage, country and carrier, each with a slash between. */
type Labels = { target: string; province: string; carrier: string };

/** The series that labels of version 3 name. */
export function seriesOfLabels({ target, province, carrier }: Labels): Series {
  const [region = '', vantage = ''] = province.split('/');
  const [country = '', name = ''] = carrier.split('/');
  return { target, vantage, country, region, carrier: name };
}

const NAMES: Record<string, string> = { series: 'id', connect: 'tcp', connectShape: 'tcpShape' };

/** A JSON text of an older state with this version's names; one of this version stays as it is. */
export function renamed(text: string): string {
  return JSON.stringify(JSON.parse(text, (_key, value) => (isObject(value) ? renamedObject(value) : value)));
}

function renamedObject(object: Record<string, unknown>): Record<string, unknown> {
  const { target, province, carrier, ...rest } = object;
  const isSeries = typeof target === 'string' && typeof province === 'string' && typeof carrier === 'string';
  const named = isSeries ? { ...seriesOfLabels({ target, province, carrier }), ...rest } : object;
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [
      Object.hasOwn(NAMES, name) ? NAMES[name] : name,
      name === 'metric' && value === 'connect' ? 'tcp' : value,
    ]),
  );
}

type OldIncident = { id: string; scope: 'carrier' | 'target'; of: string; onset: number; newest: number };

/** The head of a state of version 3, without its version. */
export function upgradedHead(head: string): Record<string, unknown> {
  const { version: _version, incidents, ...rest } = JSON.parse(renamed(head));
  return { groups: (incidents as OldIncident[]).map(groupOfIncident), ...rest };
}

function groupOfIncident({ id, scope, of, onset, newest }: OldIncident): DetectionGroup {
  const [country = '', carrier = ''] = of.split('/');
  const cause = id.startsWith('tls/') ? 'tls' : 'server';
  const group: GroupId =
    scope === 'carrier'
      ? { cause: 'network', country, carrier, changeAt: onset }
      : { cause, target: of, changeAt: onset };
  return groupOfId(group, newest);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TYPED = { Uint8Array, Uint16Array, Int16Array, Int32Array, Uint32Array, Float32Array, Float64Array };
type Encoded = { typed: keyof typeof TYPED; base64: string };

/** A JSON text of a state up to version 5: typed arrays were base64 of their bytes. */
export function thawText<State>(text: string): State {
  return JSON.parse(text, (_key, value) => (isObject(value) && 'typed' in value ? decoded(value as Encoded) : value));
}

function decoded({ typed, base64 }: Encoded): ArrayBufferView {
  // A copy, since Buffer's pool is not aligned to the elements' size.
  return new TYPED[typed](new Uint8Array(Buffer.from(base64, 'base64')).buffer);
}

/** A ring of one metric's samples; up to version 4 its length is a power of two, and each has its time. */
type Ring = { logs: Int16Array; learned: Uint8Array; head: number; count: number } & (
  | { times: Uint32Array }
  | { gaps: Uint16Array; oldest: number; longGap: number }
);
type OldMonitor = Omit<MetricMonitor, 'place' | 'centre' | 'transient'> & {
  history: Ring;
  distribution: { centre: number } | null;
};
type OldHalfHours = Record<Table, Float32Array> & { slots: Int32Array; spiked: Float32Array };
type OldRecent = Record<'timestamps' | 'tls' | 'tcp' | 'think', Float64Array> & { next: number };
type OldFilling = Record<'tls' | 'tcp' | 'firstByte' | 'think', number[]> & { spiked: number };
type OldSeries = Omit<SeriesState, 'history'> & {
  tls: OldMonitor;
  tcp: OldMonitor | null;
  firstByte: OldMonitor | null;
  halfHours: OldHalfHours;
  recent: OldRecent;
  filling: OldFilling;
};

/** The text of a series of version 4 or 5 as this version has it. */
export function seriesOfText(text: string): SeriesState {
  const { tls, tcp, firstByte, halfHours, recent, filling, tcpShape, ...rest } = thawText<OldSeries>(text);
  return {
    ...rest,
    tls: monitorOf(tls, TLS),
    tcp: tcp && monitorOf(tcp, TCP),
    firstByte: firstByte && monitorOf(firstByte, FIRST_BYTE),
    history: historyOf([tls, tcp, firstByte]),
    halfHours: halfHoursOf(halfHours),
    tcpShape: tcp ? null : tcpShape,
    refused: null,
    recent: recentOf(recent),
    filling: fillingOf(filling),
  };
}

function monitorOf({ history: _history, distribution, ...rest }: OldMonitor, place: Place): MetricMonitor {
  return { place, centre: distribution?.centre ?? null, ...rest, transient: null };
}

type Remembered = { place: Place; time: number; log: number; learned: boolean };

/** One history of a series' three. */
function historyOf(monitors: readonly (OldMonitor | null)[]): History {
  const samples = monitors.flatMap((monitor, place) =>
    monitor ? [...samplesIn(monitor.history, place as Place)] : [],
  );
  const history = emptyHistory();
  const byTime = Map.groupBy(samples, ({ time }) => time);
  for (const time of [...byTime.keys()].sort((a, b) => a - b)) {
    const same = byTime.get(time) as Remembered[];
    const logOf = (place: Place) => same.find((each) => each.place === place)?.log ?? null;
    append(history, time, [logOf(TLS), logOf(TCP), logOf(FIRST_BYTE)]);
    for (const { place, learned } of same) if (learned) learnNewest(history, place);
  }
  return history;
}

function* samplesIn(ring: Ring, place: Place): Generator<Remembered> {
  const { logs, learned, head, count } = ring;
  let time = 'oldest' in ring ? ring.oldest : 0;
  for (let index = 0; index < count; index++) {
    const at = (head + index) % logs.length;
    if ('times' in ring) time = ring.times[at] as number;
    else if (index > 0) time += ring.gaps[at] === 65_535 ? ring.longGap : (ring.gaps[at] as number);
    const isLearned = 'times' in ring ? learned[at] === 1 : (((learned[at >> 3] as number) >> (at & 7)) & 1) === 1;
    yield { place, time, log: (logs[at] as number) / logSteps, learned: isLearned };
  }
}

function halfHoursOf({ slots, spiked, ...tables }: OldHalfHours): HalfHours {
  const halfHours = emptyHalfHours();
  const positions = [...slots.keys()].filter((position) => (slots[position] as number) >= 0);
  positions.sort((a, b) => (slots[a] as number) - (slots[b] as number));
  for (const position of positions) {
    const at = (table: Table) => tables[table][position] as number;
    const of = {
      mean: at('mean'),
      low: at('low'),
      middle: at('middle'),
      high: at('high'),
      tcp: at('tcp'),
      firstByte: at('firstByte'),
      think: at('think'),
    };
    putHalfHour(halfHours, slots[position] as number, { of, share: spiked[position] as number });
  }
  return halfHours;
}

function recentOf({ next, timestamps, tls, tcp, think }: OldRecent): Recent {
  const recent = emptyRecent();
  for (let index = 0; index < timestamps.length; index++) {
    const at = (next + index) % timestamps.length;
    const phase = (table: Float64Array) => table[at] as number;
    if (timestamps[at] !== 0) put(recent, timestamps[at] as number, phase(tls), phase(tcp), phase(think));
  }
  return recent;
}

/** Columns need not stand beside those of the same samples. */
function fillingOf({ tls, tcp, firstByte, think, spiked }: OldFilling): Filling {
  const filling = emptyFilling();
  const columns = [tls, tcp, firstByte, think];
  for (let row = 0; row < Math.max(...columns.map(({ length }) => length)); row++)
    putRow(
      filling,
      columns.map((column) => column[row] ?? Number.NaN),
    );
  filling.spiked = spiked;
  return filling;
}
