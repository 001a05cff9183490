import type { ReactNode } from 'react';
import type { Ui } from '#i18n/ui.ts';
import { AutoSubmit } from '../filters/auto-submit.tsx';

type Props = {
  ui: Ui;
  /** Unique on the page, and the anchor of the panel. */
  id: string;
  title: string;
  path: string;
  events: readonly string[];
  event: string;
  children: ReactNode;
};

/** A message as it is sent for one kind of event; the choice of the kind is in the address of the page. */
export function EventPanel({ ui: { t }, id, title, path, events, event, children }: Props) {
  return (
    <section id={id} className="panel my-4 min-w-0 p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2>{title}</h2>
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
      </div>
      {children}
    </section>
  );
}
