import { flatShape, isUnknown } from './baseline/daily-shape.ts';
import type { ClosedSpike, GroupChange } from './detection.ts';
import { freeze, thaw } from './frozen.ts';
import type { DetectionGroup } from './group.ts';
import type { ProberDelay } from './monitor/own-delay.ts';
import type { SeriesState } from './series/series.ts';

/** All that a detector knows; plain data, typed arrays apart. */
export type State = {
  series: SeriesState[];
  groups: DetectionGroup[];
  closed: ClosedSpike[];
  /** What the last instant did to groups. */
  changes: GroupChange[];
  /** The own delay of each vantage's prober, by the vantage's id. */
  probers: Record<string, ProberDelay>;
  /** The half hour that is being filled, and the last instant; -1 before the first. */
  slot: number;
  now: number;
};

/**
 * Raised by one whenever what is kept, or what it means, changes. A state of another version is not read: what it had learnt is gone
 * through again in stored results.
 */
const VERSION = 6;

/** A state as bytes: its head, then one piece per series. */
export type Frozen = Iterable<Uint8Array>;

export function newState(): State {
  return { series: [], groups: [], closed: [], changes: [], probers: {}, slot: -1, now: -1 };
}

/** In pieces: the head, its version first so that it is known without reading the rest, then one per series. */
export function* writeState({ series, ...head }: State): Generator<Uint8Array<ArrayBuffer>> {
  yield freeze({ version: VERSION, ...head });
  for (const each of series) yield freeze(each);
}

/** A state that is being read: its head, and its series, each made when it is asked for. */
type Opened = { head: Omit<State, 'series'>; series: Iterable<SeriesState> };

/** Reads what `writeState` wrote. Throws an Error that names both versions where they differ. */
export function openState(frozen: Frozen): Opened {
  const [head, rest] = splitHead(frozen);
  const { version, groups, closed, changes, probers, slot, now } = head;
  if (version !== VERSION) {
    throw new Error(`The detector's state is of version ${version}, and this program reads version ${VERSION}.`);
  }
  return { head: { groups, closed, changes, probers, slot, now }, series: rest.map(seriesOf) };
}

/** Series that have learnt no shape share one. */
function seriesOf(frozen: Uint8Array): SeriesState {
  const series = thaw<SeriesState>(frozen);
  for (const monitor of [series.tls, series.tcp, series.firstByte]) {
    if (monitor === null) continue;
    monitor.transient = null;
    if (isUnknown(monitor.shape)) monitor.shape = flatShape();
  }
  if (series.tcpShape && isUnknown(series.tcpShape)) series.tcpShape = flatShape();
  return series;
}

/** Whether a state is of this version. Reads its first piece alone. */
export function hasCurrentVersion(frozen: Frozen): boolean {
  const [head] = splitHead(frozen);
  return head.version === VERSION;
}

type Head = Omit<State, 'series'> & { version: number };

/** The head and, to be iterated once, the series. Throws an Error where there is no head. */
function splitHead(frozen: Frozen): [head: Head, series: IteratorObject<Uint8Array>] {
  const pieces = Iterator.from(frozen);
  const { value } = pieces.next();
  if (!value) throw new Error("The detector's state is empty.");
  return [thaw<Head>(value), pieces];
}
