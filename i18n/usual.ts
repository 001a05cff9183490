import { formatChange, formatQuantity } from './numbers.ts';
import { sinceText } from './time.ts';
import type { Ui } from './ui.ts';

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
