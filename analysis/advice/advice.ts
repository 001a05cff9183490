/**
 * Advice: what to change at a target's server, on what evidence, worth what to whom. A pure function of a window of Results:
 *
 * 1. The Results are put in order by vantage (window.ts): which of them show what a handshake takes, and the round-trip time.
 * 2. Each row of the table in docs/advice.md is a rule (`*-rules.ts`). It says at which vantages it could be judged, where it
 *    shows, and what that is worth in round trips until each milestone, to browsers and to other clients.
 * 3. Round trips become milliseconds at each vantage (worth.ts), some by the model of a TCP sender (analysis/what-if); here these
 *    are summed by the weights of vantages and ranked.
 *
 * Codes and figures alone: the sentences are in i18n/advice.ts.
 */
import type { AdviceClient, AdviceFacts, AdviceVantage, Savings } from '#contract/advice.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import {
  bodyOverWindow,
  noHttp2,
  noHttp3,
  noKeepAlive,
  recordOverWindow,
  redirect,
  tinyRecords,
} from './answer-rules.ts';
import { certificateExpiry, chainProblem, stapleMissing, stapleStale } from './certificate-rules.ts';
import { compressedFlight } from './compression-rules.ts';
import {
  flightOverWindow,
  helloRetry,
  largeRsaKey,
  nagle,
  noFalseStart,
  noPostQuantum,
  smallWindow,
  tls12,
} from './handshake-rules.ts';
import { farAway, slowDns } from './place-rules.ts';
import { type At, type Judged, mostOf, type Rule, type Settings } from './rule.ts';
import { earlyData, noResumption } from './session-rules.ts';
import { serverKindOf, snippetsOf } from './snippets.ts';
import { median, type Window, windowsOf } from './window.ts';
import { mapSavings, mostSaved, savesOf } from './worth.ts';

/** The rows of the table, in its order. */
export const RULES: readonly Rule[] = [
  tls12,
  noFalseStart,
  flightOverWindow,
  compressedFlight,
  nagle,
  smallWindow,
  recordOverWindow,
  tinyRecords,
  bodyOverWindow,
  helloRetry,
  noPostQuantum,
  noResumption,
  earlyData,
  stapleMissing,
  stapleStale,
  largeRsaKey,
  noHttp2,
  noKeepAlive,
  redirect,
  noHttp3,
  slowDns,
  farAway,
  certificateExpiry,
  chainProblem,
];

/** Of five vantages or more, one alone shows its own path, not the server; of what is inferred from times, few of many do. */
const FEW_VANTAGES = 5;
const LEAST_SHARE = 0.1;

export type AdviceOptions = {
  /** Whose milliseconds `savesMs` are; both are in `gains`. Default: browsers. */
  client?: AdviceClient;
  /** How much a vantage counts in the mean, 0 or more; default: all alike. Null is the vantage of a Result without one. */
  weightOf?: (vantage: VantageRef | null) => number;
  /** How the target is probed: what we did not ask for cannot be missed. */
  settings?: Settings;
  /** Also what saves nothing on a visit that was measured: post-quantum groups, early data, HTTP/3, staples. */
  notices?: boolean;
};

/** Advice by what it saves, the largest first; critical things before all others. Empty for a healthy server. */
export function adviceOf(results: readonly Result[], options: AdviceOptions = {}): AdviceFacts[] {
  const windows = windowsOf(results);
  const server = serverOf(windows);
  const { client = 'browser' } = options;
  const given = RULES.filter(({ only = client }) => only === client).flatMap((rule) => {
    const judged = rule.find(windows, options.settings ?? {});
    const shown = judged.filter(isShown);
    if (shown.length < leastOf(rule, judged)) return [];
    const advice = oneOf(rule, judged, shown, options);
    return advice.notice && !options.notices ? [] : [{ ...advice, server }];
  });
  return given.toSorted(byWorth);
}

/** So many vantages must show it. */
function leastOf({ certain }: Rule, judged: readonly Judged[]): number {
  if (judged.length < FEW_VANTAGES) return 1;
  return certain ? 2 : Math.max(2, LEAST_SHARE * judged.length);
}

const isShown = (judged: Judged): judged is At => judged.shown !== null;

function oneOf(rule: Rule, judged: readonly Judged[], shown: readonly At[], options: AdviceOptions): AdviceFacts {
  const { client = 'browser', weightOf = () => 1 } = options;
  const worth = shown.map((at) => ({ at, saves: savesOf(at), weight: weightOf(at.window.ref) }));
  const typical = middleOf(shown);
  const weights = judged.reduce((sum, { window }) => sum + weightOf(window.ref), 0);
  const meanOf = (whose: AdviceClient): Savings =>
    mapSavings((milestone) =>
      weights === 0 ? 0 : worth.reduce((sum, { saves, weight }) => sum + saves[whose][milestone] * weight, 0) / weights,
    );
  const gains = { browser: meanOf('browser'), api: meanOf('api') };
  const vantages = worth.map(({ at, saves }) => vantageOf(at, saves[client], client));
  const { severity, notice = false } = rule;
  return {
    code: rule.code,
    severity: typeof severity === 'function' ? severity(typical.shown.values) : severity,
    occasion: rule.occasion,
    notice: typeof notice === 'function' ? notice(typical.shown.values) : notice,
    roundTrips: median(vantages.map(({ roundTrips }) => roundTrips)) ?? 0,
    savesMs: gains[client],
    gains,
    vantages: vantages.toSorted((a, b) => mostSaved(b.savesMs) - mostSaved(a.savesMs)),
    shown: { vantages: shown.length, results: shown.reduce((sum, { times }) => sum + times, 0) },
    judged: { vantages: judged.length, results: judged.reduce((sum, { results }) => sum + results, 0) },
    values: typical.shown.values,
    server: null,
    snippets: snippetsOf(rule.code, typical.shown.values),
    confidence: confidenceOf(rule, shown),
  };
}

function vantageOf({ window, results, times, shown }: At, savesMs: Savings, client: AdviceClient): AdviceVantage {
  const { ref, rttMs } = window;
  const { handshake, firstUsable, firstBody, total } = shown.gains[client];
  const most = Math.max(handshake, firstUsable, firstBody, total);
  return {
    id: ref?.id ?? null,
    name: ref?.name ?? null,
    country: ref?.country ?? null,
    region: ref?.region ?? null,
    carrier: ref?.carrier ?? null,
    rttMs: rttMs === null ? null : Math.round(rttMs * 100) / 100,
    results,
    shown: times,
    roundTrips: Math.round(most * 100) / 100,
    savesMs,
  };
}

/** The vantage in the middle of those that show it: its evidence stands for all. */
function middleOf(shown: readonly At[]): At {
  const sorted = shown.toSorted((a, b) => mostOf(a.shown) - mostOf(b.shown));
  return sorted[(sorted.length - 1) >> 1] as At;
}

/** Results for high and for medium confidence, and the share of them that must show it. */
const HIGH = { results: 10, share: 0.9, vantages: 3 };
const MEDIUM = { results: 3, share: 0.6 };

/**
 * How sure it is. What is read off the wire is so after ten Results that agree; what is inferred from times needs three
 * vantages as well, and evidence that allows no other reading.
 */
function confidenceOf({ certain }: Rule, shown: readonly At[]): AdviceFacts['confidence'] {
  const results = shown.reduce((sum, at) => sum + at.results, 0);
  const share = shown.reduce((sum, at) => sum + at.times, 0) / Math.max(1, results);
  const isSure = certain || (shown.length >= HIGH.vantages && shown.every((at) => at.shown.sure !== false));
  if (results >= HIGH.results && share >= HIGH.share && isSure) return 'high';
  return results >= MEDIUM.results && share >= MEDIUM.share ? 'medium' : 'low';
}

const SEVERITIES = ['critical', 'warning', 'info'];
const OCCASIONS = ['first', 'further', 'return'];

function byWorth(a: AdviceFacts, b: AdviceFacts): number {
  const rank = (each: AdviceFacts) => (each.severity === 'critical' ? 0 : 1 + OCCASIONS.indexOf(each.occasion));
  return (
    Number(a.notice) - Number(b.notice) ||
    rank(a) - rank(b) ||
    mostSaved(b.savesMs) - mostSaved(a.savesMs) ||
    mostSaved(b.gains.api) - mostSaved(a.gains.api) ||
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  );
}

/** What most responses say of their server. */
function serverOf(windows: readonly Window[]): AdviceFacts['server'] {
  const counts = new Map<NonNullable<AdviceFacts['server']>, number>();
  for (const { all } of windows)
    for (const { http } of all) {
      const kind = serverKindOf(http?.server ?? null);
      if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
