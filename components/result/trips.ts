import type { RoundTrips } from '#contract/result.ts';

/** The phases that lie one after the other, from the SYN to the first byte that can be read. */
const IN_TURN = ['tcp', 'tls', 'firstByte'] as const;

/** Round trips that a phase took beyond those it must take; null where one of the two could not be counted. */
export function extraTrips({ took, expected }: RoundTrips['tcp']): number | null {
  return took === null || expected === null ? null : Math.max(0, took - expected);
}

/** Round trips from the SYN to the first usable byte, and the wasted among them; `took` is null unless all were counted. */
export function allTrips(roundTrips: RoundTrips | null | undefined): { took: number | null; extra: number } {
  if (!roundTrips) return { took: null, extra: 0 };
  const phases = IN_TURN.map((phase) => roundTrips[phase]);
  return {
    took: phases.reduce<number | null>((sum, { took }) => (sum === null || took === null ? null : sum + took), 0),
    extra: phases.reduce((sum, phase) => sum + (extraTrips(phase) ?? 0), 0),
  };
}
