import { z } from 'zod';

/** Whether the demo network (made-up places in front of real TLS servers) is there. Once removed it stays away. */
export const DemoState = z
  .object({ present: z.boolean(), removed: z.boolean(), targets: z.number().int(), vantages: z.number().int() })
  .meta({ id: 'DemoState' });
export type DemoState = z.infer<typeof DemoState>;

/** One generated probe of the demo's past. `at` in epoch seconds; durations in ms; null where the phase did not happen. */
export type GeneratedSample = {
  at: number;
  ok: boolean;
  dnsMs: number;
  tcpMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  /** Of the handshake. */
  roundTrips: number | null;
};

/** What was generated for one check, in time order. */
export type GeneratedSeries = { targetId: string; vantageId: string; samples: readonly GeneratedSample[] };
