import { formatChange, formatQuantity } from './numbers.ts';
import { sinceText } from './time.ts';
import type { Ui } from './ui.ts';

/**
 * Since when a target is slower than usual, where it has been for days: the levels of its hours say so from the last part of a day on
 * that was not, and one such part is no recovery while a lasting change that began before goes on. All times RFC 3339.
 */
export function slowerFrom(
  since: string,
  open: readonly { kind: string; metric: string | null; onsetAt: string }[],
): string {
  const lasting = open.filter(({ kind, metric }) => kind === 'regression' && metric === 'tls');
  return [since, ...lasting.map(({ onsetAt }) => onsetAt)].reduce((first, at) =>
    Date.parse(at) < Date.parse(first) ? at : first,
  );
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
