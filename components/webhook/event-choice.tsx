import type { Ui } from '#i18n/ui.ts';
import { AutoSubmit } from '../filters/auto-submit.tsx';

type Props = { ui: Ui; path: string; events: readonly string[]; event: string };

/** Which kind of event a preview is of; the choice is in the address of the page. */
export function EventChoice({ ui: { t }, path, events, event }: Props) {
  return (
    <AutoSubmit path={path} label={t('webhooks.preview')}>
      <select name="event" aria-label={t('webhooks.previewEvent')} className="btn" defaultValue={event}>
        {events.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </select>
      <noscript>
        <button type="submit" className="btn">
          {t('common.apply')}
        </button>
      </noscript>
    </AutoSubmit>
  );
}
