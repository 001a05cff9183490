import { TIERS, type Tier } from './tiers.ts';

/** A range of one tier to read, in seconds since 1970, half-open. */
export type Segment = { tier: Tier; from: number; to: number };

/** Says whether a bucket of a tier still waits to be computed again. */
export type IsDirty = (tier: Tier, bucket: number) => boolean;

/**
 * Covers [from, to), whole minutes, with the coarsest buckets that fit: days and hours inside, tens and minutes at the
 * edges and wherever a longer one is dirty. Buckets longer than `longest` seconds, or that do not divide it, are not used.
 */
export function coverRange(from: number, to: number, isDirty: IsDirty, longest = Number.POSITIVE_INFINITY): Segment[] {
  const usable = TIERS.filter(({ step }) => longest === Number.POSITIVE_INFINITY || longest % step === 0);
  return joined(cover(from, to, usable, isDirty));
}

function cover(from: number, to: number, tiers: Tier[], isDirty: IsDirty): Segment[] {
  const tier = tiers.at(-1);
  if (!tier || from >= to) return [];
  const finer = tiers.slice(0, -1);
  if (finer.length === 0) return [{ tier, from, to }];
  const first = Math.ceil(from / tier.step) * tier.step;
  const last = Math.floor(to / tier.step) * tier.step;
  if (first >= last) return cover(from, to, finer, isDirty);
  const inside: Segment[] = [];
  for (let bucket = first; bucket < last; bucket += tier.step) {
    const end = bucket + tier.step;
    inside.push(...(isDirty(tier, bucket) ? cover(bucket, end, finer, isDirty) : [{ tier, from: bucket, to: end }]));
  }
  return [...cover(from, first, finer, isDirty), ...inside, ...cover(last, to, finer, isDirty)];
}

/** Neighbours of one tier as one. */
function joined(segments: Segment[]): Segment[] {
  const result: Segment[] = [];
  for (const segment of segments) {
    const previous = result.at(-1);
    if (previous?.tier === segment.tier && previous.to === segment.from) previous.to = segment.to;
    else result.push({ ...segment });
  }
  return result;
}
