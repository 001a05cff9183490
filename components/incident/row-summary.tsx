import type { Incident } from '#contract/incident.ts';
import { whyText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { Time } from '../ui/time.tsx';
import { Effect } from './effect.tsx';
import { StatusBadge, StatusNote } from './incident-badges.tsx';

/** What the columns of a wide table say, in lines below the name: a phone would have to be scrolled sideways for them. */
export function RowSummary({ ui, incident, extent }: { ui: Ui; incident: Incident; extent: string }) {
  const why = whyText(ui, incident);
  return (
    <div className="mt-1 sm:hidden">
      <div className="flex flex-wrap items-center gap-x-3">
        <Effect ui={ui} incident={incident} />
        {why ? <span>{why}</span> : null}
        <StatusBadge ui={ui} incident={incident} />
      </div>
      <StatusNote ui={ui} incident={incident} />
      <span className="text-[0.86rem] text-muted">
        <Time ui={ui} at={incident.onsetAt} detail="minute" /> · {extent}
      </span>
    </div>
  );
}
