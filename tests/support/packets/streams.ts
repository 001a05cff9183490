import type { Segment } from './connections.ts';

/** Up to `end` the direction's bytes could be read in order once `segment` was there. */
type Step = { end: number; segment: Segment };

/** One direction of a connection put together: all bytes without a hole, and when each could first be read. */
export type Stream = { bytes: Buffer; steps: Step[]; segments: Segment[] };

/** A TLS record by its header alone. `start` and `end` are offsets in the stream. */
export type WireRecord = { type: number; start: number; end: number; bytes: number };

const RECORD_HEADER_BYTES = 5;

/** Puts a direction together. Bytes behind a hole count from when the hole was filled. */
export function streamOf(all: readonly Segment[], direction: 'out' | 'in'): Stream {
  const segments = all.filter((segment) => segment.direction === direction && segment.payload.length > 0);
  const pieces: Buffer[] = [];
  const steps: Step[] = [];
  let end = 0;
  let waiting: Segment[] = [];
  for (const segment of segments) {
    waiting.push(segment);
    const before = end;
    for (let next = fitting(waiting, end); next; next = fitting(waiting, end)) {
      pieces.push(next.payload.subarray(end - next.offset));
      end = next.offset + next.payload.length;
    }
    waiting = waiting.filter(({ offset, payload }) => offset + payload.length > end);
    if (end > before) steps.push({ end, segment });
  }
  return { bytes: Buffer.concat(pieces), steps, segments };
}

const fitting = (waiting: Segment[], end: number) =>
  waiting.find(({ offset, payload }) => offset <= end && offset + payload.length > end);

/** The packet with which the byte at this offset and all before it were there; null where they never were. */
export function completedBy({ steps }: Stream, offset: number): Segment | null {
  return steps.find(({ end }) => end > offset)?.segment ?? null;
}

/** When that packet came. */
export function readableAt(stream: Stream, offset: number): number | null {
  return completedBy(stream, offset)?.at ?? null;
}

/** The first packet that carried the byte at this offset. */
export function carrierOf({ segments }: Stream, offset: number): Segment | null {
  return segments.find((one) => one.offset <= offset && one.offset + one.payload.length > offset) ?? null;
}

/** The complete TLS records of a stream; stops at bytes that are none. */
export function recordsOf({ bytes }: Stream): WireRecord[] {
  const records: WireRecord[] = [];
  for (let start = 0; start + RECORD_HEADER_BYTES <= bytes.length; ) {
    const type = bytes.readUInt8(start);
    const end = start + RECORD_HEADER_BYTES + bytes.readUInt16BE(start + 3);
    if (type < 20 || type > 24 || bytes[start + 1] !== 3 || end > bytes.length) break;
    records.push({ type, start, end, bytes: end - start });
    start = end;
  }
  return records;
}
