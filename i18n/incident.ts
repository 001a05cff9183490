import { z } from 'zod';
import { type Extent, type ExtentSum, extentOf, type Location, sumOf } from '#contract/extent.ts';
import type { FailureKind, FailureSum } from '#contract/failure.ts';
import type { Incident, IncidentCandidate } from '#contract/incident.ts';
import type { Described } from '#contract/incident-parts.ts';
import { METRICS, STATS, type Unit } from '#contract/vocabulary.ts';
import { carrierName, locationName, regionName } from './names.ts';
import { formatChange, formatNumber, formatQuantity } from './numbers.ts';
import { sinceText } from './time.ts';
import type { Voice } from './ui.ts';

// What happened, in the reader's language: pages, messages and `data.summary` all say it with `describeIncident`.

/** An incident in words. A part is null where the incident has none: a certificate is in no place. */
export type Description = {
  /** What it is called, whatever became of it: `Spike`. */
  kind: string;
  /** The same with what became of it: `Spike over`. */
  what: string;
  /** The targets, or of an incident about none the vantages: `shop, mail`; of more than three how many. */
  targets: string | null;
  /** All of where it is, summed up: `Unicom, 31 of 31 provinces`. */
  where: string | null;
  /** How much: `TLS +47 ms (+85%)`. */
  effect: string | null;
  since: string | null;
  cause: string | null;
  /** By its target alone: `Spike: shop`; of several by where it is: `Spike: Unicom, 31 of 31 provinces`. */
  name: string;
  /** What the name leaves out: where it is, or which targets. */
  rest: string | null;
  /** `Spike: shop · Unicom, 31 of 31 provinces`; of several targets `Spike: Unicom, 31 of 31 provinces · shop, mail`. */
  headline: string;
  /** With what became of it, and how much. */
  title: string;
  /** Where, how much, since when and why, for readers who see beside it what it is and of which target. */
  brief: string;
  /** The same with its targets, for readers who see what it is: `Unicom, 31 of 31 provinces · shop, mail, TLS +57 ms since 02:06`. */
  about: string;
  /** All of it. */
  sentence: string;
};

/** Puts an incident into words; `time` writes an instant. */
export function describeIncident(ui: Voice, incident: Described, time: (at: string) => string): Description {
  const { t } = ui;
  const comma = t('punctuation.comma');
  const kind = kindText(ui, incident);
  const what = whatText(ui, incident, kind);
  const targets = proberText(ui, incident) ?? targetsText(ui, incident.affected);
  const where = extentText(ui, incident.affected);
  const effect = effectText(ui, incident);
  // A certificate's days say when; the instant at which they were first seen says nothing.
  const since = incident.kind === 'certificate' ? null : t('brief.since', { time: time(incident.onsetAt) });
  const cause = causeText(ui, incident);
  // What several targets have in common is where they are measured.
  const isPlace = incident.affected.targets > 1 && where !== null;
  const subject = (isPlace ? [where, targets] : [targets, where]).filter(Boolean).join(' · ');
  const named = (name: string, of = subject) => (of ? t('incident.headline', { kind: name, subject: of }) : name);
  const title = [named(what), effect].filter(Boolean).join(comma);
  const quiet = incident.quietSince ? t('brief.quiet', { time: time(incident.quietSince) }) : null;
  const effectSince = effect && since ? t('brief.effectSince', { effect, since }) : (effect ?? since);
  return {
    kind,
    what,
    targets,
    where,
    effect,
    since,
    cause,
    name: named(kind, (isPlace ? where : targets) ?? ''),
    rest: isPlace ? targets : where,
    headline: named(kind),
    title,
    brief: [where, effectSince, cause, quiet].filter(Boolean).join(comma),
    about: [subject, effectSince, cause, quiet].filter(Boolean).join(comma),
    sentence: [title, since, cause].filter(Boolean).join(comma),
  };
}

function causeText({ t }: Voice, { cause, subCause }: Described): string | null {
  if (subCause) return t(`brief.subCause.${subCause}`);
  return cause ? t(`brief.cause.${cause}`) : null;
}

/** Whether a certificate's incident is about one that has expired already. */
export const isExpired = ({ kind, evidence }: Pick<Incident, 'kind' | 'evidence'>): boolean =>
  kind === 'certificate' && (Certificate.safeParse(evidence).data?.daysLeft ?? 0) < 0;

/** What it is called: `Spike`; a certificate that has expired is not said to expire. */
export const kindText = ({ t }: Voice, incident: Pick<Incident, 'kind' | 'evidence'>): string =>
  t(
    isExpired(incident)
      ? 'incident.expired'
      : silentProber(incident)
        ? 'incident.proberSilent'
        : `incident.kind.${incident.kind}`,
  );

const SilentProber = z.object({
  prober: z.object({ host: z.string().nullable(), vantages: z.int(), silent: z.int() }),
});

/** The prober of which nothing comes from any of its vantages; null where it has one alone, or others report. */
function silentProber({ kind, evidence }: Pick<Incident, 'kind' | 'evidence'>) {
  const prober = kind === 'silent' ? SilentProber.safeParse(evidence).data?.prober : undefined;
  return prober && prober.vantages > 1 && prober.silent >= prober.vantages ? prober : null;
}

/** What became of it: an end that is no recovery is not called one. */
function whatText({ t }: Voice, incident: Described, name: string): string {
  const { kind, resolution } = incident;
  if (resolution == null) return name;
  if (resolution === 'recovered' || resolution === 'rolled_back')
    return t(silentProber(incident) ? 'incident.proberHeard' : `incident.over.${kind}`);
  return t(`incident.endedAs.${resolution}`, { kind: name });
}

/** `bj-1: 93 vantages`. */
function proberText({ t }: Voice, incident: Described): string | null {
  const prober = silentProber(incident);
  return prober?.host ? t('incident.proberSubject', { host: prober.host, n: prober.vantages }) : null;
}

/** Names of several targets that are longer together than this are counted. */
const MOST_NAMES = 60;

function targetsText({ t }: Voice, { targets, targetNames, vantages, vantageNames }: Described['affected']) {
  const list = t('punctuation.list');
  if (targets > 0) {
    const names = targetNames.join(list);
    const isShort = names.length > 0 && (targets === 1 || names.length <= MOST_NAMES);
    return isShort ? names : t('incidents.targets', { n: targets });
  }
  if (vantages === 0) return targetNames[0] ?? null;
  return vantageNames.length > 0 ? vantageNames.join(list) : t('incidents.vantages', { n: vantages });
}

/** More carriers than this are counted, not named. */
const MAX_CARRIERS = 3;

/**
 * Where something is: `Unicom, 31 of 31 provinces`; few places by their names, `Unicom in Guangdong, Hainan`; or few that are spared,
 * `Unicom, all but Xinjiang (30 of 31 provinces)`; `everywhere (3 carriers, 31 provinces)`. Null of nowhere.
 */
export function extentText(ui: Voice, { everywhere, spared, regions, provinces, carriers }: ExtentSum): string | null {
  const { t } = ui;
  const unit = t(provinces ? 'extent.provinces' : 'extent.regions');
  const comma = t('punctuation.list');
  const [first] = carriers;
  if (!first) return null;
  if (carriers.length === 1) {
    if (first.region) return locationName(ui, first.region, first.carrier);
    const named = (list: readonly string[]) => list.map((region) => regionName(ui, region)).join(comma);
    const values = { carrier: carrierName(ui, first.carrier), n: first.regions, of: first.of, unit };
    if (first.regions === first.of) return t('extent.carrier', values);
    if (first.named.length > 0) return t('extent.carrierIn', { ...values, list: named(first.named) });
    if (first.spared.length > 0) return t('extent.carrierBut', { ...values, list: named(first.spared) });
    return t('extent.carrier', values);
  }
  if (everywhere && regions > 1) return t('extent.everywhere', { carriers: carriers.length, n: regions, unit });
  if (spared.length > 0) {
    const list = spared.map(({ region, carrier }) => locationName(ui, region, carrier)).join(comma);
    return t('extent.everywhereBut', { list });
  }
  const named = carriers.slice(0, MAX_CARRIERS);
  const more = carriers.length - named.length;
  if (more === 0 && regions === 1 && first.region) {
    const names = named.map(({ carrier }) => carrierName(ui, carrier)).join(comma);
    return t('extent.region', { region: regionName(ui, first.region), carriers: names });
  }
  if (more === 0 && named.every(({ region }) => region !== null))
    return named.map(({ region, carrier }) => locationName(ui, region ?? '', carrier)).join(comma);
  const list = named
    .map(({ carrier, regions: n, of }) => t('extent.share', { carrier: carrierName(ui, carrier), n, of }))
    .join(comma);
  return more > 0 ? t('extent.more', { list, unit, n: more }) : t('extent.shares', { list, unit });
}

/** Where these places are, against all at which the target is measured; null of none. */
export const placesText = (ui: Voice, affected: readonly Location[], measured: readonly Location[]): string | null => {
  const extent: Extent | null = extentOf(affected, measured);
  return extent && extentText(ui, sumOf(extent));
};

/** A share of probes: `38%`, `2.4%`, `<0.1%`; 100% only where it is all of them. */
export function shareText({ locale }: Voice, share: number): string {
  if (share > 0 && share < 0.001) return `<${formatNumber(locale, 0.1, 1)}%`;
  const digits = share < 0.1 || share > 0.99 ? 1 : 0;
  const shown = share < 1 ? Math.min(share * 100, 99.9) : 100;
  return `${formatNumber(locale, shown, digits)}%`;
}

/** `Certificate expired (phase TLS)`; of a failure of the resolver it says so. */
export const reasonText = ({ t }: Voice, { reason, phase, source }: FailureKind): string =>
  t('failing.reason', { reason: t(`failure.${reason}`), phase: t(`metric.${phase}`), source });

/** The probable cause of an incident; of failures the reason that the probes gave. */
export function whyText(
  ui: Voice,
  { cause, subCause, failure }: Pick<Incident, 'cause' | 'failure'> & Partial<Pick<Incident, 'subCause'>>,
): string | null {
  if (failure) return reasonText(ui, failure);
  if (subCause) return ui.t(`incident.subCause.${subCause}`);
  return cause ? ui.t(`incident.cause.${cause}`) : null;
}

/** A finding that appeared, and what it costs: `HelloRetryRequest: 1 round trip, 28 ms`. */
export function findingText(ui: Voice, { code, savesRoundTrips, savesMs }: AppearedFinding): string {
  const name = ui.t(`finding.${code}`);
  if (!savesMs || savesRoundTrips === null) return name;
  return ui.t('incident.findingCosts', {
    name,
    roundTrips: Math.round(savesRoundTrips),
    time: formatQuantity(ui, savesMs, 'ms'),
  });
}

type AppearedFinding = Pick<Extract<IncidentCandidate, { kind: 'finding' }>, 'code' | 'savesRoundTrips' | 'savesMs'>;

/**
 * Why probes fail, how many, where and since when: of what goes on the share since then, else that of the range. What the
 * prober itself got wrong is told apart.
 */
export function failureSentence(ui: Voice, failure: FailureSum, measured: readonly Location[], now: number): string {
  const { since, source } = failure;
  const kind = source === 'prober' ? 'prober' : since === null ? 'past' : 'now';
  return ui.t(`failing.${kind}`, {
    share: shareText(ui, kind === 'now' ? (failure.shareSince ?? failure.share) : failure.share),
    reason: reasonText(ui, failure),
    where: placesText(ui, failure.places, measured) ?? ui.t('common.noValue'),
    time: sinceText(ui, kind === 'now' && since !== null ? since : failure.lastAt, now),
  });
}

/** The name of an incident's metric; `failures` is one that charts do not have. Null where there is none. */
export function metricName({ t }: Voice, metric: string | null): string | null {
  if (metric === null) return null;
  if (metric === 'failures') return t('incident.metricFailures');
  const known = METRICS.find((name) => name === metric);
  return known ? t(`metric.${known}`) : metric;
}

/** What decides the unit of an incident's values: its metric, or the statistic of its threshold where that is no time. */
export function measuredAs({
  kind,
  metric,
  evidence: { stat },
}: Pick<Incident, 'kind' | 'metric' | 'evidence'>): string | null {
  return kind === 'threshold' && (stat === 'availability' || stat === 'count') ? stat : metric;
}

const UNITS: Record<string, Unit> = {
  failures: 'ratio',
  refused: 'ratio',
  availability: 'ratio',
  count: 'count',
  roundTrips: 'roundTrips',
};

/** A value of what `measuredAs` says, with its unit: shares are in per cent. */
export function valueText(ui: Voice, measured: string | null, value: number | null): string {
  return formatQuantity(ui, value, UNITS[measured ?? ''] ?? 'ms');
}

const Staple = z.object({ servers: z.array(z.object({ hitRatio: z.number() })).min(1) });
const Certificate = z.object({ daysLeft: z.number() });
const Down = z.object({
  vantagesDown: z.number(),
  vantagesMeasured: z.number(),
  vantagesExpected: z.number().optional(),
});

/** How bad an incident is that has no milliseconds: as its rule saw it; null where the evidence does not say. */
export function badgeText(ui: Voice, { kind, evidence }: Pick<Incident, 'kind' | 'evidence'>): string | null {
  const { t } = ui;
  if (kind === 'staple') {
    const servers = Staple.safeParse(evidence).data?.servers.map(({ hitRatio }) => hitRatio);
    return servers ? t('incident.badge.staple', { ratio: formatQuantity(ui, Math.min(...servers), 'ratio') }) : null;
  }
  if (kind === 'certificate') {
    const seen = Certificate.safeParse(evidence).data;
    if (!seen) return null;
    // Days are whole: of one that ended an hour ago, -1 is left.
    return seen.daysLeft < 0
      ? t('result.expired', { days: -seen.daysLeft - 1 })
      : t('incident.badge.certificate', { n: seen.daysLeft });
  }
  if (kind !== 'down') return null;
  const seen = Down.safeParse(evidence).data;
  if (!seen) return null;
  const { vantagesDown: down, vantagesMeasured: measured, vantagesExpected: all = measured } = seen;
  const said = t('incident.badge.down', { down, all });
  return all > measured ? said + t('incident.badge.silent', { n: all - measured }) : said;
}

function effectText(ui: Voice, incident: Described): string | null {
  const { kind, metric, effectMs, effectRatio, affected } = incident;
  if (kind === 'threshold') return thresholdText(ui, incident);
  const failing = kind === 'down' || metric === 'failures' ? failingText(ui, incident) : null;
  if (failing !== null) return failing;
  if (metric === 'refused') return refusedText(ui, affected);
  const ratio = effectRatio === null ? null : formatChange(ui.locale, effectRatio);
  const name = metricName(ui, metric);
  if (effectMs === null || metric === 'failures')
    return badgeText(ui, incident) ?? levelText(ui, metric, affected) ?? (ratio && [name, ratio].join(' ').trim());
  const effect = ui.t('brief.effect', {
    metric: name ?? 'none',
    amount: `${effectMs < 0 ? '−' : '+'}${amountText(ui, Math.abs(effectMs))}`,
    ratio: ratio ?? 'none',
  });
  return [effect, fullText(ui, affected)].filter(Boolean).join(ui.t('punctuation.comma'));
}

/** `full handshakes 15% → 46%`, where their share moved; else null. */
export const fullText = (ui: Voice, { full }: Pick<Described['affected'], 'full'>): string | null =>
  full && ui.t('brief.full', { before: shareText(ui, full.before), after: shareText(ui, full.after) });

/** A share is told as one, never in ms. */
function refusedText(ui: Voice, { before, after }: Described['affected']): string | null {
  if (after === null) return null;
  if (before === null) return ui.t('incident.badge.refused', { share: shareText(ui, after) });
  return ui.t('brief.refused', { before: shareText(ui, before), after: shareText(ui, after) });
}

/** A sentence has no room for decimals: `47 ms`, but `4.7 ms`. */
const amountText = ({ locale, t }: Voice, ms: number) =>
  `${formatNumber(locale, ms, ms < 9.95 ? 1 : 0)} ${t('unit.ms')}`;

const levelText = (ui: Voice, metric: string | null, { before, after }: Described['affected']) =>
  before === null || after === null ? null : `${valueText(ui, metric, before)} → ${valueText(ui, metric, after)}`;

function thresholdText(ui: Voice, { kind, metric, evidence, affected: { before, after } }: Described): string | null {
  if (before === null || after === null) return null;
  const measured = measuredAs({ kind, metric, evidence });
  const stat = STATS.find((name) => name === evidence.stat);
  const name = METRICS.find((each) => each === metric);
  const names = [measured === metric && name ? ui.t(`metric.${name}`) : null, stat ? ui.t(`stat.${stat}`) : null];
  return ui.t('brief.threshold', {
    metric: names.filter(Boolean).join(' '),
    value: valueText(ui, measured, after),
    limit: valueText(ui, measured, before),
  });
}

/** Levels of failures are shares of probes; where none are known, the reason's own share is told. */
function failingText(ui: Voice, { failure, affected: { before, after }, evidence, kind }: Described): string | null {
  const reason = failure ? reasonText(ui, failure) : 'none';
  if (after !== null && before !== null && after > before)
    return ui.t('brief.failingShare', { before: shareText(ui, before), after: shareText(ui, after), reason });
  const share = after ?? failure?.share ?? null;
  if (share !== null) return ui.t('brief.failing', { share: shareText(ui, share), reason });
  return badgeText(ui, { kind, evidence });
}
