import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';

/** An instant as short as `now` (ms) allows, in the page's zone: `23:58`, `11-20 23:58` of another day, the year of another year. */
export function sinceText({ timeZone }: Ui, at: string, now: number): string {
  const [day = '', time = ''] = formatTime(at, timeZone, 'minute').split(' ');
  const [today = ''] = formatTime(now, timeZone, 'minute').split(' ');
  if (day === today) return time;
  return day.slice(0, 4) === today.slice(0, 4) ? `${day.slice(5)} ${time}` : `${day} ${time}`;
}
