import type { Extent } from '#contract/extent.ts';
import { extentOf, type Location } from '#contract/extent.ts';
import type { FailureKind, FailureSum } from '#contract/failure.ts';
import type { Incident } from '#contract/incident.ts';
import type { IncidentParts } from '#contract/incident-parts.ts';
import { CHINA_REGIONS } from '#contract/location.ts';
import { METRICS, STATS } from '#contract/vocabulary.ts';
import { carrierName, locationName, regionName } from '#i18n/names.ts';
import { formatChange, formatNumber } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { sinceText } from '../ui/since.ts';
import { gravityText } from './gravity.ts';
import { measuredAs, metricName, valueText } from './words.ts';

/** More carriers than this are counted, not named. */
const MAX_CARRIERS = 3;

/**
 * Where something is: `Unicom, 31 of 31 provinces`; a single place by its name; `everywhere (3 carriers, 31 provinces)`.
 */
export function extentText(ui: Ui, { everywhere, regions, carriers }: Extent): string {
  const { t } = ui;
  const unit = t(regions.every((region) => IN_CHINA.has(region)) ? 'extent.provinces' : 'extent.regions');
  const [first] = carriers;
  const [region] = regions;
  if (carriers.length === 1 && first) {
    const [only] = first.regions;
    if (first.regions.length === 1 && only) return locationName(ui, only, first.carrier);
    return t('extent.carrier', {
      carrier: carrierName(ui, first.carrier),
      n: first.regions.length,
      of: first.of,
      unit,
    });
  }
  if (everywhere && regions.length > 1)
    return t('extent.everywhere', { carriers: carriers.length, n: regions.length, unit });
  const comma = ui.locale === 'zh-CN' ? '、' : ', ';
  const named = carriers.slice(0, MAX_CARRIERS);
  if (regions.length === 1 && region && carriers.length <= MAX_CARRIERS) {
    const names = named.map(({ carrier }) => carrierName(ui, carrier)).join(comma);
    return t('extent.region', { region: regionName(ui, region), carriers: names });
  }
  const list = named
    .map(({ carrier, regions: { length }, of }) =>
      t('extent.share', { carrier: carrierName(ui, carrier), n: length, of }),
    )
    .join(comma);
  const more = carriers.length - named.length;
  return more > 0 ? t('extent.more', { list, unit, n: more }) : t('extent.shares', { list, unit });
}

const IN_CHINA: ReadonlySet<string> = new Set(CHINA_REGIONS);

/** A share of probes: `38%`, `2.4%`, `<0.1%`; 100% only where it is all of them. */
export function shareText({ locale }: Ui, share: number): string {
  if (share > 0 && share < 0.001) return `<${formatNumber(locale, 0.1, 1)}%`;
  const digits = share < 0.1 || share > 0.99 ? 1 : 0;
  const shown = share < 1 ? Math.min(share * 100, 99.9) : 100;
  return `${formatNumber(locale, shown, digits)}%`;
}

/** `Certificate expired (phase TLS)`; of a failure of the resolver it says so. */
export const reasonText = ({ t }: Ui, { reason, phase, source }: FailureKind): string =>
  t('failing.reason', { reason: t(`failure.${reason}`), phase: t(`metric.${phase}`), source });

/** The probable cause of an incident; of failures the reason that the probes gave. */
export function whyText(ui: Ui, { cause, failure }: Pick<Incident, 'cause' | 'failure'>): string | null {
  if (failure) return reasonText(ui, failure);
  return cause ? ui.t(`incident.cause.${cause}`) : null;
}

/**
 * Why probes fail, how many, where and since when: of what goes on the share since then, else that of the range. What the
 * prober itself got wrong is told apart.
 */
export function failureSentence(ui: Ui, failure: FailureSum, measured: readonly Location[], now: number): string {
  const extent = extentOf(failure.places, measured);
  const { since, source } = failure;
  const kind = source === 'prober' ? 'prober' : since === null ? 'past' : 'now';
  return ui.t(`failing.${kind}`, {
    share: shareText(ui, kind === 'now' ? (failure.shareSince ?? failure.share) : failure.share),
    reason: reasonText(ui, failure),
    where: extent ? extentText(ui, extent) : ui.t('common.noValue'),
    time: sinceText(ui, kind === 'now' && since !== null ? since : failure.lastAt, now),
  });
}

/**
 * One sentence about an incident that goes on: `Unicom, 31 of 31 provinces, +47 ms (+85%) since 23:58, network`. Every page
 * that sums one up says it so.
 */
export function incidentSentence(ui: Ui, parts: IncidentParts, now: number): string {
  const { t } = ui;
  const chinese = ui.locale === 'zh-CN';
  const what = effectText(ui, parts);
  // A certificate's days say when; the instant at which they were first seen says nothing.
  const since = parts.kind === 'certificate' ? null : t('brief.since', { time: sinceText(ui, parts.since, now) });
  return [
    parts.extent ? extentText(ui, parts.extent) : null,
    ...(chinese ? [what, since] : [[what, since].filter(Boolean).join(' ')]),
    parts.cause ? t(`brief.cause.${parts.cause}`) : null,
    parts.quietSince ? t('brief.quiet', { time: sinceText(ui, parts.quietSince, now) }) : null,
  ]
    .filter(Boolean)
    .join(chinese ? '，' : ', ');
}

function effectText(ui: Ui, parts: IncidentParts): string | null {
  const { kind, metric, effectMs, effectRatio, after, before } = parts;
  if (kind === 'threshold') return thresholdText(ui, parts);
  if (kind === 'down' || metric === 'failures') return failingText(ui, parts);
  if (effectMs === null) return gravityText(ui, parts) ?? levelText(ui, metric, before, after);
  const name = metric === 'tls' ? null : metricName(ui, metric);
  return ui.t('brief.effect', {
    metric: name ?? 'none',
    amount: `${effectMs < 0 ? '−' : '+'}${amountText(ui, Math.abs(effectMs))}`,
    ratio: effectRatio === null ? 'none' : formatChange(ui.locale, effectRatio),
  });
}

/** A sentence has no room for decimals: `47 ms`, but `4.7 ms`. */
const amountText = ({ locale, t }: Ui, ms: number) => `${formatNumber(locale, ms, ms < 9.95 ? 1 : 0)} ${t('unit.ms')}`;

const levelText = (ui: Ui, metric: string | null, before: number | null, after: number | null) =>
  before === null || after === null ? null : `${valueText(ui, metric, before)} → ${valueText(ui, metric, after)}`;

function thresholdText(ui: Ui, { kind, metric, evidence, before, after }: IncidentParts): string | null {
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
function failingText(ui: Ui, { failure, before, after, evidence, kind }: IncidentParts): string | null {
  const reason = failure ? reasonText(ui, failure) : 'none';
  if (after !== null && before !== null && after > before)
    return ui.t('brief.failingShare', { before: shareText(ui, before), after: shareText(ui, after), reason });
  const share = after ?? failure?.share ?? null;
  if (share !== null) return ui.t('brief.failing', { share: shareText(ui, share), reason });
  return gravityText(ui, { kind, evidence });
}
