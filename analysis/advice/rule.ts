import type { AdviceClient, AdviceCode, AdviceFacts, Savings } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import type { Change } from '../what-if/what-if.ts';
import type { Window } from './window.ts';

// A rule is a row of the table in docs/advice.md. It looks at the windows of all vantages and gives what it found, vantage by
// vantage; advice.ts weighs, words and ranks. Most rules judge one Result at a time (`perResult`): `clear` where a Result shows
// that the fault is not there, `unknown` where it cannot tell, be it that a condition under which nothing may be said holds.

/** How the target is probed, as far as it decides what may be concluded. */
export type Settings = Partial<Pick<ProbeSettings, 'sigalgs' | 'compression'>>;

export type Values = AdviceFacts['values'];

/** Round trips saved until each milestone; `ms` more where there are any, or at every one where there are none. */
export type Trips = Savings & { ms?: number };

/** What one Result, or one vantage, shows: worth how many round trips to whom, and the figures of its evidence. */
export type Shown = {
  gains: Record<AdviceClient, Trips>;
  values: Values;
  /** Milestones at which the model of a TCP sender says what these changes save, where there are facts for it. */
  model?: { changes: readonly Change[]; milestones: readonly (keyof Savings)[] };
  /** False where the evidence allows another reading. */
  sure?: boolean;
};
export type Verdict = Shown | 'clear' | 'unknown';

/** A vantage at which a rule could be judged: how often, how often it showed, and what it shows; null where it does not. */
export type Judged = { window: Window; results: number; times: number; shown: Shown | null };

/** A vantage that shows it. */
export type At = Judged & { shown: Shown };

export type Rule = {
  code: AdviceCode;
  severity: AdviceFacts['severity'] | ((values: Values) => AdviceFacts['severity']);
  occasion: AdviceFacts['occasion'];
  /** Advice that saves nothing on a visit of today that was measured: given on request alone. */
  notice?: boolean | ((values: Values) => boolean);
  /** Read off the wire: needs no second vantage to be sure of. Else inferred from times. */
  certain: boolean;
  /** Given to these clients alone. */
  only?: AdviceClient;
  find(windows: readonly Window[], settings: Settings): Judged[];
};

/** Of the Results that could show it, this share must: one server in two behind an address, or chance. */
const LEAST_SHARE = 0.5;

type Judge = (result: Result, window: Window, settings: Settings) => Verdict;

/**
 * Judges Results one by one. A vantage shows it where half of those that can be judged do; its evidence is the Result in the
 * middle of them. `of` are the Results looked at, `least` how many a vantage, or all together, must have.
 */
export function perResult(
  judge: Judge,
  { of = ({ full }: Window) => full, least = 1, share = LEAST_SHARE }: PerResult = {},
): Rule['find'] {
  return (windows, settings) => {
    const judged = windows.flatMap((window): Judged[] => {
      const verdicts = of(window).flatMap((result) => {
        const verdict = judge(result, window, settings);
        return verdict === 'unknown' ? [] : [verdict];
      });
      const showing = verdicts.filter((verdict) => verdict !== 'clear');
      const shows = showing.length > 0 && showing.length >= share * verdicts.length;
      if (verdicts.length === 0) return [];
      return [{ window, results: verdicts.length, times: showing.length, shown: shows ? middleOf(showing) : null }];
    });
    return judged.reduce((sum, { results }) => sum + results, 0) < least ? [] : judged;
  };
}

type PerResult = { of?: (window: Window) => readonly Result[]; least?: number; share?: number };

function middleOf(showing: readonly Shown[]): Shown {
  const sorted = showing.toSorted((a, b) => mostOf(a) - mostOf(b));
  return sorted[(sorted.length - 1) >> 1] as Shown;
}

/** The largest gain of any client until any milestone, in round trips. */
export function mostOf({ gains: { browser, api } }: Shown): number {
  return Math.max(
    ...[browser, api].flatMap(({ handshake, firstUsable, firstBody, total }) => [
      handshake,
      firstUsable,
      firstBody,
      total,
    ]),
  );
}

export const NONE: Trips = { handshake: 0, firstUsable: 0, firstBody: 0, total: 0 };

/** Round trips at some milestones, 0 at the others; H, U, B and T are those of docs/advice.md. */
export function trips(count: number, milestones: string): Trips {
  return {
    handshake: milestones.includes('H') ? count : 0,
    firstUsable: milestones.includes('U') ? count : 0,
    firstBody: milestones.includes('B') ? count : 0,
    total: milestones.includes('T') ? count : 0,
  };
}

/** The same gain for both kinds of client. */
export const both = (gain: Trips): Shown['gains'] => ({ browser: gain, api: gain });
/** Nothing in time. */
export const nothing = (): Shown['gains'] => both(NONE);
/** Milliseconds of work at every milestone, and no round trip. */
export const work = (ms: number): Shown['gains'] => both({ ...NONE, ms });
