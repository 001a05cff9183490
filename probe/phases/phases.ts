import type { Marks, Phases } from '#contract/result.ts';
import { roundMs } from '../format.ts';

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
  readonly bodyEnd?: number | undefined;
  readonly end?: number | undefined;
};

/**
 * Time (ms) between the stamps that was our own work or wait, and so is in no phase: from the look-up (or the start)
 * until the SYN left, and from the connect until the ClientHello left.
 */
export type Cuts = { readonly beforeSynMs: number; readonly beforeHelloMs: number };

export const NO_CUTS: Cuts = { beforeSynMs: 0, beforeHelloMs: 0 };

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
    total: offset(instants.end),
  };
}

/**
 * The phases, derived here and nowhere else, each from two neighbouring marks. A probe of a literal address has no
 * `namelookup`: its `tcp` counts from the start. `total` of a failed probe is the time until it failed.
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
  };
}
