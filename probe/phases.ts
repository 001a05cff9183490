import type { Marks, Phases } from '#contract/result.ts';

/**
 * Instants of one probe on the monotonic clock, in milliseconds, as they were stamped.
 * What did not happen is undefined. `end` is when the probe was over, whatever its outcome.
 */
export type Instants = {
  start: number;
  namelookup?: number;
  connect?: number;
  appconnect?: number;
  pretransfer?: number;
  starttransfer?: number;
  bodyEnd?: number;
  end?: number;
};

/** Whole microseconds: finer than any clock here tells. */
export function roundMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The marks: offsets from the probe's start under curl's names; null from the first missing one on, but for `total`. */
export function marksOf(instants: Instants): Marks {
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
