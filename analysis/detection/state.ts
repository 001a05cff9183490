import type { ClosedSpike, Metric } from './detection.ts';
import { freeze, thaw } from './frozen.ts';
import type { DetectionGroup } from './grouping.ts';
import { shanghaiOffset } from './parameters.ts';
import type { Series } from './sample.ts';
import { newSeries, type SeriesState } from './series/series.ts';
import { renamed, upgradedHead, withPackedHistories } from './upgrade.ts';

/** All that a detector knows; plain data, typed arrays apart. */
export type State = {
  series: SeriesState[];
  groups: DetectionGroup[];
  closed: ClosedSpike[];
  /** The half hour that is being filled, and the last instant; -1 before the first. */
  slot: number;
  now: number;
};

/** Raised by one whenever what is kept, or what it means, changes: a state of another version is not gone on from. */
const VERSION = 5;

export function newState(): State {
  return { series: [], groups: [], closed: [], slot: -1, now: -1 };
}

/**
 * As JSON texts: the head, its version first so that it is known without reading the rest, then one per series. Together
 * they are more than a string can hold from about 5,700 series on.
 */
export function* writeState({ series, ...head }: State): Generator<string> {
  yield freeze({ version: VERSION, ...head });
  for (const each of series) yield freeze(each);
}

/** What `writeState` was given. Throws an Error that names both versions where they differ. */
export function readState(frozen: Iterable<string>): State {
  const [head, rest] = parted(frozen);
  const version = versionOf(head);
  if (version !== VERSION) {
    throw new Error(
      `The detector's state is of version ${version ?? '1 or older'}, and this program reads version ${VERSION}: begin anew with currentState().`,
    );
  }
  const { groups, closed, slot, now } = thaw<State>(head);
  return { series: Array.from(rest, (text) => thaw<SeriesState>(text)), groups, closed, slot, now };
}

/**
 * A stored state as it is where it is of this version, as this version writes it where it is of version 3 or 4. Of another
 * version: the same series under the same indexes, since stored samples name series by index, and the same instant, but
 * nothing learnt and nothing under way.
 */
export function* currentState(frozen: Iterable<string>): Generator<string> {
  const [head, rest] = parted(frozen);
  const version = versionOf(head);
  if (version === VERSION) {
    yield head;
    yield* rest;
  } else if (version === 3 || version === 4) {
    yield freeze({ version: VERSION, ...(version === 3 ? upgradedHead(head) : headWithoutVersion(head)) });
    for (const text of rest) yield withPackedHistories(version === 3 ? renamed(text) : text);
  } else yield* stateAnew(head, rest);
}

function headWithoutVersion(head: string): Record<string, unknown> {
  const { version: _version, ...rest } = thaw<Record<string, unknown>>(head);
  return rest;
}

type OtherState = { lines?: OtherSeries[]; slot: number; now: number };
type OtherSeries = { id: Series; tls?: { offset?: number } } & Partial<Record<Metric, unknown>>;

/** Up to version 2 the series were in the head. */
function* stateAnew(head: string, rest: Iterable<string>): Generator<string> {
  const { lines, slot, now } = thaw<OtherState>(renamed(head));
  const others = lines ?? Array.from(rest, (text) => thaw<OtherSeries>(renamed(text)));
  yield* writeState({ ...newState(), series: others.map(seriesAnew), slot, now });
}

function seriesAnew(other: OtherSeries): SeriesState {
  const metrics = (['tcp', 'firstByte', 'failures'] as const).filter((metric) => other[metric]);
  return newSeries(other.id, other.tls?.offset ?? shanghaiOffset, ['tls', ...metrics]);
}

/** The first text and, to be gone through once, the others. */
function parted(frozen: Iterable<string>): [head: string, rest: Iterable<string>] {
  const texts = Iterator.from(frozen);
  const { value = '' } = texts.next();
  return [value, texts];
}

function versionOf(frozen: string): number | null {
  const found = /^\{"version":(\d+),/.exec(frozen)?.[1];
  return found === undefined ? null : Number(found);
}
