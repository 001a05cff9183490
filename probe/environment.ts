import type { ProberState } from '#contract/result.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Lateness, proberState, watchLoop } from './load/load.ts';
import type { Network } from './network/network.ts';
import { systemNetwork } from './network/system.ts';

/** Clock, network and the prober's own state are arguments, so that tests and the demo can bring their own. */
export type ProbeEnvironment = {
  clock: Clock;
  network: Network;
  /**
   * How loaded the prober has been since the clock's `since` (the start of a probe), and whether the Result is clean.
   * `late` is how much of its phases may be our own delay, `kernel` whether the kernel stamped its arrivals.
   */
  load(since?: number, late?: readonly Lateness[], kernel?: boolean): ProberState;
};

export type RealOptions = {
  /** Addresses of resolvers to ask instead of the system's. */
  servers?: string[];
  /** A Result that may be off by this much (ms), or during which the loop stalled for so long, is not clean. */
  cleanBelowMs?: number;
  /** Network to measure through, where it is not the machine's own. */
  network?: Network;
};

/** The real clock, network and loop of this thread. One for all probes of a thread is enough. */
export function realEnvironment(options: RealOptions = {}): ProbeEnvironment {
  watchLoop();
  const { servers, cleanBelowMs } = options;
  return {
    clock: systemClock,
    network: options.network ?? systemNetwork(servers ? { servers } : {}),
    load: (since = systemClock.now(), late = [], kernel = false) => proberState({ since, late, kernel, cleanBelowMs }),
  };
}
