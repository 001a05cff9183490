import { adviceOf } from '#analysis/advice/advice.ts';
import type { AdviceFacts, Savings } from '#contract/advice.ts';
import type { ComparisonOutcome, Milestone } from '#contract/comparison.ts';
import { headlineOf } from '#contract/comparison-headline.ts';
import type { Result } from '#contract/result.ts';
import { adviceTexts } from '#i18n/advice.ts';
import { verdictText } from '#i18n/comparison.ts';
import { translator } from '#i18n/translator.ts';
import type { Voice } from '#i18n/ui.ts';
import { inMs } from './seed.ts';

const voice: Voice = { t: translator('en'), locale: 'en', timeZone: 'UTC' };

/** Pieces of advice that are quoted at most. */
const MOST_QUOTED = 3;

/** What the product says about these Results of one server: the advice that saves most for clients without False Start. */
export function adviceSentences(results: readonly Result[]): string[] {
  const advice = adviceOf(results.map(undisturbed), { client: 'api' });
  return advice.length === 0 ? ['Nothing to change.'] : advice.slice(0, MOST_QUOTED).map(sentenceOf);
}

/**
 * A probe that was disturbed beyond what matters here was taken again (testbed.ts): what is left is judged, also where the
 * product, which has others to go by, would leave it out.
 */
export const undisturbed = (result: Result): Result => ({ ...result, prober: { ...result.prober, clean: true } });

function sentenceOf(advice: AdviceFacts): string {
  const { title, evidence } = adviceTexts(voice, advice);
  return `${title}: ${evidence} ${savingOf(advice.savesMs)}`;
}

const NAMES: Record<keyof Savings, string> = {
  handshake: 'the handshake',
  firstUsable: 'the first usable byte',
  firstBody: 'the first byte of the body',
  total: 'all of it',
};

/** `Saves 380 ms until the handshake, 760 ms until all of it.` */
function savingOf(saves: Savings): string {
  const byMs = Map.groupBy(Object.keys(NAMES) as (keyof Savings)[], (name) => Math.round(saves[name]));
  const parts = [...byMs].filter(([ms]) => ms !== 0);
  if (parts.length === 0) return 'Saves nothing that is measured here.';
  const said = parts.map(([ms, names]) => `${inMs(ms)} until ${names.map((name) => NAMES[name]).join(', ')}`);
  return `Saves ${said.join('; ')}.`;
}

/** What the product says about a comparison of two states. */
export const comparisonSentence = (outcome: ComparisonOutcome, milestone: Milestone): string =>
  verdictText(voice, headlineOf(outcome, milestone));
