import type { IncidentEvent } from '#contract/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { Time } from '../ui/time.tsx';

/** What happened to an incident, the latest first. */
export function Timeline({ ui, events }: { ui: Ui; events: IncidentEvent[] }) {
  return (
    <section className="panel mb-4 min-w-0 p-4" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{ui.t('incident.timeline')}</h2>
      <ol className="mt-2 grid gap-2">
        {joined(events)
          .toReversed()
          .map((event) => (
            <li key={event.id} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 border-line border-t pt-2">
              <span className="text-[0.92rem] text-muted">
                <Time ui={ui} at={event.at} />
              </span>
              <span className="min-w-0">
                <span className="font-medium">{eventText(ui, event)}</span>
                <Aside ui={ui} event={event} />
                {event.text ? <span className="block whitespace-pre-line break-words">{event.text}</span> : null}
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}

/** Lines join and leave by handfuls within minutes: a run of the same stands once, at its last time, its lines added up. */
function joined(events: IncidentEvent[]): IncidentEvent[] {
  const shown: IncidentEvent[] = [];
  for (const event of events) {
    const before = shown.at(-1);
    const runs = (event.kind === 'cell_added' || event.kind === 'cell_recovered') && before?.kind === event.kind;
    if (!runs) shown.push(event);
    else {
      const cells = countOf(before.params.cells) + countOf(event.params.cells);
      shown[shown.length - 1] = { ...event, params: { ...event.params, cells } };
    }
  }
  return shown;
}

function eventText({ t }: Ui, { kind, params }: IncidentEvent): string {
  const n = countOf(params.cells);
  switch (kind) {
    case 'opened':
    case 'cell_added':
    case 'cell_recovered':
      return t(`incident.event.${kind}`, { n });
    case 'told':
      return t('incident.event.told', { type: String(params.type ?? '') });
    default:
      return t(`incident.event.${kind}`);
  }
}

/** Events name their cells or count them. */
const countOf = (cells: unknown) => (Array.isArray(cells) ? cells.length : Number(cells ?? 0));

const REASONS = ['by_hand', 'rule_deleted', 'quiet', 'new_level', 'rolled_back', 'healthy', 'gone'] as const;

function Aside({ ui: { t }, event: { kind, params } }: { ui: Ui; event: IncidentEvent }) {
  const reason = kind === 'resolved' ? REASONS.find((known) => known === params.reason) : undefined;
  const texts = [
    reason ? t(`incident.resolvedReason.${reason}`) : null,
    typeof params.by === 'string' ? t('incident.by', { name: params.by }) : null,
    typeof params.comment === 'string' ? params.comment : null,
  ].filter(Boolean);
  return texts.length > 0 ? <span className="ml-2 text-[0.92rem] text-muted">{texts.join(' · ')}</span> : null;
}
