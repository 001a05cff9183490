/**
 * What would it be: the exchange of a Result replayed with one thing changed. The life of a prediction:
 *
 *   facts        what the model needs of a Result; null where it is no base for a prediction
 *   calibration  the server's window and Nagle, where they are not measured: from where it paused
 *   changes      what the server would send instead
 *   exchange     the replay: the records through the model of a TCP sender (analysis/tcp-sender), to four milestones
 *   parse        changes as they are typed
 *
 * Pure. What the replay of the state before lacks (the server's work, the client's own) is added to both sides, so that
 * no change gives exactly what was measured. docs/decisions/0029-what-if.md says what it leaves out, and how far off it is.
 */
export type { Change } from '#contract/advice.ts';
export { fittingChain } from './changes.ts';
export type { Client, Milestones } from './exchange.ts';
export { type Facts, factsOf, textbookFacts } from './facts.ts';
export { ALLOWED_CHANGES, parseChanges } from './parse.ts';

import type { Change } from '#contract/advice.ts';
import { changed, uncompressed } from './changes.ts';
import { type Client, type Milestones, replay, tripsOf, turnsOf } from './exchange.ts';
import type { Facts } from './facts.ts';

/** What this client would have had (`before`: browsers with False Start, others without compressed certificates), and with the changes. */
export type Prediction = { before: Milestones; after: Milestones };

/** Predicts all changes together, in the order in which they are given. */
export function whatIf(facts: Facts, changes: readonly Change[], client: Client): Prediction {
  const browser = client === 'browser';
  const own = alteredBy(facts, [], client);
  const altered = alteredBy(facts, changes, client);
  const seen = replay(facts.exchange, 'api').milestones;
  const workMs = altered.signatureMs - facts.signatureMs;
  const calibrated = ({ exchange, redirects, dnsMs }: Facts, moreMs: number): Milestones => {
    const modelled = replay(exchange, client).milestones;
    // On a connection that is there nothing of the handshake's own work is left.
    const further = exchange.request === 'further';
    const unmodelled = (milestone: keyof Milestones) => facts.measured[milestone] - seen[milestone];
    const at = (milestone: keyof Milestones, besidesMs: number) =>
      modelled[milestone] + unmodelled(milestone) + (further ? -unmodelled('handshake') : moreMs + besidesMs);
    const beforeMs = redirects.beforeMs - (browser ? redirects.earlyMs : 0) + dnsMs - facts.dnsMs;
    const onConnectionMs = beforeMs + redirects.onConnectionMs;
    const turnsMs = (turnsOf(exchange, client) - turnsOf(facts.exchange, 'api')) * facts.turnaroundMs;
    return {
      handshake: at('handshake', beforeMs + turnsMs),
      firstUsable: at('firstUsable', onConnectionMs),
      firstBody: at('firstBody', onConnectionMs),
      total: at('total', onConnectionMs),
    };
  };
  return { before: calibrated(own, 0), after: calibrated(altered, workMs) };
}

/** Round trips until each milestone with the changes, those of the connect and of redirects among them: as the replay counts them. */
export function countedTrips(facts: Facts, changes: readonly Change[], client: Client): Milestones {
  const { exchange, redirects } = alteredBy(facts, changes, client);
  const { handshake, firstUsable, firstBody, total } = tripsOf(exchange, client);
  const before = redirects.beforeTrips - (client === 'browser' ? redirects.earlyTrips : 0);
  const onConnection = before + redirects.onConnectionTrips;
  return {
    handshake: handshake + before,
    firstUsable: firstUsable + onConnection,
    firstBody: firstBody + onConnection,
    total: total + onConnection,
  };
}

/** What the server would send to this client with all changes: compressed certificates to browsers alone. */
function alteredBy(facts: Facts, changes: readonly Change[], client: Client): Facts {
  const browser = client === 'browser';
  const own = browser ? facts : uncompressed(facts);
  return changes.reduce((state, change) => changed(state, change, browser), own);
}
