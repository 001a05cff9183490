/**
 * The phases of a probe. Each is a function of its own file that takes what the probe has reached so far (stages.ts) and
 * returns the next stage, under its own time-out and the probe's (deadline.ts), or throws a ProbeFailure:
 *
 *   resolve  Started   -> Resolved   the name is looked up, where there is one to look up
 *   connect  Resolved  -> Connected  TCP to one address after the other (candidates.ts); the ClientHello is made meanwhile
 *   secure   Connected -> Secured    the handshake, and the server's identity
 *   answer   Secured   -> Answered   one request and its answer
 *   ticket                           after the last stamp: a session that is worth offering again
 *
 * Every instant is stamped once and stays as it was stamped. This file gathers the stamps of the last stage, subtracts
 * our own work and waits (the cuts) from them, and derives the marks and the durations: here and nowhere else.
 */
import type { Marks, Phases } from '#contract/result.ts';
import { roundMs } from '../format.ts';
import { answeredOf, answeringOf, askedOf, connectedOf, type Reached, securedOf } from './stages.ts';

/**
 * Instants of one probe on the monotonic clock, in milliseconds, as they were stamped; nothing changes them afterwards.
 * What did not happen is undefined. `end` is when the probe was over, whatever its outcome.
 */
export type Stamps = {
  readonly start: number;
  readonly namelookup?: number | undefined;
  readonly connect?: number | undefined;
  readonly appconnect?: number | undefined;
  readonly pretransfer?: number | undefined;
  readonly starttransfer?: number | undefined;
  readonly firstBody?: number | undefined;
  readonly bodyEnd?: number | undefined;
  readonly end?: number | undefined;
};

/**
 * Time (ms) between the stamps that was our own work or wait, and so is in no phase: from the look-up (or the start)
 * until the SYN left, and from the connect until the ClientHello left. Connects that failed are no work of ours.
 */
export type Cuts = { readonly beforeSynMs: number; readonly beforeHelloMs: number };

export const NO_CUTS: Cuts = { beforeSynMs: 0, beforeHelloMs: 0 };

/** The stamps of a probe that came so far, and was over at `end`. */
export function stampsOf(reached: Reached, end?: number): Stamps {
  return {
    start: reached.start,
    namelookup: 'lookup' in reached ? reached.lookup?.endedAt : undefined,
    connect: connectedOf(reached)?.connectedAt,
    appconnect: securedOf(reached)?.handshake.lastArrival,
    pretransfer: askedOf(reached)?.tap.requestSentAt ?? undefined,
    starttransfer: answeringOf(reached)?.head.at,
    firstBody: answeringOf(reached)?.exchange.bodyStart()?.at,
    bodyEnd: answeredOf(reached)?.body.at,
    end,
  };
}

/**
 * What was our own: all before the SYN but for the attempts at other addresses, which a client waits for too, and the
 * ClientHello's wait for its turn.
 */
export function cutsOf(reached: Reached): Cuts {
  if (!('destination' in reached)) return NO_CUTS;
  const { start, lookup, attemptAt, failed } = reached;
  const connected = connectedOf(reached);
  const before = failed.filter(({ startedAt }) => startedAt < attemptAt);
  const synAt = connected?.connection.kernel?.synAt ?? (before.length > 0 ? attemptAt : null);
  const spentMs = before.reduce((sum, { startedAt, endedAt }) => sum + endedAt - startedAt, 0);
  const beforeSynMs = synAt === null ? 0 : Math.max(0, synAt - (lookup?.endedAt ?? start) - spentMs);
  const helloSentAt = connected?.tap.helloSentAt ?? null;
  const beforeHelloMs = connected && helloSentAt !== null ? Math.max(0, helloSentAt - connected.connectedAt) : 0;
  return { beforeSynMs, beforeHelloMs };
}

/** The stamps less the cuts: what was stamped before a cut moves up to what was stamped after it. */
function lessCuts(stamps: Stamps, { beforeSynMs, beforeHelloMs }: Cuts): Stamps {
  const { start, namelookup, connect } = stamps;
  return {
    ...stamps,
    start: start + beforeSynMs + beforeHelloMs,
    namelookup: namelookup === undefined ? undefined : namelookup + beforeSynMs + beforeHelloMs,
    connect: connect === undefined ? undefined : connect + beforeHelloMs,
  };
}

/** The instant that offsets on the Result count from, for all that happened after the ClientHello left. */
export function originOf(stamps: Stamps, cuts: Cuts): number {
  return lessCuts(stamps, cuts).start;
}

/** From the connect to the arrival that ended the handshake (ms, not rounded); null where either did not happen. */
export function handshakeMsOf(stamps: Stamps, cuts: Cuts): number | null {
  const { connect, appconnect } = lessCuts(stamps, cuts);
  return connect === undefined || appconnect === undefined ? null : appconnect - connect;
}

/** The marks: offsets from the probe's start under curl's names; null from the first missing one on, but for `total`. */
export function marksOf(stamps: Stamps, cuts: Cuts): Marks {
  const instants = lessCuts(stamps, cuts);
  const offset = (at: number | undefined) => (at === undefined ? null : roundMs(Math.max(0, at - instants.start)));
  return {
    namelookup: offset(instants.namelookup),
    connect: offset(instants.connect),
    appconnect: offset(instants.appconnect),
    pretransfer: offset(instants.pretransfer),
    starttransfer: offset(instants.starttransfer),
    firstBody: offset(instants.firstBody),
    total: offset(instants.end),
  };
}

/**
 * The phases, derived here and nowhere else, each from two neighbouring marks. A probe of a literal address has no
 * `namelookup`: its `tcp` counts from the start. `total` of a failed probe is the time until it failed. `firstBody` overlaps
 * `firstByte` and `download`.
 */
export function phasesOf(marks: Marks, bodyEnded: boolean): Phases {
  const between = (from: number | null, to: number | null) =>
    from === null || to === null ? null : roundMs(Math.max(0, to - from));
  return {
    dns: marks.namelookup,
    tcp: between(marks.namelookup ?? 0, marks.connect),
    tls: between(marks.connect, marks.appconnect),
    firstByte: between(marks.pretransfer, marks.starttransfer),
    download: bodyEnded ? between(marks.starttransfer, marks.total) : null,
    total: marks.total,
    firstBody: between(marks.pretransfer, marks.firstBody ?? null),
  };
}
