import type { IncidentCounterfactual } from '#contract/counterfactual.ts';
import type { ExplainedWhere, IncidentExplanation } from '#contract/explanation.ts';
import { carrierName, regionName } from './names.ts';
import { formatNumber, formatQuantity, formatSigned } from './numbers.ts';
import type { Voice } from './ui.ts';

// What an incident's excess is made of, where it is, and what would be without it, in the reader's language: pages and messages say it with these.

/** Parts of less than this share are not put into the sentence, and at most so many are. */
const LEAST_SHARE = 0.03;
const MOST_PARTS = 4;
/** Values of a dimension that are named; of more their number is told. */
const MOST_NAMED = 3;

/** What a part is called: `one more round trip`. */
export function partText(
  { t }: Voice,
  code: Part['code'],
  { roundTrips }: Pick<IncidentExplanation, 'roundTrips'>,
): string {
  if (code !== 'round_trips') return t(`explanation.name.${code}`);
  const more = Math.round((roundTrips?.after ?? 0) - (roundTrips?.before ?? 0));
  return t(`explanation.name.${more < 0 ? 'fewer_round_trips' : 'round_trips'}`, { n: Math.abs(more) });
}

type Part = IncidentExplanation['parts'][number];

/** `Of +63 ms: 58 ms one more round trip, 3 ms server work.` */
export function excessText(
  ui: Voice,
  explanation: Pick<IncidentExplanation, 'excessMs' | 'parts' | 'roundTrips'>,
): string {
  const { t } = ui;
  const named = explanation.parts.filter(({ share }) => Math.abs(share) >= LEAST_SHARE).slice(0, MOST_PARTS);
  const parts = named.map(({ code, ms }) =>
    t('explanation.part', {
      ms: msText(ui, Math.sign(explanation.excessMs) * ms),
      name: partText(ui, code, explanation),
    }),
  );
  const amount = `${formatSigned(ui.locale, explanation.excessMs, digitsOf(explanation.excessMs))} ${t('unit.ms')}`;
  return t('explanation.excess', { amount, parts: parts.join(t('punctuation.comma')) });
}

/** `Without it about 50 ms, in fact 116 ms`; null where it is not known. */
export const withoutText = (ui: Voice, counterfactual: IncidentCounterfactual | null | undefined): string | null =>
  counterfactual
    ? ui.t('explanation.without', {
        without: msText(ui, counterfactual.withoutMs),
        level: formatQuantity(ui, counterfactual.nowMs, 'ms'),
      })
    : null;

/** `58 ms`, `2.4 ms`, `−3 ms`. */
export const msText = ({ t, locale }: Voice, ms: number): string =>
  `${ms < 0 ? '−' : ''}${formatNumber(locale, Math.abs(ms), digitsOf(ms))} ${t('unit.ms')}`;

const digitsOf = (ms: number) => (Math.abs(ms) < 9.95 ? 1 : 0);

/** `Only carrier Unicom and 8 provinces; as usual: carrier Telecom.`; null where nothing singles it out. */
export function whereText(ui: Voice, where: ExplainedWhere | null): string | null {
  if (where === null || where.fixed.length === 0) return null;
  const { t } = ui;
  const what = where.fixed.map((each) => valuesText(ui, each)).join(t('explanation.and'));
  const spared = where.spared.map((each) => valuesText(ui, each)).join(t('explanation.and'));
  return t('explanation.where', { what, spared: spared || 'none' });
}

function valuesText(ui: Voice, { dimension, values }: ExplainedWhere['fixed'][number]): string {
  const { t } = ui;
  const name = t(`explanation.dimension.${dimension}`);
  if (values.length > MOST_NAMED) return t('explanation.several', { n: values.length, dimension: name });
  const named = values.map((value) => valueText(ui, dimension, value)).join(t('punctuation.list'));
  return t('explanation.value', { dimension: name, value: named });
}

/** Characters of a certificate's fingerprint that are told. */
const FINGERPRINT = 16;

function valueText(ui: Voice, dimension: ExplainedWhere['fixed'][number]['dimension'], value: string): string {
  if (dimension === 'carrier') return carrierName(ui, value);
  if (dimension === 'region') return regionName(ui, value);
  if (dimension === 'family') return `IPv${value}`;
  return dimension === 'certificate' ? value.slice(0, FINGERPRINT) : value;
}
