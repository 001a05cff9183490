import type { Duplex } from 'node:stream';
import type { ProberState } from '#contract/result.ts';
import type { TcpInfo } from './kernel/tcp-info.ts';
import type { Watch } from './kernel/watcher.ts';

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
  /** What the kernel tells of it; absent where the network is no kernel's. */
  kernel?: KernelView | null;
};

/** The kernel's side of a connection (Linux). Instants are performance.now()'s. */
export type KernelView = {
  /** When the SYN left. */
  synAt: number;
  /** When the SYN's answer came, by the kernel's own measure; null where the SYN was sent more than once. */
  connectedAt: number | null;
  atConnect: TcpInfo;
  watch: Watch;
  /** Stamps of arrivals that came since the last look, brought to `watch.log`. */
  collect(): void;
  /** When bytes were handed to the kernel last, which sends them within the call; 0 before. */
  sentAt(): number;
  /** What the kernel knows now, or knew last before the socket was closed. */
  info(): TcpInfo;
};

/**
 * What the engine needs of a network. Both reject with a Node system error (`code`) and stop when `signal` aborts.
 * `onAsked` hears at once which resolver is asked, so that a look-up without an answer names it too.
 */
export type Network = {
  /** `resolver` (ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT) is asked instead of the system's, for this look-up alone. */
  resolve(
    host: string,
    family: Family | null,
    signal: AbortSignal,
    onAsked?: (resolver: string) => void,
    resolver?: string | null,
  ): Promise<Resolution>;
  /** `onFailed` hears what the kernel knows of a connect that comes to nothing (Linux), before the promise rejects. */
  connect(
    address: string,
    port: number,
    family: Family,
    signal: AbortSignal,
    onFailed?: (info: TcpInfo) => void,
  ): Promise<Connection>;
};

/** Clock, network and the prober's own state are arguments, so that tests and the demo can bring their own. */
export type ProbeEnvironment = {
  clock: Clock;
  network: Network;
  /**
   * How loaded the prober has been since the clock's `since` (the start of a probe), and whether the Result is clean.
   * `lateMs` is how much of its durations may be our own delay, `kernel` whether the kernel stamped its arrivals.
   */
  load(since?: number, lateMs?: number, kernel?: boolean): ProberState;
};

/** The process's own monotonic clock. */
export const systemClock: Clock = { now: () => performance.now(), wallTime: () => new Date() };
