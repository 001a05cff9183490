/**
 * Advice: what to change at a target's server, on what evidence, worth what to whom. A pure function of a window of Results:
 *
 * 1. The Results are put in order by vantage (window.ts): which of them show what a handshake takes, and the round-trip time.
 * 2. Each row of the table in docs/advice.md is a rule (`*-rules.ts`): evidence, and the changes that cure it. It says at which
 *    vantages it could be judged, and where it shows.
 * 3. The model of a TCP sender (analysis/what-if) replays a response of each vantage with the changes made (worth.ts), for browsers
 *    and for other clients, to four milestones; here these savings are summed by the weights of vantages and ranked.
 *
 * Codes and figures alone: the sentences are in i18n/advice.ts.
 */
import type { AdviceClient, AdviceFacts, AdviceSample, AdviceVantage, Savings } from '#contract/advice.ts';
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
import type { At, Judged, Rule, Settings } from './rule.ts';
import { earlyData, noResumption } from './session-rules.ts';
import { namesServer, serverKindOf, snippetsOf } from './snippets.ts';
import { median, type Window, windowsOf } from './window.ts';
import { meanSavings, mostSaved, promised, savedBy, savedTrips } from './worth.ts';

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
/**
 * What is inferred from times is said from so many Results on that show it, at so many vantages, of a target that has so many: one
 * pause may be a machine that was busy.
 */
const LEAST_INFERRED = { results: 3, vantages: 2 };
/** What saves less at its vantages (ms) is nothing: a time that has another reason. */
const LEAST_MS = 0.1;

export type AdviceOptions = {
  /** Whose milliseconds `savesMs` are; both are in `gains`. Default: browsers. */
  client?: AdviceClient;
  /** How much a vantage counts in the mean, 0 or more; default: all alike. Null is the vantage of a Result without one. */
  weightOf?: (vantage: VantageRef | null) => number;
  /** How the target is probed: what we did not ask for cannot be missed. */
  settings?: Settings;
  /** Also what saves nothing on a visit that was measured: post-quantum groups, early data, HTTP/3, staples. */
  notices?: boolean;
  /** From how many vantages the target is probed again and again. Default: the Results are all that there will be, and suffice. */
  vantages?: number;
};

/** What advice is made of: complete handshakes without loss or delay, at how many of the target's vantages. */
export function sampleOf(results: readonly Result[], probing: number): AdviceSample {
  const windows = windowsOf(results).filter(({ full }) => full.length > 0);
  const sample = { results: windows.reduce((sum, { full }) => sum + full.length, 0), vantages: windows.length };
  const ofVantages = Math.max(probing, sample.vantages);
  return { ...sample, ofVantages, enough: isEnough(sample, ofVantages) };
}

/** Whether so much suffices for what is inferred from times, of a target with so many vantages. */
const isEnough = (seen: { results: number; vantages: number }, vantages: number): boolean =>
  seen.results >= LEAST_INFERRED.results && seen.vantages >= Math.min(LEAST_INFERRED.vantages, vantages);

/** Advice by what it saves, the largest first; critical things before all others. Empty for a healthy server. */
export function adviceOf(results: readonly Result[], options: AdviceOptions = {}): AdviceFacts[] {
  const windows = windowsOf(results);
  const server = serverOf(windows);
  const isForeign =
    server === null && windows.some(({ all }) => all.some(({ http }) => namesServer(http?.server ?? null)));
  const { client = 'browser' } = options;
  const vantages = Math.max(options.vantages ?? 0, windows.length);
  const given = RULES.filter(({ only = client }) => only === client).flatMap((rule) => {
    const judged = rule.find(windows, options.settings ?? {});
    const shown = judged.filter(isShown);
    if (shown.length < leastVantages(judged.length, rule.certain)) return [];
    const seen = { results: timesOf(shown), vantages: shown.length };
    if (!rule.certain && options.vantages !== undefined && !isEnough(seen, vantages)) return [];
    const advice = oneOf(rule, judged, shown, options);
    if (!rule.certain && advice.severity === 'warning' && advice.changes.length > 0 && !savesAnybody(advice)) return [];
    const snippets = isForeign ? {} : advice.snippets;
    return advice.notice && !options.notices ? [] : [{ ...advice, server, snippets }];
  });
  return given.toSorted(byWorth);
}

/** Of so many vantages so many must show what is read off the wire, or inferred from times. */
export function leastVantages(judged: number, certain: boolean): number {
  if (judged < FEW_VANTAGES) return 1;
  return certain ? 2 : Math.max(2, LEAST_SHARE * judged);
}

const timesOf = (shown: readonly At[]): number => shown.reduce((sum, { times }) => sum + times, 0);

const isShown = (judged: Judged): judged is At => judged.shown !== null;

const savesAnybody = ({ gains }: AdviceFacts): boolean =>
  Math.max(mostSaved(gains.browser), mostSaved(gains.api)) >= LEAST_MS;

function oneOf(rule: Rule, judged: readonly Judged[], shown: readonly At[], options: AdviceOptions): AdviceFacts {
  const { client = 'browser', weightOf = () => 1 } = options;
  const worth = shown.map((at) => {
    const { base, changes } = at.shown;
    const savesOf = (whose: AdviceClient) => promised(savedBy, base, changes, whose);
    const saves = { browser: savesOf('browser'), api: savesOf('api') };
    return { at, saves, weight: weightOf(at.window.ref) };
  });
  const typical = typicalOf(rule, worth).at;
  const weights = judged.reduce((sum, { window }) => sum + weightOf(window.ref), 0);
  const meanOf = (whose: AdviceClient): Savings =>
    meanSavings(
      worth.map(({ saves, weight }) => ({ saves: saves[whose], weight })),
      weights,
    );
  const gains = { browser: meanOf('browser'), api: meanOf('api') };
  const vantages = worth.map(({ at, saves }) => vantageOf(at, saves[client], client));
  const { severity, notice = false } = rule;
  const { values, changes } = typical.shown;
  return {
    code: rule.code,
    severity: typeof severity === 'function' ? severity(values) : severity,
    occasion: rule.occasion,
    notice: typeof notice === 'function' ? notice(values) : notice,
    roundTrips: median(vantages.map(({ roundTrips }) => roundTrips)) ?? 0,
    savesMs: gains[client],
    gains,
    vantages: vantages.toSorted((a, b) => mostSaved(b.savesMs) - mostSaved(a.savesMs)),
    shown: { vantages: shown.length, results: timesOf(shown) },
    judged: { vantages: judged.length, results: judged.reduce((sum, { results }) => sum + results, 0) },
    basis: changes.length === 0 ? null : shown.every((at) => at.shown.base?.basis === 'model') ? 'model' : 'rule',
    changes: [...changes],
    values,
    server: null,
    snippets: snippetsOf(rule.code, values),
    confidence: confidenceOf(rule, shown),
  };
}

function vantageOf(at: At, savesMs: Savings, client: AdviceClient): AdviceVantage {
  const { ref, rttMs } = at.window;
  const { base, changes } = at.shown;
  return {
    id: ref?.id ?? null,
    name: ref?.name ?? null,
    country: ref?.country ?? null,
    region: ref?.region ?? null,
    carrier: ref?.carrier ?? null,
    rttMs: rttMs === null ? null : Math.round(rttMs * 100) / 100,
    results: at.results,
    shown: at.times,
    roundTrips: Math.max(0, mostSaved(promised(savedTrips, base, changes, client))),
    savesMs,
  };
}

type Worth = { at: At; saves: Record<AdviceClient, Savings> };

/** The vantage in the middle of those that show it, or of those that show the worst: its evidence stands for all. */
function typicalOf({ worstFirst = () => 0 }: Rule, worth: readonly Worth[]): Worth {
  const most = ({ saves }: Worth) => Math.max(mostSaved(saves.browser), mostSaved(saves.api));
  const rankOf = ({ at }: Worth) => worstFirst(at.shown.values);
  const worst = Math.min(...worth.map(rankOf));
  const sorted = worth.filter((each) => rankOf(each) === worst).toSorted((a, b) => most(a) - most(b));
  return sorted[(sorted.length - 1) >> 1] as Worth;
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
  const share = timesOf(shown) / Math.max(1, results);
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
