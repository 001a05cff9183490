// Advice of a target: what to change at its server, worth what. `sample.ts` reads some Results of each vantage, rows and sealed
// ones alike, spread over the range that is asked about; analysis/advice makes advice of them, as codes and figures; i18n has
// the sentences. Nothing is stored.

import { adviceOf } from '#analysis/advice/advice.ts';
import { wasteOf } from '#analysis/advice/waste.ts';
import { type AdviceFacts, type AdviceList, type AdviceQuery, MAX_ADVICE_DAYS, type Waste } from '#contract/advice.ts';
import { adviceTexts } from '#i18n/advice.ts';
import { translator } from '#i18n/translator.ts';
import { invalidField } from '#server/environment/errors.ts';
import { resolveRange } from '#server/figures/range.ts';
import { getTarget } from '#server/targets/targets.ts';
import { selectVantages } from '#server/vantages/labels.ts';
import { sampleResults } from './sample.ts';

/** Advice as `GET /api/v1/targets/{id}/advice` answers. Throws `not_found`, or `invalid` for a range that is none or too long. */
export async function queryAdvice(targetId: string, query: AdviceQuery): Promise<AdviceList> {
  const { advice, waste } = await readAdvice(targetId, query);
  const t = translator(query.language);
  const voice = { locale: query.language, t, timeZone: 'UTC' };
  return { waste, data: advice.map((each) => ({ ...each, ...adviceTexts(voice, each) })) };
}

type Asked = Pick<AdviceQuery, 'from' | 'to' | 'country' | 'region' | 'carrier'> & {
  client?: AdviceQuery['client'];
  notices?: boolean | undefined;
};

/** Advice, and what of a visit is waste by it. */
export type TargetAdvice = { advice: AdviceFacts[]; waste: Waste | null };

/** The same as codes and figures. */
export async function readAdvice(targetId: string, asked: Asked): Promise<TargetAdvice> {
  const range = resolveRange(asked);
  if (range.to - range.from > MAX_ADVICE_DAYS * 86_400)
    throw invalidField('from', `is more than ${MAX_ADVICE_DAYS} days before to: ask for a shorter range`);
  const [target, selected] = await Promise.all([getTarget(targetId), selectVantages(asked)]);
  const vantages = selected && new Set(selected);
  const results = (await sampleResults(target, range)).filter(
    ({ vantage }) => vantages === null || (vantage !== null && vantages.has(vantage.id)),
  );
  const client = asked.client ?? 'browser';
  const advice = adviceOf(results, { client, notices: asked.notices ?? false, settings: target.settings });
  return { advice, waste: wasteOf(results, advice, client) };
}
