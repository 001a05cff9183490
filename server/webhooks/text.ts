import { ComparisonHeadline } from '#contract/comparison.ts';
import type { IncidentCell } from '#contract/incident.ts';
import { cellTold } from '#contract/incident-parts.ts';
import type { Language } from '#contract/language.ts';
import type { WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import { verdictText } from '#i18n/comparison.ts';
import { excessText, whereText, withoutText } from '#i18n/explanation.ts';
import { describeIncident, findingText, measuredAs, reasonText, shareText, valueText } from '#i18n/incident.ts';
import { carrierName, locationName, regionName } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import { translator } from '#i18n/translator.ts';
import type { Voice } from '#i18n/ui.ts';
import { type Facts, factsOf, groupedCount, groupedOf, type Told } from './facts.ts';

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

/** A message is read by many: the zone of its times is that of its language, and named. */
export function voiceOf(language: Language): Voice {
  const t = translator(language);
  return { locale: language, t, timeZone: t('message.timeZone') };
}

/** `2026-11-21 08:00 UTC`, `2026-11-21 16:00（北京时间）`. */
const instantText = ({ t, timeZone }: Voice, instant: string) =>
  t('message.time', { time: formatTime(instant, timeZone, 'minute') });

/** The message in words of this language. */
export function textOf(payload: WebhookPayload, language: Language): Text {
  const voice = voiceOf(language);
  const { t } = voice;
  const facts = factsOf(payload);
  const entries = groupedOf(payload);
  const title = entries ? t('message.grouped', { n: groupedCount(payload) }) : titleOf(voice, payload);
  const lines = entries
    ? listed(
        voice,
        entries.map((entry) => titleOf(voice, entry)),
        groupedCount(payload),
      )
    : linesOf(voice, payload, facts);
  const tone = entries ? 'bad' : toneOf(payload.type, facts);
  return { title: `[Roundtrip] ${title}`, lines, link: webLink(facts.link), linkText: t('message.open'), tone };
}

/** One line that tells of an incident: what, where, how much, since when and why. It is `data.summary` of its messages. */
export function summaryOf(payload: WebhookPayload, language: Language): string {
  const comparison = comparisonOf(payload);
  if (comparison) return comparisonText(voiceOf(language), comparison);
  return described(voiceOf(language), factsOf(payload)).sentence;
}

/** What a message about a comparison tells of it; null where it is none. */
function comparisonOf({ type, data }: Pick<WebhookPayload, 'type' | 'data'>) {
  if (type !== 'comparison.ready') return null;
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : '');
  const headline = ComparisonHeadline.safeParse(data.headline).data ?? null;
  return { title: text('title'), targetName: text('targetName'), headline };
}
type ComparisonFacts = NonNullable<ReturnType<typeof comparisonOf>>;

const comparisonText = (voice: Voice, { headline }: ComparisonFacts) => (headline ? verdictText(voice, headline) : '');

const comparisonTitle = ({ t }: Voice, { title, targetName }: ComparisonFacts) =>
  t('message.field', { name: targetName, value: t('comparison.of', { title }) });

/** The incident of a message, which has all that its description is made of, alone and in a burst. */
const described = (voice: Voice, facts: Facts) =>
  describeIncident(voice, facts as Told, (at) => instantText(voice, at));

/** Markdown as the robots read it: a heading, a line each, a link. `cut` shortens all but the link. */
export function markdownOf(text: Text, cut: (told: string, link: string) => string = (told) => told): string {
  const link = text.link ? `\n\n[${text.linkText}](${text.link})` : '';
  return cut([`### ${unmarked(text.title)}`, ...text.lines.map(unmarked)].join('\n\n'), link) + link;
}

/** A text as it is `written`, in at most so many characters: cut before, so that none is half there, nor what stands for one. */
export function writtenWithin(text: string, most: number, written = (character: string) => character): string {
  let all = '';
  for (const character of text) {
    const next = written(character);
    if (all.length + next.length > most) break;
    all += next;
  }
  return all;
}

/**
 * A line without emphasis and code. Chats show a backslash as one, so what would be a mark, and that alone, is replaced by a
 * character that looks like it: `a_b*c` stays, the stars of `**x**` are others.
 */
export const unemphasized = (line: string): string =>
  line
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\*(?=.*\*)|(?<=\*.*)\*/g, '∗')
    .replace(/(?<![\p{L}\p{N}])_(?=.*_)|(?<=_.*)_(?![\p{L}\p{N}])/gu, '＿')
    .replace(/~(?=.*~)|(?<=~.*)~/g, '∼')
    .replaceAll('`', 'ˋ');

/** A line in which nothing is markup of a robot: no emphasis, no link, no mention (`<@all>`), no heading or quotation. */
const unmarked = (line: string): string =>
  unemphasized(line)
    .replaceAll('<', '＜')
    .replace(/^(\s*)([#>])/, (_, space: string, mark: string) => space + (mark === '#' ? '＃' : '＞'))
    .replaceAll('](', ']\u200b(');

/** Only what a browser opens as a page may become a link. */
const webLink = (link: string | null | undefined) => (link && /^https?:\/\/[^\s<>|"]+$/.test(link) ? link : null);

function toneOf(type: WebhookEventType, { severity, resolution }: Facts): Tone {
  if (resolution === 'accepted') return 'warning';
  if (resolution === 'unwatched' || resolution === 'superseded' || resolution === 'merged' || resolution === 'by_hand')
    return 'neutral';
  if (/resolved|improvement|recovered|renewed|healthy$|heard/.test(type) && !type.endsWith('unhealthy')) return 'good';
  if (type === 'webhook.test' || type === 'comparison.ready') return 'neutral';
  return severity === 'critical' ? 'bad' : 'warning';
}

function titleOf(voice: Voice, payload: Pick<WebhookPayload, 'type' | 'data'>): string {
  if (payload.type === 'webhook.test') return voice.t('message.testTitle');
  const comparison = comparisonOf(payload);
  return comparison ? comparisonTitle(voice, comparison) : described(voice, factsOf(payload)).title;
}

function linesOf(voice: Voice, payload: WebhookPayload, facts: Facts): string[] {
  const { t } = voice;
  if (payload.type === 'webhook.test') return [t('message.test')];
  const comparison = comparisonOf(payload);
  if (comparison) return [comparisonText(voice, comparison), ...(facts.demo ? [t('message.demo')] : [])];
  const { severity, resolution = null, cause, subCause, explanation, failure, onsetAt, evidence } = facts;
  const endedAt = facts.overAt ?? facts.resolvedAt;
  const line = (name: Field, value: string | null | undefined) =>
    value ? [t('message.field', { name: t(`message.${name}`), value })] : [];
  return [
    ...line('severity', severity && t(`severity.${severity}`)),
    ...line('since', onsetAt && instantText(voice, onsetAt)),
    ...line('openedAs', resolution === null && evidence?.openedAs === 'spike' ? t('incident.kind.spike') : null),
    ...line(endField(facts), endedAt && instantText(voice, endedAt)),
    ...line('ending', resolution && t(`message.endings.${resolution}`)),
    ...line('resolvedBy', resolution === 'merged' ? null : personText(voice, facts)),
    ...line('standing', resolution ? null : standingText(voice, facts)),
    ...line('mergedInto', resolution === 'merged' ? mergedText(facts) : null),
    ...line('failure', failure && [reasonText(voice, failure), failingText(voice, failure.share)].join(comma(voice))),
    ...line('where', vantagesText(voice, facts)),
    ...[withoutText(voice, facts.counterfactual) ?? []].flat(),
    ...line('cause', subCause ? t(`incident.subCause.${subCause}`) : cause && t(`incident.cause.${cause}`)),
    ...(explanation ? [excessText(voice, explanation), whereText(voice, explanation.where) ?? []].flat() : []),
    ...findingLines(voice, facts),
    ...cellLines(voice, facts),
    ...(facts.reminder ? [t('message.reminder')] : []),
    ...(facts.demo ? [t('message.demo')] : []),
  ];
}

/** Who resolved or accepted it; who was signed in to the dashboard is the administrator. */
const personText = ({ t }: Voice, { resolvedBy }: Facts) =>
  resolvedBy === 'dashboard' ? t('incident.administrator') : resolvedBy;

/** Since when a lasting change stands, and what it has cost so far; null where it does not. */
function standingText(voice: Voice, { standingSince, cost }: Facts): string | null {
  if (!standingSince) return null;
  const since = instantText(voice, standingSince);
  if (!cost) return since;
  const ms = formatQuantity(voice, cost.meanExcessMs, 'ms');
  return voice.t('message.standingCost', { since, ms, hours: Math.round(cost.hours) });
}

/** Where an incident goes on that became part of another: the address of that one's page, or its id where no address is known. */
function mergedText({ mergedInto, link }: Facts): string | null {
  const own = webLink(link);
  return mergedInto && own ? new URL(`/incidents/${mergedInto}`, own).href : (mergedInto ?? null);
}

/** Findings that appeared with the onset: which, since when, and what each costs. */
function findingLines(voice: Voice, { candidates = [] }: Facts): string[] {
  return candidates.flatMap((candidate) =>
    candidate.kind === 'finding'
      ? voice.t('message.finding', {
          finding: findingText(voice, candidate),
          time: instantText(voice, candidate.since),
        })
      : [],
  );
}

type Field =
  | 'severity'
  | 'since'
  | 'openedAs'
  | 'until'
  | 'acceptedAt'
  | 'foundAt'
  | 'ending'
  | 'resolvedBy'
  | 'standing'
  | 'mergedInto'
  | 'failure'
  | 'where'
  | 'cause';

/** What is known of the time at which an incident ended: an accepted level goes on, and so does an improvement. */
function endField({ kind, resolution }: Facts): Field {
  if (kind === 'improvement') return 'foundAt';
  return resolution === 'accepted' ? 'acceptedAt' : 'until';
}

const comma = ({ t }: Voice) => t('punctuation.comma');

const failingText = (voice: Voice, share: number) => voice.t('message.failing', { share: shareText(voice, share) });

/** `all results of 31 of 93 vantages fail`; null where that is not what the event is about. */
function vantagesText({ t }: Voice, { evidence }: Facts): string | null {
  const {
    vantagesDown: down,
    vantagesMeasured: measured,
    vantagesExpected,
    vantagesSilent: names = [],
  } = evidence ?? {};
  if (down == null || measured == null) return null;
  const all = vantagesExpected ?? measured;
  const told = t('message.vantagesDown', { down, all });
  const n = all - measured;
  if (n <= 0) return told;
  const listedNames = names.slice(0, LISTED).join(t('punctuation.list'));
  return told + t('message.vantagesSilent', { n, names: listedNames + (n > LISTED ? t('message.andMore') : '') });
}

/** A series a line, whatever number of its metrics moved. */
function cellLines(voice: Voice, facts: Facts): string[] {
  const { cells = [], cellsOmitted, metric, affected, kind } = facts;
  if (cells.length === 0) return [];
  const limitOf =
    kind === 'threshold' ? measuredAs({ kind, metric: metric ?? null, evidence: { ...facts.evidence } }) : undefined;
  const series = Map.groupBy(cells, ({ targetId, vantageId, region, carrier }) =>
    [targetId, vantageId, region, carrier].join(' '),
  );
  const lines = [...series.values()].flatMap((same) => {
    const cell = cellTold(same, metric ?? null);
    return cell ? [cellLine(voice, cell, limitOf)] : [];
  });
  // How many metrics of a series a long message leaves out is not known.
  const total = cellsOmitted ? Math.max(lines.length, affected?.series ?? lines.length + cellsOmitted) : lines.length;
  return [voice.t('message.cells', { n: total }), ...listed(voice, lines, total)];
}

/** `limitOf`: what the limit of a threshold is of. */
function cellLine(voice: Voice, cell: IncidentCell, limitOf: string | null | undefined): string {
  const { beforeMs, afterMs } = cell;
  const change =
    beforeMs === null || afterMs === null
      ? ''
      : limitOf !== undefined
        ? ` ${valueText(voice, limitOf, beforeMs)} → ${valueText(voice, limitOf, afterMs)}`
        : cell.metric === 'failures'
          ? `${voice.t('punctuation.colon')}${failuresText(voice, beforeMs, afterMs)}`
          : cell.metric === 'refused'
            ? `${voice.t('punctuation.colon')}${refusedText(voice, beforeMs, afterMs)}`
            : ` ${beforeMs.toFixed(1)} → ${afterMs.toFixed(1)} ms`;
  return `- ${cellName(voice, cell)}${change}`;
}

const failuresText = (voice: Voice, before: number, after: number) =>
  voice.t('message.failing', { share: `${shareText(voice, before)} → ${shareText(voice, after)}` });

const refusedText = (voice: Voice, before: number, after: number) =>
  voice.t('message.refused', { share: `${shareText(voice, before)} → ${shareText(voice, after)}` });

function cellName(voice: Voice, { targetName, vantageName, region, carrier }: IncidentCell): string {
  const place =
    region && carrier
      ? locationName(voice, region, carrier)
      : region
        ? regionName(voice, region)
        : carrier && carrierName(voice, carrier);
  return [targetName, vantageName ?? place].filter(Boolean).join(' · ');
}

function listed(voice: Voice, items: string[], total: number): string[] {
  const shown = items.slice(0, LISTED);
  return total > shown.length ? [...shown, voice.t('message.more', { n: total - shown.length })] : shown;
}
