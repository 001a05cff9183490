import type { AdviceClient, Savings } from '#contract/advice.ts';
import { type Change, type Facts, factsOf, whatIf } from '../what-if/what-if.ts';
import type { At } from './rule.ts';
import { rttOf, type Window } from './window.ts';

export const MILESTONES = ['handshake', 'firstUsable', 'firstBody', 'total'] as const;
export type Milestone = (typeof MILESTONES)[number];

/** Milliseconds at each milestone, to a hundredth. */
export function mapSavings(of: (milestone: Milestone) => number): Savings {
  const rounded = (milestone: Milestone) => Math.round(of(milestone) * 100) / 100;
  return {
    handshake: rounded('handshake'),
    firstUsable: rounded('firstUsable'),
    firstBody: rounded('firstBody'),
    total: rounded('total'),
  };
}

/** The most that is saved until any milestone, ms. */
export const mostSaved = (savings: Savings): number => Math.max(...MILESTONES.map((milestone) => savings[milestone]));

const known = new WeakMap<Window, Facts | null>();

/** What the model needs of a vantage: of the Result in the middle of those that are a base for it. Null where none is. */
export function windowFacts(window: Window): Facts | null {
  const made = known.get(window);
  if (made !== undefined) return made;
  const byRtt = window.full.toSorted((a, b) => (rttOf(a) ?? 0) - (rttOf(b) ?? 0));
  const middle = (byRtt.length - 1) / 2;
  const nearest = byRtt
    .map((result, index) => ({ result, off: Math.abs(index - middle) }))
    .sort((a, b) => a.off - b.off);
  let facts: Facts | null = null;
  for (const { result } of nearest) {
    facts = factsOf(result);
    if (facts) break;
  }
  known.set(window, facts);
  return facts;
}

/** What changes save at a vantage by the model of a TCP sender, never less than nothing; null where there are no facts. */
export function modelled(window: Window, changes: readonly Change[], client: AdviceClient): Savings | null {
  const facts = windowFacts(window);
  if (!facts) return null;
  const { before, after } = whatIf(facts, changes, client);
  return mapSavings((milestone) => Math.max(0, before[milestone] - after[milestone]));
}

/** What a rule found at a vantage saves there: its round trips at the vantage's round-trip time, work, and what the model says. */
export function savesOf({ window, shown }: At): Record<AdviceClient, Savings> {
  const of = (client: AdviceClient) => {
    const gain = shown.gains[client];
    // What is no round trip (a look-up, work) comes where the round trips come; without any, everywhere.
    const isAny = [gain.handshake, gain.firstUsable, gain.firstBody, gain.total].some((each) => each !== 0);
    const model = shown.model && modelled(window, shown.model.changes, client);
    return mapSavings((milestone) =>
      model && shown.model?.milestones.includes(milestone)
        ? model[milestone]
        : gain[milestone] * (window.rttMs ?? 0) + (isAny && gain[milestone] === 0 ? 0 : (gain.ms ?? 0)),
    );
  };
  return { browser: of('browser'), api: of('api') };
}
