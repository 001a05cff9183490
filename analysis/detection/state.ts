import { SHANGHAI } from './clock.ts';
import { freeze, thaw } from './freeze.ts';
import type { Incident } from './incidents.ts';
import { type Line, newLine } from './line.ts';
import type { ClosedSpike, Metric, Series } from './sample.ts';

/** All that a detector knows; plain data, typed arrays apart. */
export type State = { lines: Line[]; incidents: Incident[]; closed: ClosedSpike[]; slot: number; now: number };

/** Raised by one whenever what is kept, or what it means, changes: a state of another version is not gone on from. */
const VERSION = 2;

export function newState(): State {
  return { lines: [], incidents: [], closed: [], slot: -1, now: -1 };
}

/** As JSON, the version first, so that it can be told without reading the rest. */
export function writeState(state: State): string {
  return freeze({ version: VERSION, ...state });
}

/** What `writeState` was given. Throws an Error that names both versions where they differ. */
export function readState(frozen: string): State {
  const version = versionOf(frozen);
  if (version !== VERSION) {
    throw new Error(
      `The detector's state is of version ${version ?? '1 or older'}, and this program reads version ${VERSION}: begin anew with currentState().`,
    );
  }
  const { lines, incidents, closed, slot, now } = thaw<State>(frozen);
  return { lines, incidents, closed, slot, now };
}

/**
 * A stored state as it is where it is of this version. Of another version: the same lines under the same numbers, since samples
 * that were stored speak of lines by number, and the same instant, but nothing learnt and nothing under way.
 */
export function currentState(frozen: string): string {
  if (versionOf(frozen) === VERSION) return frozen;
  const { lines, slot, now } = thaw<OldState>(frozen);
  return writeState({ ...newState(), lines: lines.map(lineAnew), slot, now });
}

/** What states of all versions have. */
type OldState = { lines: OldLine[]; slot: number; now: number };
type OldLine = { series: Series; tls?: { offset?: number } } & Partial<Record<Metric, unknown>>;

function lineAnew(line: OldLine): Line {
  const watched = (['connect', 'firstByte', 'failures'] as const).filter((metric) => line[metric]);
  return newLine(line.series, line.tls?.offset ?? SHANGHAI, ['tls', ...watched]);
}

function versionOf(frozen: string): number | null {
  const found = /^\{"version":(\d+),/.exec(frozen)?.[1];
  return found === undefined ? null : Number(found);
}
