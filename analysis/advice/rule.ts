import type { AdviceClient, AdviceCode, AdviceFacts, Change } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { isMain, rttOf, type Window } from './window.ts';
import { type Base, baseOf } from './worth.ts';

// A rule is a row of the table in docs/advice.md: evidence, and the changes that cure it. It looks at the windows of all vantages
// and gives what it found, vantage by vantage; worth.ts replays the changes, advice.ts weighs, words and ranks. Most rules judge
// one Result at a time (`perResult`): `clear` where a Result shows that the fault is not there, `unknown` where it cannot tell,
// be it that a condition under which nothing may be said holds.

/** How the target is probed, as far as it decides what may be concluded. */
export type Settings = Partial<Pick<ProbeSettings, 'sigalgs' | 'compression'>>;

export type Values = AdviceFacts['values'];

/** What one Result, or one vantage, shows: the changes that cure it (none where no time is saved), and the figures of its evidence. */
export type Shown = {
  changes: readonly Change[];
  values: Values;
  /** The Results of redirects and of what they lead to, where it is these that are replayed. */
  visit?: readonly Result[];
  /** False where the evidence allows another reading. */
  sure?: boolean;
};
export type Verdict = Shown | 'clear' | 'unknown';

/** A vantage at which a rule could be judged: how often, how often it showed, and what it shows; null where it does not. */
export type Judged = { window: Window; results: number; times: number; shown: (Shown & { base: Base | null }) | null };

/** A vantage that shows it. */
export type At = Judged & { shown: NonNullable<Judged['shown']> };

export type Rule = {
  code: AdviceCode;
  severity: AdviceFacts['severity'] | ((values: Values) => AdviceFacts['severity']);
  occasion: AdviceFacts['occasion'];
  /** Advice that saves nothing on a visit of today that was measured: given on request alone. */
  notice?: boolean | ((values: Values) => boolean);
  /** Read off the wire: needs no second vantage to be sure of. Else inferred from times, and then a warning only if a replay agrees. */
  certain: boolean;
  /** Where vantages may show different things: the evidence of the one with the least of this stands for all. */
  worstFirst?: (values: Values) => number;
  /** Given to these clients alone. */
  only?: AdviceClient;
  find(windows: readonly Window[], settings: Settings): Judged[];
};

/** Of the Results that could show it, this share must: one server in two behind an address, or chance. */
const LEAST_SHARE = 0.5;

type Judge = (result: Result, window: Window, settings: Settings) => Verdict;

/**
 * Judges Results one by one. A vantage shows it where half of those that can be judged do; its evidence is the Result in the
 * middle of them. `of` are the Results looked at, `least` how many a vantage, or all together, must have. Where the evidence is
 * something that a Result has and others lack, `refutes` says of one that lacks it (`unknown` by itself) whether it would have had
 * it too, had the server the fault that the others show: else those alone would be counted that show it.
 */
export function perResult(
  judge: Judge,
  { of = ({ full }: Window) => full, least = 1, share = LEAST_SHARE, refutes = () => false }: PerResult = {},
): Rule['find'] {
  return (windows, settings) => {
    const looked = windows.map((window) => ({
      window,
      verdicts: of(window).map((result) => ({ result, verdict: judge(result, window, settings) })),
    }));
    const shown = looked.flatMap(({ verdicts }) => verdicts.filter(({ verdict }) => typeof verdict === 'object'));
    const isRefuting = (result: Result) => shown.some((other) => refutes(result, other.result));
    const judged = looked.flatMap(({ window, verdicts }): Judged[] => {
      const known = verdicts.filter(({ result, verdict }) => verdict !== 'unknown' || isRefuting(result));
      const showing = known.flatMap(({ result, verdict }) =>
        typeof verdict === 'object' ? [{ result, ...verdict }] : [],
      );
      const shows = showing.length > 0 && showing.length >= share * known.length;
      if (known.length === 0) return [];
      return [
        { window, results: known.length, times: showing.length, shown: shows ? middleOf(showing, window) : null },
      ];
    });
    return judged.reduce((sum, { results }) => sum + results, 0) < least ? [] : judged;
  };
}

type PerResult = {
  of?: (window: Window) => readonly Result[];
  least?: number;
  share?: number;
  refutes?: (result: Result, shown: Result) => boolean;
};

/** The Result in the middle of those that show it, by round-trip time, and what the model replays for it: itself, if it can. */
function middleOf(showing: readonly (Shown & { result: Result })[], window: Window): At['shown'] {
  const sorted = showing.toSorted((a, b) => (rttOf(a.result) ?? 0) - (rttOf(b.result) ?? 0));
  const { result, ...shown } = sorted[(sorted.length - 1) >> 1] as (typeof showing)[number];
  if (shown.changes.length === 0) return { ...shown, base: null };
  if (shown.visit) return { ...shown, base: baseOf([shown.visit]) };
  // A second handshake or request shows how it is; what it saves is seen by the visits.
  const own = sorted.map((each) => each.result).filter(isMain);
  return { ...shown, base: baseOf((own.length > 0 ? own : window.full).map((each) => [each])) };
}
