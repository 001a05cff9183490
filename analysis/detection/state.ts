import type { ClosedSpike, Metric } from './detection.ts';
import type { Incident } from './grouping.ts';
import { shanghaiOffset } from './parameters.ts';
import type { Series } from './sample.ts';
import { type Line, newLine } from './series/series.ts';

/** All that a detector knows; plain data, typed arrays apart. */
export type State = { lines: Line[]; incidents: Incident[]; closed: ClosedSpike[]; slot: number; now: number };

/** Raised by one whenever what is kept, or what it means, changes: a state of another version is not gone on from. */
const VERSION = 3;

export function newState(): State {
  return { lines: [], incidents: [], closed: [], slot: -1, now: -1 };
}

/**
 * As JSON texts: the head, its version first so that it can be told without reading the rest, then one a line. Together they are
 * more than a string can hold from about 5,700 lines on.
 */
export function* writeState({ lines, ...head }: State): Generator<string> {
  yield freeze({ version: VERSION, ...head });
  for (const line of lines) yield freeze(line);
}

/** What `writeState` was given. Throws an Error that names both versions where they differ. */
export function readState(frozen: Iterable<string>): State {
  const [head, lines] = parted(frozen);
  const version = versionOf(head);
  if (version !== VERSION) {
    throw new Error(
      `The detector's state is of version ${version ?? '1 or older'}, and this program reads version ${VERSION}: begin anew with currentState().`,
    );
  }
  const { incidents, closed, slot, now } = thaw<State>(head);
  return { lines: Array.from(lines, (line) => thaw<Line>(line)), incidents, closed, slot, now };
}

/**
 * A stored state as it is where it is of this version. Of another version: the same lines under the same numbers, since samples
 * that were stored speak of lines by number, and the same instant, but nothing learnt and nothing under way.
 */
export function* currentState(frozen: Iterable<string>): Generator<string> {
  const [head, rest] = parted(frozen);
  if (versionOf(head) === VERSION) {
    yield head;
    yield* rest;
    return;
  }
  const { lines, slot, now } = thaw<OldState>(head);
  const old = lines ?? Array.from(rest, (line) => thaw<OldLine>(line));
  yield* writeState({ ...newState(), lines: old.map(lineAnew), slot, now });
}

/** The first text and, to be gone through once, the others. */
function parted(frozen: Iterable<string>): [head: string, rest: Iterable<string>] {
  const texts = Iterator.from(frozen);
  const { value = '' } = texts.next();
  return [value, texts];
}

/** What states of all versions have; up to version 2 the lines were in the head. */
type OldState = { lines?: OldLine[]; slot: number; now: number };
type OldLine = { series: Series; tls?: { offset?: number } } & Partial<Record<Metric, unknown>>;

function lineAnew(line: OldLine): Line {
  const watched = (['connect', 'firstByte', 'failures'] as const).filter((metric) => line[metric]);
  return newLine(line.series, line.tls?.offset ?? shanghaiOffset, ['tls', ...watched]);
}

function versionOf(frozen: string): number | null {
  const found = /^\{"version":(\d+),/.exec(frozen)?.[1];
  return found === undefined ? null : Number(found);
}

const TYPED = { Uint8Array, Uint16Array, Int16Array, Int32Array, Uint32Array, Float32Array, Float64Array };
type TypedName = keyof typeof TYPED;
type Encoded = { typed: TypedName; base64: string };

/** State as JSON, typed arrays as base64 of their bytes (little-endian). Plain numbers must be finite. */
export function freeze(state: unknown): string {
  return JSON.stringify(state, (_key, value) => {
    if (!ArrayBuffer.isView(value)) return value;
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return { typed: value.constructor.name, base64: bytes.toString('base64') };
  });
}

/** What `freeze` was given, exactly. Throws a SyntaxError where the text is not JSON. */
export function thaw<State>(frozen: string): State {
  return JSON.parse(frozen, (_key, value) => (isEncoded(value) ? decode(value) : value));
}

function isEncoded(value: unknown): value is Encoded {
  return typeof value === 'object' && value !== null && 'typed' in value && 'base64' in value;
}

function decode({ typed, base64 }: Encoded): ArrayBufferView {
  const bytes = Buffer.from(base64, 'base64');
  // A copy, since Buffer's pool is not aligned to the elements' size.
  return new TYPED[typed](new Uint8Array(bytes).buffer);
}
