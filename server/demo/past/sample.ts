/** One generated probe. `at` in epoch seconds; durations in ms; null where the phase did not happen. */
export type GeneratedSample = {
  at: number;
  ok: boolean;
  dnsMs: number;
  tcpMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  roundTrips: number | null;
};

/** What was generated for one check, in time order. */
export type GeneratedLine = { targetId: string; vantageId: string; samples: readonly GeneratedSample[] };
