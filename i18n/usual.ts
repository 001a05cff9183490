import { formatChange, formatQuantity } from './numbers.ts';
import { sinceText } from './time.ts';
import type { Ui } from './ui.ts';

/** Half of the shortest part of a day that has a level of its own (analysis/usual-level.ts): what begins later does not move its median. */
const HALF_PART_MS = 3 * 3_600_000;

/**
 * Since when a target is slower than usual, where it has been for days: the levels of its hours say so from the last part of a day on
 * that was not. A lasting change knows the minute: of one that began early in that part, and of one that began before it and goes on, since
 * one part that was not slower is no recovery. `open` are the incidents of the places that are meant. All times RFC 3339.
 */
export function slowerFrom(
  since: string,
  open: readonly { kind: string; metric: string | null; onsetAt: string }[],
): string {
  const onsets = open
    .filter(({ kind, metric }) => kind === 'regression' && metric === 'tls')
    .map(({ onsetAt }) => Date.parse(onsetAt))
    .filter((at) => at < Date.parse(since) + HALF_PART_MS);
  return onsets.length === 0 ? since : new Date(Math.min(...onsets)).toISOString();
}

/** `Slower than usual since 11-12 08:00: 61 ms, usual level 38 ms (+60%).`; levels in ms, `now` in ms since 1970. */
export function slowerText(
  ui: Ui,
  { since, value, usual }: { since: string; value: number; usual: number },
  now: number,
): string {
  return ui.t('usual.slower', {
    since: sinceText(ui, since, now),
    value: formatQuantity(ui, value, 'ms'),
    usual: formatQuantity(ui, usual, 'ms'),
    change: formatChange(ui.locale, value / usual - 1),
  });
}
