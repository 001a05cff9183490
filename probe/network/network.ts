/**
 * The network that a probe goes through. `Network` is what the engine needs of one, so that the demo and tests bring
 * their own; the machine's is made by `systemNetwork` (system.ts). A look-up there reads the hosts file (hosts-file.ts)
 * and asks a resolver by queries of our own, so that it is known which one answered, for the names that the search list makes
 * (search-list.ts); a connect (tcp.ts) goes to one address and no other, and hands over the stream with the kernel's view of
 * it (../kernel).
 */
import type { Duplex } from 'node:stream';
import type { KernelView } from '../kernel/kernel.ts';
import type { TcpInfo } from '../kernel/tcp-info.ts';

export type Family = 4 | 6;
export type ResolvedAddress = { address: string; family: Family };

/** Stands for a resolver where the machine's own library found the addresses, from whatever source it has. */
export const SYSTEM_LOOKUP = 'system';

/**
 * The addresses of a name in the order of preference, and the resolver asked (null: none, as for the hosts file), or
 * SYSTEM_LOOKUP. `name` is the absolute name that has them, where the search list completed the one that was looked up.
 */
export type Resolution = { addresses: ResolvedAddress[]; resolver: string | null; name?: string };

/** An open TCP connection (or an emulated path that behaves like one). */
export type Connection = {
  stream: Duplex;
  peerAddress: string | null;
  peerPort: number | null;
  localAddress: string | null;
  localPort: number | null;
  family: Family | null;
  /** The kernel's view; absent where the network is not the kernel's. */
  kernel?: KernelView | null;
};

/**
 * What the engine needs of a network. Both reject with a Node system error (`code`) and stop when `signal` aborts.
 * `onAsked` is called at once with the resolver that is asked, so that a look-up without an answer names it too.
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
  /** `onFailed` gets what the kernel knows of a connect that comes to nothing (Linux), before the promise rejects. */
  connect(
    address: string,
    port: number,
    family: Family,
    signal: AbortSignal,
    onFailed?: (info: TcpInfo) => void,
  ): Promise<Connection>;
};
