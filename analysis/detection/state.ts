import { flatShape, isUnknown } from './baseline/daily-shape.ts';
import { type CommonState, newCommon } from './common/common.ts';
import type { ClosedSpike, GroupChange, Metric } from './detection.ts';
import { freeze, thaw } from './frozen.ts';
import { type DetectionGroup, groupOfId } from './group.ts';
import type { ProberDelay } from './monitor/own-delay.ts';
import { shanghaiOffset } from './parameters.ts';
import type { Series } from './sample.ts';
import { newSeries, type SeriesState } from './series/series.ts';
import { renamed, seriesOfText, thawText, upgradedHead } from './upgrade.ts';

/** All that a detector knows; plain data, typed arrays apart. */
export type State = {
  series: SeriesState[];
  groups: DetectionGroup[];
  closed: ClosedSpike[];
  /** What the last instant did to groups. */
  changes: GroupChange[];
  /** The own delay of each vantage's prober, by the vantage's id. */
  probers: Record<string, ProberDelay>;
  /** What nodes of series, targets and carriers, do in common. */
  common: CommonState;
  /** The half hour that is being filled, and the last instant; -1 before the first. */
  slot: number;
  now: number;
};

/** Raised by one whenever what is kept, or what it means, changes: a state of another version is not gone on from. */
const VERSION = 8;

/** A state up to version 5 is of JSON texts, a later one of bytes. */
export type Frozen = Iterable<string> | Iterable<Uint8Array>;

export function newState(): State {
  return { series: [], groups: [], closed: [], changes: [], probers: {}, common: newCommon(), slot: -1, now: -1 };
}

/** In pieces: the head, its version first so that it is known without reading the rest, then one per series. */
export function* writeState({ series, ...head }: State): Generator<Uint8Array<ArrayBuffer>> {
  yield freeze({ version: VERSION, ...head });
  for (const each of series) yield freeze(each);
}

/** A state that is being read: its head, and its series, each made when it is asked for. */
type Opened = { head: Omit<State, 'series'>; series: Iterable<SeriesState> };

/** What `writeState` was given. Throws an Error that names both versions where they differ. */
export function openState(frozen: Frozen): Opened {
  const [head, rest] = parted(frozen);
  const version = versionOf(head);
  if (version !== VERSION || typeof head === 'string') {
    throw new Error(
      `The detector's state is of version ${version ?? '1 or older'}, and this program reads version ${VERSION}: begin anew with currentState().`,
    );
  }
  const { groups: stored, closed, changes = [], probers = {}, common = newCommon(), slot, now } = thaw<State>(head);
  const groups = stored.map((group) => (group.members ? group : groupOfId(group.id, group.newest)));
  return {
    head: { groups, closed, changes, probers, common, slot, now },
    series: Iterator.from(rest as Iterable<Uint8Array>).map(seriesOf),
  };
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
  // Before version 8 there were no series of resumed handshakes.
  return { ...series, refused: series.refused ?? null };
}

/**
 * A stored state as it is where it is of this version, as this version writes it where it is of versions 3 to 7. Of another
 * version: the same series under the same indexes, since stored samples name series by index, and the same instant, but
 * nothing learnt and nothing under way. Piece by piece; up to version 2 all series are one.
 */
export function* currentState(frozen: Frozen): Generator<Uint8Array> {
  const [head, rest] = parted(frozen);
  const version = versionOf(head);
  if (typeof head !== 'string' && (version === VERSION || version === 6 || version === 7)) {
    // Up to version 6 half hours were as they were when they ended; since then they may be put anew.
    yield version === VERSION ? head : headOf(thaw<OlderHead>(head));
    yield* rest as Iterable<Uint8Array>;
  } else if (typeof head === 'string' && (version === 3 || version === 4 || version === 5)) {
    yield headOf((version === 3 ? upgradedHead(head) : thawText(head)) as OlderHead);
    for (const text of rest as Iterable<string>) yield freeze(seriesOfText(version === 3 ? renamed(text) : text));
  } else yield* stateAnew(head, rest);
}

/** Before version 7 nobody asked what the last instant did to groups, before version 8 how busy probers are, and what series have in common. */
type OlderHead = Omit<State, 'series' | 'changes' | 'probers' | 'common'> & Partial<Pick<State, 'changes' | 'probers'>>;

function headOf({ groups, closed, changes = [], probers = {}, slot, now }: OlderHead): Uint8Array<ArrayBuffer> {
  return freeze({ version: VERSION, groups, closed, changes, probers, common: newCommon(), slot, now });
}

/** Whether `currentState` goes on with what was learnt: of a version that is neither this nor one that it can bring to this nothing is left. */
export function isGoneOnWith(frozen: Frozen): boolean {
  const [head] = parted(frozen);
  const version = versionOf(head);
  const versions = typeof head === 'string' ? [3, 4, 5] : [6, 7, VERSION];
  return version !== null && versions.includes(version);
}

type OtherState = { lines?: OtherSeries[]; slot: number; now: number };
type OtherSeries = { id: Series; tls?: { offset?: number } } & Partial<Record<Metric, unknown>>;

/** Up to version 2 the series were in the head. */
function* stateAnew(head: string | Uint8Array, rest: Frozen): Generator<Uint8Array> {
  const { lines, slot, now } = otherOf<OtherState>(head);
  const { series: _none, ...empty } = newState();
  yield freeze({ version: VERSION, ...empty, slot, now });
  for (const other of lines ?? Iterator.from<string | Uint8Array>(rest).map((piece) => otherOf<OtherSeries>(piece)))
    yield freeze(seriesAnew(other));
}

function otherOf<Other>(frozen: string | Uint8Array): Other {
  return typeof frozen === 'string' ? thawText(renamed(frozen)) : thaw(frozen);
}

function seriesAnew(other: OtherSeries): SeriesState {
  const metrics = (['tcp', 'firstByte', 'failures'] as const).filter((metric) => other[metric]);
  return newSeries(other.id, other.tls?.offset ?? shanghaiOffset, ['tls', ...metrics]);
}

/** The first piece and, to be gone through once, the others. */
function parted(frozen: Frozen): [head: string | Uint8Array, rest: Frozen] {
  const pieces = Iterator.from<string | Uint8Array>(frozen);
  const { value = '' } = pieces.next();
  return [value, pieces as Frozen];
}

function versionOf(head: string | Uint8Array): number | null {
  if (typeof head !== 'string') return thaw<{ version?: number }>(head).version ?? null;
  const found = /^\{"version":(\d+),/.exec(head)?.[1];
  return found === undefined ? null : Number(found);
}
