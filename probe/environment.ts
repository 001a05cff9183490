import { probesInFlight } from './in-flight.ts';
import { type Network, type ProbeEnvironment, systemClock } from './interfaces.ts';
import { loopDelaySince, watchLoop } from './loop-delay.ts';
import { systemNetwork } from './network.ts';

export type {
  Clock,
  Connection,
  Family,
  Network,
  ProbeEnvironment,
  Resolution,
  ResolvedAddress,
} from './interfaces.ts';

export type RealOptions = {
  /** Addresses of resolvers to ask instead of the system's. */
  servers?: string[];
  /** A Result taken while the event loop stalled for longer than this (ms) is not clean. */
  cleanBelowMs?: number;
  /** Network to measure through, where it is not the machine's own. */
  network?: Network;
};

/** A prober's loop may stall this long (ms) before its Results are kept out of percentiles. */
const CLEAN_BELOW_MS = 10;

/** The real clock, network and loop of this thread. One for all probes of a thread is enough. */
export function realEnvironment(options: RealOptions = {}): ProbeEnvironment {
  watchLoop();
  const cleanBelowMs = options.cleanBelowMs ?? CLEAN_BELOW_MS;
  return {
    clock: systemClock,
    network: options.network ?? systemNetwork(options.servers ? { servers: options.servers } : {}),
    load(since = systemClock.now()) {
      const loopDelayMs = Math.round(loopDelaySince(since) * 1000) / 1000;
      return { loopDelayMs, inFlight: probesInFlight(), clean: loopDelayMs < cleanBelowMs };
    },
  };
}
