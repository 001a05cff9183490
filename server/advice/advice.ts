// Advice of a target: what to change at its server, worth what. `sample.ts` reads some Results of each vantage, rows and sealed
// ones alike, spread over the range that is asked about; analysis/advice makes advice of them, as codes and figures, weighed by
// where the users are (server/vantages/audience.ts); i18n has the sentences. Lists and metrics show what the jobs found lately (`snapshots.ts`).

import { type AdviceOptions, adviceOf, sampleOf } from '#analysis/advice/advice.ts';
import { changesThatPay, type PayingChange } from '#analysis/advice/changes.ts';
import { deadAddressOf } from '#analysis/advice/dead-address.ts';
import { wasteOf } from '#analysis/advice/waste.ts';
import {
  ADVICE_CODES,
  type AdviceClient,
  type AdviceCode,
  type AdviceFacts,
  type AdviceList,
  type AdviceQuery,
  type AdviceSample,
  type DeadAddress,
  MAX_ADVICE_DAYS,
  type Waste,
} from '#contract/advice.ts';
import { type Audience, audienceWeight } from '#contract/audience.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { adviceTexts } from '#i18n/advice.ts';
import { translator } from '#i18n/translator.ts';
import { invalidField } from '#server/environment/errors.ts';
import { resolveRange } from '#server/figures/range.ts';
import { getTarget } from '#server/targets/targets.ts';
import { readAudience } from '#server/vantages/audience.ts';
import { type LocationFilter, selectVantages } from '#server/vantages/labels.ts';
import { countVantages, sampleResults } from './sample.ts';

/** Advice as `GET /api/v1/targets/{id}/advice` answers. Throws `not_found`, or `invalid` for a range that is none or too long. */
export async function queryAdvice(targetId: string, query: AdviceQuery): Promise<AdviceList> {
  const { results, options } = await readSample(targetId, query);
  const advice = adviceOf(results, options);
  const voice = { locale: query.language, t: translator(query.language), timeZone: 'UTC' };
  const deadAddress = deadAddressOf(results);
  return {
    waste: wasteOf(results, advice, options.client),
    ...(deadAddress ? { deadAddress } : {}),
    sample: sampleOf(results, options.vantages),
    data: advice.map((each) => ({ ...each, ...adviceTexts(voice, each) })),
  };
}

type Asked = LocationFilter &
  Pick<AdviceQuery, 'from' | 'to'> & { client?: AdviceClient; notices?: boolean | undefined };

/** All that the page of a target shows. `results`: how many were looked at, failed ones too. */
export type TargetAdvice = {
  advice: AdviceFacts[];
  waste: Waste | null;
  deadAddress: DeadAddress | null;
  changes: PayingChange[];
  sample: AdviceSample;
  results: number;
};

/** Advice with notices, and the changes that pay by the model. Throws as `queryAdvice` does. */
export async function readAdvice(targetId: string, asked: Asked): Promise<TargetAdvice> {
  const { results, options } = await readSample(targetId, { ...asked, notices: true });
  return advised(results, options);
}

/** Advice to browsers on Results that are at hand, one of each vantage. `settings` are those that they were probed with. */
export async function adviseOn(results: Result[], settings: ProbeSettings): Promise<TargetAdvice> {
  const options = {
    vantages: results.length,
    client: 'browser',
    settings,
    weightOf: weightBy(await readAudience()),
  } as const;
  return advised(results, options);
}

function advised(results: Result[], options: AdviceOptions & { vantages: number; client: AdviceClient }): TargetAdvice {
  const advice = adviceOf(results, options);
  const sample = sampleOf(results, options.vantages);
  return {
    advice,
    waste: wasteOf(results, advice, options.client),
    deadAddress: deadAddressOf(results),
    changes: sample.enough ? changesThatPay(results, advice, options) : [],
    sample,
    results: results.length,
  };
}

/** What is kept of a target: the waste of a visit, and the round trips that each code wastes. */
export type Snapshot = { waste: Waste | null; codes: { code: AdviceCode; roundTrips: number }[] };

/** What lists and metrics show of the last 24 hours: the waste of a visit to browsers, and what each code wastes. */
export async function summariseAdvice(targetId: string): Promise<Snapshot & { results: number }> {
  const { results, options } = await readSample(targetId, {});
  const browser = adviceOf(results, options);
  const api = adviceOf(results, { ...options, client: 'api' });
  const codes = ADVICE_CODES.flatMap((code) => {
    // To the client that it costs most.
    const own = [...browser, ...api].filter((each) => each.code === code && each.occasion === 'first');
    const roundTrips = Math.max(0, ...own.map((each) => each.roundTrips));
    return roundTrips > 0 ? [{ code, roundTrips }] : [];
  });
  return { waste: wasteOf(results, browser, 'browser'), codes, results: results.length };
}

/** The Results that advice is made of, and what is to be known of the target and its users. */
async function readSample(targetId: string, asked: Asked) {
  const range = resolveRange(asked);
  if (range.to - range.from > MAX_ADVICE_DAYS * 86_400)
    throw invalidField('from', `is more than ${MAX_ADVICE_DAYS} days before to: ask for a shorter range`);
  const [target, selected, audience] = await Promise.all([getTarget(targetId), selectVantages(asked), readAudience()]);
  const vantages = selected && new Set(selected);
  const [sampled, probing] = await Promise.all([sampleResults(target, range), countVantages(targetId, selected)]);
  const results = sampled.filter(({ vantage }) => vantages === null || (vantage !== null && vantages.has(vantage.id)));
  const options = {
    vantages: probing,
    client: asked.client ?? 'browser',
    notices: asked.notices ?? false,
    settings: target.settings,
    weightOf: weightBy(audience),
  } satisfies AdviceOptions;
  return { results, options };
}

const weightBy = (audience: Audience) => (vantage: VantageRef | null) =>
  vantage ? audienceWeight(audience, vantage) : 1;
