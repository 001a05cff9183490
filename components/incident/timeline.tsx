import Link from 'next/link';
import { Cause } from '#contract/explanation.ts';
import type { IncidentDetail, IncidentEvent } from '#contract/incident.ts';
import { END_REASONS, type EndReason } from '#contract/incident-vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { Time } from '../ui/time.tsx';
import { actorName } from './actor.ts';
import { type CountedEvent, countedEvents } from './timeline-lines.ts';

/** What happened to an incident, the latest first. */
export function Timeline({ ui, incident: { events, cells } }: { ui: Ui; incident: IncidentDetail }) {
  return (
    <section className="panel mb-4 min-w-0 p-4" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{ui.t('incident.timeline')}</h2>
      <ol className="mt-2 grid gap-2">
        {countedEvents(events, cells)
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

function eventText({ t }: Ui, { kind, params, lines }: CountedEvent): string {
  switch (kind) {
    case 'opened':
    case 'cell_added':
      return t(`incident.event.${kind}`, { n: lines });
    case 'cell_recovered':
      return t(isRecovery(params.reason) ? 'incident.event.cell_recovered' : 'incident.event.cell_ended', { n: lines });
    case 'escalated':
      return t(params.to === 'down' ? 'incident.event.escalatedToDown' : 'incident.event.escalated');
    case 'merged':
      return t(typeof params.into === 'string' ? 'incident.event.mergedInto' : 'incident.event.merged');
    case 'split':
      return t(typeof params.from === 'string' ? 'incident.event.splitFrom' : 'incident.event.split');
    case 'not_useful':
      return t(params.undone === true ? 'incident.event.notUsefulUndone' : 'incident.event.not_useful');
    case 'told':
      return t('incident.event.told', { type: String(params.type ?? '') });
    default:
      return t(`incident.event.${kind}`);
  }
}

/** Which cause it was taken for, and which it is. */
function causesText({ t }: Ui, params: IncidentEvent['params']): string | null {
  const [from, to] = [Cause.safeParse(params.from).data, Cause.safeParse(params.to).data];
  return from && to ? `${t(`incident.cause.${from}`)} → ${t(`incident.cause.${to}`)}` : null;
}

const REASONS = Object.keys(END_REASONS) as EndReason[];

/** Whether lines that left an incident did so because they recovered; null: an older server, which did not say. */
const isRecovery = (reason: unknown): boolean =>
  REASONS.every((known) => known !== reason || ['recovered', 'rolled_back'].includes(END_REASONS[known]));

function Aside({ ui, event: { kind, params } }: { ui: Ui; event: IncidentEvent }) {
  const { t } = ui;
  const reason =
    kind === 'resolved' || kind === 'accepted' ? REASONS.find((known) => known === params.reason) : undefined;
  const texts = [
    reason ? t(`incident.resolvedReason.${reason}`) : null,
    kind === 'cause_changed' ? causesText(ui, params) : null,
    typeof params.by === 'string' ? t('incident.by', { name: actorName(ui, params.by) }) : null,
    typeof params.comment === 'string' ? params.comment : null,
  ].filter(Boolean);
  const other = kind === 'merged' || kind === 'split' ? (params.into ?? params.from) : null;
  const link = typeof other === 'string' ? `/incidents/${other}` : null;
  if (texts.length === 0 && link === null) return null;
  return (
    <span className="ml-2 text-[0.92rem] text-muted">
      {texts.join(' · ')}
      {link ? (
        <>
          {texts.length > 0 ? ' · ' : ''}
          <Link href={link} prefetch={false} className="link">
            {t('incident.toOther')}
          </Link>
        </>
      ) : null}
    </span>
  );
}
