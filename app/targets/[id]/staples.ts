import type { Filter } from '#components/filters/filter.ts';
import { MAX_STAPLE_DAYS, type Staples } from '#contract/staples.ts';
import { staplesOf } from '#server/figures/staples.ts';
import type { WatchedTarget } from '#server/targets/target-ref.ts';

const LONGEST_MS = MAX_STAPLE_DAYS * 86_400_000;

/** The staples of a filter's range, or of its last days where it is longer than can be asked for. */
export async function targetStaples(
  target: WatchedTarget,
  { from, to }: Filter,
): Promise<{ staples: Staples; cut: boolean }> {
  const earliest = Date.parse(to) - LONGEST_MS;
  const cut = Date.parse(from) < earliest;
  return { staples: await staplesOf(target, { from: cut ? new Date(earliest).toISOString() : from, to }), cut };
}
