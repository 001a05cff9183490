import type { ClosedSpike, Metric } from './detection.ts';
import type { DetectionGroup } from './grouping.ts';
import { shanghaiOffset } from './parameters.ts';
import type { Series } from './sample.ts';
import { newSeries, type SeriesState } from './series/series.ts';
import { renamed, upgradedHead } from './upgrade.ts';

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
const VERSION = 4;

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
 * A stored state as it is where it is of this version, in this version's names where it is of version 3. Of another version:
 * the same series under the same indexes, since stored samples name series by index, and the same instant, but nothing learnt
 * and nothing under way.
 */
export function* currentState(frozen: Iterable<string>): Generator<string> {
  const [head, rest] = parted(frozen);
  const version = versionOf(head);
  if (version === VERSION) {
    yield head;
    yield* rest;
  } else if (version === 3) {
    yield freeze({ version: VERSION, ...upgradedHead(head) });
    for (const text of rest) yield renamed(text);
  } else yield* stateAnew(head, rest);
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
