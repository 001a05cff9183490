import { INCIDENT_EVENT_TYPES } from '#contract/incident.ts';
import type { Language } from '#contract/webhook.ts';
import { WebhookEventType, type WebhookPayload } from '#contract/webhook-event.ts';
import { type CellFacts, type Facts, factsOf, groupedCount, groupedOf } from './facts.ts';
import { instantText } from './instant.ts';
import { placeName } from './places.ts';
import { REASONS, reasonText } from './reasons.ts';
import { WORDS, type Words } from './words.ts';

/** How a message feels, for the formats that have colours; the words never rely on it. */
export type Tone = 'bad' | 'warning' | 'good' | 'neutral';

/** A message for people. Plain text: each format escapes it for itself. */
export type Text = { title: string; lines: string[]; link: string | null; linkText: string; tone: Tone };

export const COLOURS: Record<Tone, string> = {
  bad: '#d03b3b',
  warning: '#d9822b',
  good: '#2a9d5c',
  neutral: '#5b7083',
};

/** Most cells, or events of a burst, that a message lists. */
const LISTED = 5;

/** The message in words of this language. */
export function textOf(payload: WebhookPayload, language: Language): Text {
  const words = WORDS[language];
  const facts = factsOf(payload);
  const entries = groupedOf(payload);
  const title = entries ? words.grouped(groupedCount(payload)) : titleOf(payload, facts, words);
  const lines = entries
    ? listed(entries.map(titleOfEntry(words)), groupedCount(payload), words)
    : linesOf(payload, facts, words);
  const tone = entries ? 'bad' : toneOf(payload.type, facts);
  return { title: `[Roundtrip] ${title}`, lines, link: webLink(facts.link), linkText: words.open, tone };
}

/** Markdown as the robots read it: a heading, a line each, a link. */
export function markdownOf(text: Text): string {
  const link = text.link ? [`[${text.linkText}](${text.link})`] : [];
  return [`### ${escapeMarkdown(text.title)}`, ...text.lines.map(escapeMarkdown), ...link].join('\n\n');
}

const escapeMarkdown = (line: string) => line.replace(/[\\`*_[\]<>#]/g, (mark) => `\\${mark}`).replace(/\n/g, ' ');

/** Only what a browser opens as a page may become a link. */
const webLink = (link: string | null | undefined) => (link && /^https?:\/\/[^\s<>|"]+$/.test(link) ? link : null);

function toneOf(type: WebhookEventType, { severity, resolution }: Facts): Tone {
  if (resolution === 'accepted') return 'warning';
  if (resolution === 'unwatched' || resolution === 'superseded' || resolution === 'by_hand') return 'neutral';
  if (/resolved|improvement|recovered|renewed|healthy$|heard/.test(type) && !type.endsWith('unhealthy')) return 'good';
  if (type === 'webhook.test') return 'neutral';
  return severity === 'critical' ? 'bad' : 'warning';
}

function titleOf(payload: Pick<WebhookPayload, 'type'>, facts: Facts, words: Words): string {
  const metric = facts.metric && (words.metrics[facts.metric] ?? facts.metric);
  const subject = subjectOf(facts, words);
  const head = eventName(payload.type, facts, words) + (subject ? `${words.colon}${subject}` : '');
  const reason = facts.failure && REASONS[facts.failure.reason][words.language];
  const effect = [metric, effectOf(facts)].filter(Boolean).join(' ');
  return [head, effect, daysOf(payload.type, facts, words), reason].filter(Boolean).join(', ');
}

/** The event in words: of an end that is no recovery, what the incident was, and what became of it. */
function eventName(type: WebhookEventType, { resolution, evidence }: Facts, words: Words): string {
  const kind = Object.values(INCIDENT_EVENT_TYPES).find(
    ({ resolved, accepted }) => type === resolved || type === accepted,
  );
  if (type === 'certificate.expiring' && (evidence?.daysLeft ?? 0) < 0) return words.expired;
  if (!kind || resolution == null || resolution === 'recovered' || resolution === 'rolled_back')
    return words.events[type];
  return words.endedAs[resolution](words.events[kind.open]);
}

function titleOfEntry(words: Words) {
  return ({ type, timestamp, data }: { type: string; timestamp: string; data: Record<string, unknown> }): string => {
    const known = WebhookEventType.safeParse(type).data;
    return known ? titleOf({ type: known }, factsOf({ type: known, timestamp, data }), words) : type;
  };
}

function subjectOf({ targetName, carrier, region, cells, ruleName }: Facts, words: Words): string {
  const place = placeName({ region, carrier }, words.language);
  const only = cells.length === 1 ? cells[0]?.vantageName : null;
  const names = [targetName, place || only].filter(Boolean).join(' · ');
  return names || (cells[0] ? nameOfCell(cells[0], words) : (ruleName ?? ''));
}

/** `+45.0 ms (+120%)`, of failures `38%`; empty where the event has no size. */
function effectOf({ effectMs, effectRatio, metric, failure }: Facts): string {
  if (metric === 'failures' && failure) return percent(failure.share);
  const ratio = effectRatio == null ? '' : `${signed(effectRatio * 100, 0)}%`;
  if (effectMs == null || metric === 'failures') return ratio;
  return `${signed(effectMs, 1)} ms${ratio ? ` (${ratio})` : ''}`;
}

/** Days of a certificate: whole ones, so that of one that ended an hour ago -1 is left. */
function daysOf(type: WebhookEventType, { evidence }: Facts, words: Words): string | null {
  const days = evidence?.daysLeft;
  if (type !== 'certificate.expiring' || days == null) return null;
  return days < 0 ? words.expiredAgo(-days - 1) : words.daysLeft(days);
}

/** `31 of 93 vantages`; null where that is not what the event is about. */
function vantagesOf({ evidence }: Facts, words: Words): string | null {
  const { vantagesDown: down, vantagesMeasured: all } = evidence ?? {};
  return down == null || all == null ? null : words.vantagesDown(down, all);
}

const signed = (value: number, digits: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;

function linesOf(payload: WebhookPayload, facts: Facts, words: Words): string[] {
  if (payload.type === 'webhook.test') return [words.test];
  const line = (name: string, value: string | null | undefined) => (value ? [`${name}${words.colon}${value}`] : []);
  const time = (instant: string | null | undefined) => instant && instantText(instant, words.language);
  return [
    ...line(words.severity, facts.severity && (words.severities[facts.severity] ?? facts.severity)),
    ...line(words.since, time(facts.onsetAt ?? facts.openedAt)),
    ...line(facts.resolution === 'accepted' ? words.acceptedAt : words.until, time(facts.resolvedAt)),
    ...line(words.ending, facts.resolution && words.endings[facts.resolution]),
    ...line(words.failure, failureOf(facts, words)),
    ...line(words.where, vantagesOf(facts, words)),
    ...line(words.cause, facts.cause && (words.causes[facts.cause] ?? facts.cause)),
    ...cellLines(facts, words),
    ...(facts.reminder ? [words.reminder] : []),
    ...(facts.demo ? [words.demo] : []),
  ];
}

/** `Certificate expired (phase TLS), 100% of probes fail`. */
function failureOf({ failure }: Facts, words: Words): string | null {
  if (!failure) return null;
  return `${reasonText(failure, words.language)}${words.comma}${words.failing(percent(failure.share))}`;
}

/** A share of probes: `38%`, `2.4%`; 100% only where it is all of them. */
function percent(share: number): string {
  const shown = share < 1 ? Math.min(share * 100, 99.9) : 100;
  return `${Number(shown.toFixed(shown < 10 || shown > 99 ? 1 : 0))}%`;
}

function cellLines({ cells, cellsOmitted, metric }: Facts, words: Words): string[] {
  if (cells.length === 0) return [];
  const total = cells.length + (cellsOmitted ?? 0);
  return [
    words.cells(total),
    ...listed(
      cells.map((cell) => cellLine(cell, metric, words)),
      total,
      words,
    ),
  ];
}

function cellLine(cell: CellFacts, metric: string | null | undefined, words: Words): string {
  const { beforeMs, afterMs } = cell;
  const ofFailures = (cell.metric ?? metric) === 'failures';
  const change =
    beforeMs == null || afterMs == null
      ? ''
      : ofFailures
        ? `${words.colon}${words.failing(`${percent(beforeMs)} → ${percent(afterMs)}`)}`
        : ` ${beforeMs.toFixed(1)} → ${afterMs.toFixed(1)} ms`;
  return `- ${nameOfCell(cell, words)}${change}`;
}

const nameOfCell = ({ targetName, vantageName, region, carrier }: CellFacts, { language }: Words) =>
  [targetName, vantageName ?? placeName({ region, carrier }, language)].filter(Boolean).join(' · ');

function listed(items: string[], total: number, words: Words): string[] {
  const shown = items.slice(0, LISTED);
  return total > shown.length ? [...shown, words.more(total - shown.length)] : shown;
}
