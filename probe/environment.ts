import { roundMs } from './format.ts';
import { type Network, type ProbeEnvironment, systemClock } from './interfaces.ts';
import { probesInFlight } from './load/in-flight.ts';
import { loopDelaySince, watchLoop } from './load/load.ts';
import { systemNetwork } from './network/network.ts';

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
  /** A Result that may be off by this much (ms), or during which the loop stalled for so long, is not clean. */
  cleanBelowMs?: number;
  /** Network to measure through, where it is not the machine's own. */
  network?: Network;
};

/** So much (ms) of a Result's durations may be the prober's own delay before it is kept out of percentiles. */
const CLEAN_BELOW_MS = 1;
/** Without the kernel's stamps, so long (ms) may the loop have stalled. */
const STALLED_FROM_MS = 10;

/** The real clock, network and loop of this thread. One for all probes of a thread is enough. */
export function realEnvironment(options: RealOptions = {}): ProbeEnvironment {
  watchLoop();
  const stalledFromMs = options.cleanBelowMs ?? STALLED_FROM_MS;
  return {
    clock: systemClock,
    network: options.network ?? systemNetwork(options.servers ? { servers: options.servers } : {}),
    load(since = systemClock.now(), lateMs = 0, kernel = false) {
      const loopDelayMs = roundMs(loopDelaySince(since));
      const clean = lateMs < (options.cleanBelowMs ?? CLEAN_BELOW_MS) && (kernel || loopDelayMs < stalledFromMs);
      const stampedBy = kernel ? 'watcher' : 'loop';
      return { loopDelayMs, inFlight: probesInFlight(), clean, lateMs: roundMs(lateMs), stampedBy };
    },
  };
}
