import Link from 'next/link';
import type { Location } from '#contract/extent.ts';
import { byUrgency, type IncidentParts, incidentParts, type OpenIncident } from '#contract/incident-parts.ts';
import type { Target } from '#contract/target.ts';
import { kindText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';

import { IncidentLine } from '../incident/incident-line.tsx';
import { described } from '../incident/words.ts';
import { needsLook } from './rank.ts';

/** So many incidents have a line of their own in the banner. */
const LINES = 4;

type Props = { ui: Ui; target: Target; incidents: OpenIncident[]; places: Location[]; now: number };

/** The banner of a target's incidents that go on, the most urgent first; nothing where there are none. */
export function OpenIncidents({ ui, target, incidents, places, now }: Props) {
  const sorted = incidents.map((incident) => incidentParts(incident, target.id, places)).sort(byUrgency);
  return <IncidentBanner ui={ui} sorted={sorted} now={now} href={`/incidents?target=${target.id}`} />;
}

type VantageProps = Omit<Props, 'target'>;

/** The banner of incidents that are about vantages: no row of a target tells of them. */
export function VantageIncidents({ ui, incidents, places, now }: VantageProps) {
  const sorted = incidents.map((incident) => incidentParts(incident, null, places)).sort(byUrgency);
  return <IncidentBanner ui={ui} sorted={sorted} now={now} href="/incidents?kind=silent" />;
}

type BannerProps = { ui: Ui; sorted: IncidentParts[]; now: number; href: string };

function IncidentBanner({ ui, sorted, now, href }: BannerProps) {
  const { t } = ui;
  if (sorted.length === 0) return null;
  const more = sorted.length - LINES;
  const urgent = sorted.some(needsLook);
  return (
    <section
      aria-label={t('brief.title')}
      className={`panel mb-3 border-l-4 px-4 py-2 ${urgent ? 'border-l-bad' : 'border-l-warn'}`}
    >
      <ul>
        {sorted.slice(0, LINES).map((parts) => (
          <li key={parts.id} className="py-0.5">
            <IncidentLine ui={ui} parts={parts} now={now} />
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <Link href={href} prefetch={false} className="link text-[0.92rem]">
          {t('brief.more', { n: more })}
        </Link>
      ) : null}
    </section>
  );
}

/** What the cells of a matrix or map say of the incidents there, by `region carrier`; the most urgent first. */
export type MarkedCells = ReadonlyMap<string, string[]>;

/** Where the incidents of a target are seen now. */
export function markedCells(
  ui: Ui,
  target: string,
  incidents: OpenIncident[],
  places: Location[],
  now: number,
): MarkedCells {
  const marked = new Map<string, string[]>();
  const sorted = incidents.map((incident) => incidentParts(incident, target, places)).sort(byUrgency);
  for (const parts of sorted)
    for (const key of keysOf(parts)) {
      const text = `${kindText(ui, parts)} · ${described(ui, parts, now).brief}`;
      marked.set(key, [...(marked.get(key) ?? []), text]);
    }
  return marked;
}

const keysOf = ({ places }: IncidentParts) => places.map(({ region, carrier }) => `${region} ${carrier}`);
