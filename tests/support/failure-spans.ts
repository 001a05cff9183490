import type { FailureSpan } from '#contract/failure.ts';
import { AVAILABILITY, failureSpans } from '#server/figures/failure-spans.ts';
import { querySeries } from '#server/figures/series.ts';
import { readPlaces } from '#server/vantages/labels.ts';

/** When a target failed over a range (RFC 3339), as its trend asks; `now` in ms. */
export async function spansOf(
  target: string,
  range: { from: string; to: string },
  now?: number,
): Promise<{ spans: FailureSpan[]; total: number }> {
  const availability = await querySeries({ target, ...AVAILABILITY, ...range });
  return await failureSpans(target, availability, await readPlaces({}), now);
}
