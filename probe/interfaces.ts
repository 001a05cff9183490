import type { Duplex } from 'node:stream';
import type { ProberState } from '#contract/result.ts';

/** The monotonic clock that all stamps come from, and the wall clock that only names the start. */
export type Clock = {
  /** Milliseconds with fractions, from an arbitrary origin, never going back. */
  now(): number;
  wallTime(): Date;
};

export type Family = 4 | 6;
export type ResolvedAddress = { address: string; family: Family };

/** The addresses of a name in the order of preference, and the resolver asked (null: none, as for the hosts file). */
export type Resolution = { addresses: ResolvedAddress[]; resolver: string | null };

/** An open TCP connection (or an emulated line that behaves like one). */
export type Connection = {
  stream: Duplex;
  peerAddress: string | null;
  peerPort: number | null;
  localAddress: string | null;
  localPort: number | null;
  family: Family | null;
};

/**
 * What the engine needs of a network. Both reject with a Node system error (`code`) and stop when `signal` aborts.
 * `onAsked` hears at once which resolver is asked, so that a look-up without an answer names it too.
 */
export type Network = {
  resolve(
    host: string,
    family: Family | null,
    signal: AbortSignal,
    onAsked?: (resolver: string) => void,
  ): Promise<Resolution>;
  connect(address: string, port: number, family: Family, signal: AbortSignal): Promise<Connection>;
};

/** Clock, network and the prober's own state are arguments, so that tests and the demo can bring their own. */
export type ProbeEnvironment = {
  clock: Clock;
  network: Network;
  /** How loaded the prober has been since the clock's `since` (the start of a probe). */
  load(since?: number): ProberState;
};

/** The process's own monotonic clock. */
export const systemClock: Clock = { now: () => performance.now(), wallTime: () => new Date() };
