import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Location } from '#contract/extent.ts';
import {
  byUrgency,
  type IncidentParts,
  incidentParts,
  needsLook,
  type OpenIncident,
} from '#contract/incident-parts.ts';
import type { Target } from '#contract/target.ts';
import { kindText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { SEVERITY_TONES } from '../incident/incident-badges.tsx';
import { described } from '../incident/incident-text.ts';
import { Badge } from '../ui/badge.tsx';

/** So many lines a banner has: incidents give way to notes, but for the most urgent one. On a phone that one has a line alone. */
const LINES = 4;

type Props = {
  ui: Ui;
  target: Target;
  incidents: OpenIncident[];
  places: Location[];
  now: number;
  notes: readonly Note[];
};

/** What is to be said of a target beside its incidents. `warns`: that it is worse than it was, not that it could be better. */
export type Note = { key: string; warns: boolean; text: ReactNode };

/** The one box of notices of a target: its incidents that go on, the most urgent first, then notes; nothing where there are none. */
export function TargetNotices({ ui, target, incidents, places, now, notes }: Props) {
  const { t } = ui;
  const sorted = incidents.map((incident) => incidentParts(incident, target.id, places)).sort(byUrgency);
  const href = `/incidents?target=${target.id}`;
  if (sorted.length + notes.length === 0) return null;
  const shown = Math.min(sorted.length, Math.max(1, LINES - notes.length));
  return (
    <section
      aria-label={t(sorted.length > 0 ? 'brief.title' : 'brief.notes')}
      className={`panel mb-3 border-l-4 px-4 py-2 max-sm:py-1 max-sm:text-[0.86rem] ${edgeOf(sorted, notes, now)}`}
    >
      <ul>
        {sorted.slice(0, shown).map((parts, index) => (
          <li key={parts.id} className={index === 0 ? 'py-0.5' : 'py-0.5 max-sm:hidden'}>
            <IncidentLine ui={ui} parts={parts} now={now} />
            {index === 0 ? <More ui={ui} href={href} n={sorted.length - 1} className="sm:hidden" /> : null}
            {index === shown - 1 ? (
              <More ui={ui} href={href} n={sorted.length - shown} className="max-sm:hidden" />
            ) : null}
          </li>
        ))}
        {notes.map(({ key, warns, text }) => (
          <li key={key} className={warns ? 'py-0.5 text-warn' : 'py-0.5'}>
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many incidents are not in the banner, where there are any. */
function More({ ui, href, n, className }: { ui: Ui; href: string; n: number; className: string }) {
  if (n === 0) return null;
  return (
    <span className={className}>
      {' '}
      <Link href={href} prefetch={false} className="link whitespace-nowrap text-[0.92em]">
        {ui.t('brief.more', { n })}
      </Link>
    </span>
  );
}

function edgeOf(sorted: readonly IncidentParts[], notes: readonly Note[], now: number): string {
  if (sorted.some((incident) => needsLook(incident, now))) return 'border-l-bad';
  return sorted.length > 0 || notes.some(({ warns }) => warns) ? 'border-l-warn' : 'border-l-line';
}

/** The incidents at the cells of a matrix or map, by `region carrier`, and what the cells say of them; the most urgent first. */
export type MarkedCells = ReadonlyMap<string, { id: string; text: string }[]>;

/** Where the incidents of a target are seen now. */
export function markedCells(
  ui: Ui,
  target: string,
  incidents: OpenIncident[],
  places: Location[],
  now: number,
): MarkedCells {
  const marked = new Map<string, { id: string; text: string }[]>();
  const sorted = incidents.map((incident) => incidentParts(incident, target, places)).sort(byUrgency);
  for (const parts of sorted)
    for (const key of keysOf(parts)) {
      const text = ui.t('brief.cell', { text: `${kindText(ui, parts)} · ${described(ui, parts, now).brief}` });
      marked.set(key, [...(marked.get(key) ?? []), { id: parts.id, text }]);
    }
  return marked;
}

const keysOf = ({ places }: IncidentParts) => places.map(({ region, carrier }) => `${region} ${carrier}`);

/** An incident in one line: its kind, the sentence about it as a link, whether it stands, and whether somebody has acknowledged it. */
function IncidentLine({ ui, parts, now }: { ui: Ui; parts: IncidentParts; now: number }) {
  const { t } = ui;
  return (
    <>
      <Badge
        tone={parts.acknowledged || parts.standing ? 'plain' : SEVERITY_TONES[parts.severity]}
        title={t(`severity.${parts.severity}`)}
      >
        {kindText(ui, parts)}
      </Badge>{' '}
      <Link href={`/incidents/${parts.id}`} prefetch={false} className="link">
        {described(ui, parts, now).brief}
      </Link>
      {parts.standing ? (
        <>
          {' '}
          <Badge tone="warn" title={t('incident.standingDef')}>
            {t('incident.status.standing')}
          </Badge>
        </>
      ) : null}
      {parts.acknowledged ? (
        <>
          {' '}
          <Badge tone="warn">{t('incident.status.acknowledged')}</Badge>
        </>
      ) : null}
    </>
  );
}
