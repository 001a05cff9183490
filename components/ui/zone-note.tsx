import { zoneOffset } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';

/** Names the zone of all times on the page. */
export function ZoneNote({ ui }: { ui: Ui }) {
  return (
    <p className="text-[0.86rem] text-muted">
      {ui.t('zone.note', { zone: ui.timeZone, offset: zoneOffset(ui.timeZone) })}
    </p>
  );
}
