import type { AdviceClient, Change, Savings } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { countedTrips, type Facts, factsOf, type Milestones, textbookFacts, whatIf } from '../what-if/what-if.ts';
import { rttOf, type Window } from './window.ts';

export const MILESTONES = ['handshake', 'firstUsable', 'firstBody', 'total'] as const;
export type Milestone = (typeof MILESTONES)[number];

/** Milliseconds, or round trips, at each milestone, to a hundredth. */
export function mapSavings(of: (milestone: Milestone) => number): Savings {
  const rounded = (milestone: Milestone) => Math.round(of(milestone) * 100) / 100;
  return {
    handshake: rounded('handshake'),
    firstUsable: rounded('firstUsable'),
    firstBody: rounded('firstBody'),
    total: rounded('total'),
  };
}

/** The most that is saved until any milestone, in the unit of `savings`. */
export const mostSaved = (savings: Savings): number => Math.max(...MILESTONES.map((milestone) => savings[milestone]));

/** What is replayed at a vantage. `basis`: of a response as it was recorded, or of a textbook exchange where none can be replayed. */
export type Base = { facts: Facts; basis: 'model' | 'rule' };

const known = new WeakMap<Result, { measured: Facts | null; textbook?: Facts | null }>();

/** The facts of a Result and of the redirects that led to it; made once. */
function factsOfVisit(visit: readonly Result[], textbook: boolean): Facts | null {
  const end = visit.at(-1);
  if (!end) return null;
  const made = known.get(end) ?? { measured: factsOf(end, visit.slice(0, -1)) };
  known.set(end, made);
  if (!textbook) return made.measured;
  made.textbook ??= textbookFacts(end, visit.slice(0, -1));
  return made.textbook;
}

/** The base among some visits: the one in the middle by round-trip time, or the nearest to it that can be replayed. */
export function baseOf(visits: readonly (readonly Result[])[]): Base | null {
  const rtt = (visit: readonly Result[]) => visit.flatMap((result) => rttOf(result) ?? []).at(-1) ?? 0;
  const sorted = visits.toSorted((a, b) => rtt(a) - rtt(b));
  const middle = (sorted.length - 1) / 2;
  const nearest = sorted
    .map((visit, index) => ({ visit, off: Math.abs(index - middle) }))
    .sort((a, b) => a.off - b.off);
  for (const textbook of [false, true])
    for (const { visit } of nearest) {
      const facts = factsOfVisit(visit, textbook);
      if (facts) return { facts, basis: textbook ? 'rule' : 'model' };
    }
  return null;
}

const bases = new WeakMap<Window, Base | null>();

/** The base of a vantage's full handshakes; made once. */
export function windowBase(window: Window): Base | null {
  const made = bases.get(window);
  if (made !== undefined) return made;
  const base = baseOf(window.full.map((result) => [result]));
  bases.set(window, base);
  return base;
}

/**
 * A short chain as people install it (bytes): ECDSA leaf and intermediate, 1 kB and 0.9 kB, or the leaf and an RSA intermediate.
 * It opens no window, so that the answer waits where one after a chain that fits just so would not.
 */
export const SHORT_CHAIN_BYTES = 2_000;

/** The ways in which changes may be made: a chain of at most so many bytes is as large as it may be, or a short one. */
function waysOf(changes: readonly Change[]): (readonly Change[])[] {
  const isLonger = (change: Change) => change.kind === 'chain' && change.bytes > SHORT_CHAIN_BYTES;
  if (!changes.some(isLonger)) return [changes];
  const shortened = changes.map((each) =>
    isLonger(each) ? { kind: 'chain' as const, bytes: SHORT_CHAIN_BYTES } : each,
  );
  return [changes, shortened];
}

/** What changes save by the model of a TCP sender, ms; negative where it gets slower. Nothing where there is nothing to replay. */
export function savedBy(base: Base | null, changes: readonly Change[], client: AdviceClient): Savings {
  if (!base || changes.length === 0) return mapSavings(() => 0);
  const { before, after } = whatIf(base.facts, changes, client);
  return mapSavings((milestone) => before[milestone] - after[milestone]);
}

/** Round trips that changes save until each milestone, as the model counts them; below 0 where there are more. */
export function savedTrips(base: Base | null, changes: readonly Change[], client: AdviceClient): Milestones {
  if (!base) return mapSavings(() => 0);
  const [before, after] = [countedTrips(base.facts, [], client), countedTrips(base.facts, changes, client)];
  return mapSavings((milestone) => before[milestone] - after[milestone]);
}

type Saved = typeof savedBy;

/** What may be promised of changes, ms (`savedBy`) or round trips (`savedTrips`): what every way of making them saves at each milestone. */
export function promised(saved: Saved, ...[base, changes, client]: Parameters<Saved>): Savings {
  const ways = waysOf(changes).map((way) => saved(base, way, client));
  return mapSavings((milestone) => Math.min(...ways.map((each) => each[milestone])));
}

/** The first milestone until which a short chain gives back a round trip that one of so many bytes saves; `none` where there is none. */
export function givenBackAt({ facts }: Base, fittingBytes: number): Milestone | 'none' {
  const tripsWith = (bytes: number) => countedTrips(facts, [{ kind: 'chain', bytes }], 'api');
  const [fitting, short] = [tripsWith(fittingBytes), tripsWith(SHORT_CHAIN_BYTES)];
  return MILESTONES.find((milestone) => short[milestone] > fitting[milestone] + 0.5) ?? 'none';
}

/** When a vantage's visits reach the milestones, ms from the start of the look-up. */
export function visitTimes({ facts }: Base, client: AdviceClient): Milestones {
  const { before } = whatIf(facts, [], client);
  return mapSavings((milestone) => before[milestone] + facts.dnsMs);
}

/** The mean of vantages' savings by their weights: those that are `of` the whole and save nothing count as 0. */
export function meanSavings(saved: readonly { saves: Savings; weight: number }[], weights: number): Savings {
  return mapSavings((milestone) =>
    weights === 0 ? 0 : saved.reduce((sum, { saves, weight }) => sum + saves[milestone] * weight, 0) / weights,
  );
}

/** Several changes as they are made together: the chain that fits is of the certificates there are, an ECDSA chain is made of it. */
export function inOrder(changes: readonly Change[]): Change[] {
  const orderOf = ({ kind }: Change) => (kind === 'tls13' ? 0 : kind === 'chain' ? 1 : 2);
  const once = new Map(changes.map((change) => [JSON.stringify(change), change]));
  return [...once.values()].toSorted((a, b) => orderOf(a) - orderOf(b));
}
