import { formatTime, type TimeDetail } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';

/** An instant in the reader's zone; hovering tells the zone and the instant in UTC. */
export function Time({ ui, at, detail = 'second' }: { ui: Ui; at: string; detail?: TimeDetail }) {
  return (
    <time dateTime={at} title={`${ui.timeZone} · ${at}`} className="whitespace-nowrap tabular-nums">
      {formatTime(at, ui.timeZone, detail)}
    </time>
  );
}
