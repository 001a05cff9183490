import type { Sample, SampleVantage } from './sample.ts';

/** A stretch of time, half-open, ms since 1970. */
export type Window = { from: number; to: number };

/** A vantage that measured on both sides. */
export type Pair = { vantage: SampleVantage; before: Sample[]; after: Sample[] };
export type Pairing = { pairs: Pair[]; onlyBefore: SampleVantage[]; onlyAfter: SampleVantage[] };

/** Pairs samples by vantage, in the order of names; a vantage of one side only is named. */
export function pairByVantage(before: readonly Sample[], after: readonly Sample[]): Pairing {
  const early = byVantage(before);
  const late = byVantage(after);
  const alone = (own: Map<string, Sample[]>, others: Map<string, Sample[]>) =>
    [...own].flatMap(([id, [first]]) => (first && !others.has(id) ? first.vantage : [])).sort(byName);
  return {
    pairs: [...early]
      .flatMap(([id, own]) => {
        const others = late.get(id);
        return others ? [{ vantage: (others[0] as Sample).vantage, before: own, after: others }] : [];
      })
      .sort((a, b) => byName(a.vantage, b.vantage)),
    onlyBefore: alone(early, late),
    onlyAfter: alone(late, early),
  };
}

/** How many results have a partner on the other side. */
export const countPairs = (pairs: readonly Pair[]): number =>
  pairs.reduce((sum, { before, after }) => sum + Math.min(before.length, after.length), 0);

/** The longest stretch of a window without any sample, its ends included; ms. */
export function longestGap(window: Window, samples: readonly Sample[]): number {
  const times = [window.from, ...samples.map(({ at }) => at).sort((a, b) => a - b), window.to];
  return times.reduce((longest, at, i) => Math.max(longest, at - (times[i - 1] ?? at)), 0);
}

const byName = (a: SampleVantage, b: SampleVantage) =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1;

function byVantage(samples: readonly Sample[]): Map<string, Sample[]> {
  return Map.groupBy(samples, ({ vantage }) => vantage.id);
}
