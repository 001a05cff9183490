import { v7 as uuidv7 } from 'uuid';
import type { Failure, Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import type { Variant } from '#contract/vocabulary.ts';
import type { ProbeEnvironment } from './environment.ts';
import { ticketFinding } from './findings/resumption.ts';
import { redirectTarget, settingsForRedirect } from './http/redirect.ts';
import { measure, type Probed, type ProbeRequest } from './measure.ts';

/** A probe that follows the main one with this much less time (ms) than it may need would only time out. */
const LEAST_MS = 250;
/** A follower may need this many times what the main probe took. */
const LEAST_SHARE = 3;
/** As many characters as the message of a failure may have. */
const MOST_TEXT = 1_000;

/** The main Result, and the probes that the settings ask for but the time did not suffice for. */
export type SequenceOutcome = { main: Result; leftOut: Variant[] };

type Follower = {
  variant: Exclude<Variant, 'main'>;
  url: string;
  settings: ProbeSettings;
  session?: Buffer;
};

/**
 * Runs the main probe and then, one after the other, those that the settings ask for: one for each redirect, another request on its
 * connection, one that resumes its session, one for each kind of certificate. Each is a Result of its own, the main one handed over first,
 * once its redirects have come to their end: what was expected is expected there. The redirects are handed over last.
 * `budgetMs` bounds all of them together: what is left of it is shared out among those still to run, each within
 * `request.timeoutMs`, and a follower that could only time out in what is left does not run.
 */
export async function measureSequence(
  request: ProbeRequest,
  environment: ProbeEnvironment,
  onResult: (result: Result) => void,
  budgetMs: number = Number.POSITIVE_INFINITY,
): Promise<SequenceOutcome> {
  const { clock } = environment;
  const endsAt = clock.now() + budgetMs;
  const first = await measure({ ...request, timeoutMs: Math.min(request.timeoutMs, budgetMs) }, environment);
  const measured: Result = { ...first.result, variant: 'main', mainId: null };
  const leftOut: Variant[] = [];
  const leastMs = Math.min(request.timeoutMs, Math.max(LEAST_MS, LEAST_SHARE * (measured.phases.total ?? 0)));
  const run = async (next: Follower, others: number): Promise<Result | null> => {
    const leftMs = endsAt - clock.now();
    if (leftMs < leastMs) {
      leftOut.push(next.variant);
      return null;
    }
    const shareMs = Math.floor(Math.max(leastMs, leftMs / (others + 1)));
    return await follow(next, { ...request, timeoutMs: Math.min(request.timeoutMs, shareMs) }, environment, measured);
  };
  const waiting = followersOf(request, first);
  const hops: Result[] = [];
  const verdict = await followRedirects(measured, request, async (next) => {
    const hop = await run(next, waiting.length);
    if (hop) hops.push(hop);
    return hop;
  });
  const main = verdict ? { ...measured, ok: false, failure: verdict } : measured;
  onResult(main);
  const judged = (result: Result) => judgedByChain(result, request, measured, verdict);
  if (first.reuse) onResult(judged({ ...first.reuse, variant: 'reuse', mainId: main.id }));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const result = await run(next, waiting.length);
    if (result) onResult(judged(result));
  }
  for (const hop of hops) onResult(hop);
  return { main, leftOut };
}

async function follow(
  { variant, url, settings, session }: Follower,
  request: ProbeRequest,
  environment: ProbeEnvironment,
  main: Result,
): Promise<Result> {
  const id = uuidv7({ msecs: environment.clock.wallTime().getTime() });
  const { result } = await measure({ ...request, id, url, settings, session }, environment);
  const found = variant === 'resumed' ? ticketFinding(main, result) : null;
  const findings = found ? [...result.findings, found].sort(byCost) : result.findings;
  return { ...result, variant, mainId: main.id, findings };
}

const byCost = (a: { savesMs: number | null }, b: { savesMs: number | null }) => (b.savesMs ?? 0) - (a.savesMs ?? 0);

/** A second request, resumption and the kinds of certificate. Where TCP failed already, another handshake adds nothing. */
function followersOf({ url, settings }: ProbeRequest, { result, session, reuse }: Probed): Follower[] {
  const alone: ProbeSettings = { ...settings, resume: false, reuse: false };
  const unpinned: ProbeSettings = { ...alone, sigalgs: settings.sigalgs === 'both' ? null : settings.sigalgs };
  const followers: Follower[] = [];
  // On a connection that was not kept a second request costs what a new one does.
  if (settings.reuse && settings.http && result.ok && !reuse && !result.http?.bodyCut)
    followers.push({ variant: 'reuse', url, settings: unpinned });
  if (settings.resume && session) followers.push({ variant: 'resumed', url, settings: unpinned, session });
  if (settings.sigalgs === 'both' && result.phases.tcp !== null) {
    followers.push({ variant: 'rsa', url, settings: { ...alone, sigalgs: 'RSA' } });
    followers.push({ variant: 'ecdsa', url, settings: { ...alone, sigalgs: 'ECDSA' } });
  }
  return followers;
}

/**
 * Follows the redirects of the main Result so far and no further, and never to where it has been with the same method. Says why the
 * chain as a whole failed: it came back, was longer than allowed, was not followed to its end, or ended in a failure.
 */
async function followRedirects(
  main: Result,
  { settings }: ProbeRequest,
  probe: (next: Follower) => Promise<Result | null>,
): Promise<Failure | null> {
  if (settings.redirects === 0) return null;
  const place = (method: string, url: string) => `${method} ${url}`;
  const seen = new Set([place(settings.request.method, new URL(main.url).href)]);
  let from = { result: main, settings };
  for (let left = settings.redirects; ; left--) {
    const url = redirectTarget(from.result);
    if (url === null) break;
    const next = settingsForRedirect(from.settings, from.result, url);
    const there = place(next.request.method, url);
    if (seen.has(there)) return chainFailure('redirect_loop', `the redirects come back to ${url}`);
    if (left === 0) return chainFailure('too_many_redirects', `more than ${settings.redirects} redirects`);
    seen.add(there);
    // `redirects` tells the engine that a redirect will be followed, and is not the answer to judge.
    const settingsThere = { ...next, resume: false, reuse: false, sigalgs: pinned(next), redirects: left - 1 };
    const result = await probe({ variant: 'redirect', url, settings: settingsThere });
    if (!result) return chainFailure('redirect_not_followed', `no time was left to follow the redirect to ${url}`);
    from = { result, settings: settingsThere };
  }
  const { failure, url } = from.result;
  return failure && from.result !== main
    ? { ...failure, message: `at ${url}: ${failure.message}`.slice(0, MOST_TEXT) }
    : null;
}

/**
 * One that is sent where the main probe was sent has that one's verdict: its redirects are not followed another time. Queries may differ: a
 * sign-in has another state each time.
 */
function judgedByChain(result: Result, { settings }: ProbeRequest, main: Result, verdict: Failure | null): Result {
  const there = settings.redirects > 0 && result.ok ? redirectTarget(result) : null;
  if (there === null) return result;
  const failure =
    withoutQuery(there) === withoutQuery(redirectTarget(main) ?? '')
      ? verdict
      : chainFailure(
          'redirect_not_followed',
          `the redirect to ${there} was not followed: the main probe was sent elsewhere`,
        );
  return failure ? { ...result, ok: false, failure } : result;
}

const withoutQuery = (url: string) => url.replace(/[?#].*$/s, '');

const chainFailure = (reason: Failure['reason'], message: string): Failure => ({
  phase: 'firstByte',
  reason,
  source: 'target',
  message: message.slice(0, MOST_TEXT),
});

function pinned({ sigalgs }: ProbeSettings): 'RSA' | 'ECDSA' | null {
  return sigalgs === 'both' ? null : sigalgs;
}
