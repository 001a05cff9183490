import { v7 as uuidv7 } from 'uuid';
import type { Result } from '#contract/result.ts';
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

/** The main Result, and the probes that the settings ask for but the time did not suffice for. */
export type SequenceOutcome = { main: Result; leftOut: Variant[] };

type Follower = {
  variant: Exclude<Variant, 'main'>;
  url: string;
  settings: ProbeSettings;
  session?: Buffer;
};

/**
 * Runs the main probe and then, one after the other, those that the settings ask for: another request on its connection,
 * one that resumes its session, one for each kind of certificate, one for each redirect. Each is a Result of its own, handed over as it comes.
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
  const main: Result = { ...first.result, variant: 'main', mainId: null };
  onResult(main);
  if (first.reuse) onResult({ ...first.reuse, variant: 'reuse', mainId: main.id });
  const leftOut: Variant[] = [];
  const waiting = followersOf(request, first);
  const hops = new Hops(request.settings.redirects, request.url);
  waiting.push(...hops.after(main, request.settings));
  const leastMs = Math.min(request.timeoutMs, Math.max(LEAST_MS, LEAST_SHARE * (main.phases.total ?? 0)));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const leftMs = endsAt - clock.now();
    if (leftMs < leastMs) {
      leftOut.push(next.variant);
      continue;
    }
    const shareMs = Math.floor(Math.max(leastMs, leftMs / (waiting.length + 1)));
    const timeoutMs = Math.min(request.timeoutMs, shareMs);
    const result = await follow(next, { ...request, timeoutMs }, environment, main);
    onResult(result);
    if (next.variant === 'redirect') waiting.push(...hops.after(result, next.settings));
  }
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
  const alone: ProbeSettings = { ...settings, resume: false, redirects: 0, reuse: false };
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

/** Follows redirects so far and no further, and never to where it has been. */
class Hops {
  #left: number;
  readonly #seen: Set<string>;

  constructor(most: number, from: string) {
    this.#left = most;
    this.#seen = new Set([new URL(from).href]);
  }

  /** The probe of the URL that this Result redirects to, if it is to be followed. */
  after(result: Result, settings: ProbeSettings): Follower[] {
    const url = this.#left > 0 ? redirectTarget(result) : null;
    if (url === null || this.#seen.has(url)) return [];
    this.#left -= 1;
    this.#seen.add(url);
    const next = settingsForRedirect(settings, result, url);
    // `redirects` tells the engine that a redirect will be followed, and is not the answer to judge.
    const settingsThere = { ...next, resume: false, reuse: false, sigalgs: pinned(next), redirects: this.#left };
    return [{ variant: 'redirect', url, settings: settingsThere }];
  }
}

function pinned({ sigalgs }: ProbeSettings): 'RSA' | 'ECDSA' | null {
  return sigalgs === 'both' ? null : sigalgs;
}
