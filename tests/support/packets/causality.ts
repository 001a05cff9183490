import type { Segment } from './connections.ts';

/** The line's clock and the capture's are two: over a round trip they may differ by this much (ms). */
const SKEW_MS = 0.02;

/**
 * How many packets had to answer one another since `from` (a packet of ours) before each later packet could be sent: two
 * packets whose numbers differ by one are a round trip apart. A server packet answers the newest packet of ours that can
 * have reached the server when it left, which is one sent `lineRttMs` before or earlier, be it data or a bare
 * acknowledgement; and a packet of ours goes with the server packets that had arrived.
 */
export function generationsOf(segments: readonly Segment[], from: Segment, lineRttMs: number): Map<Segment, number> {
  const generations = new Map<Segment, number>();
  const sent: Segment[] = [];
  let arrived = 0;
  for (const segment of segments.slice(segments.indexOf(from))) {
    if (segment.direction === 'out') {
      sent.push(segment);
      generations.set(segment, arrived);
      continue;
    }
    const cause = sent.findLast(({ at }) => at + lineRttMs <= segment.at + SKEW_MS);
    const generation = cause ? (generations.get(cause) ?? 0) + 1 : 0;
    generations.set(segment, generation);
    arrived = Math.max(arrived, generation);
  }
  return generations;
}
