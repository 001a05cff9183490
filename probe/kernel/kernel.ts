/**
 * The kernel's side of a connection (Linux, through koffi; libc.ts), or nothing elsewhere. `kernelView` is made when a
 * socket has connected: it asks TCP_INFO for the round-trip time of the SYN (tcp-info.ts), has each write stamped just
 * before its system call, and lets this thread's watcher stamp every arrival (watcher.ts). The watcher is a thread of its
 * own (watcher-thread.ts) that sleeps in epoll_wait at real-time priority, reads the kernel's receive stamps
 * (receive-stamp.ts) and writes them into shared memory (arrival-ring.ts); the tap matches them by counted bytes to what
 * it reads (arrival-log.ts). burst.ts and run-delay.ts bound how late a stamp may be because a thread waited for a processor.
 */
import type { Socket } from 'node:net';
import { readTcpInfo, type TcpInfo } from './tcp-info.ts';
import { threadWatcher, type Watch } from './watcher.ts';

/** Instants are performance.now()'s. */
export type KernelView = {
  /** When the SYN left. */
  synAt: number;
  /** When the SYN's answer came, by the kernel's own measure; null where the SYN was sent more than once. */
  connectedAt: number | null;
  atConnect: TcpInfo;
  watch: Watch;
  /** Stamps of arrivals that came since the last look, brought to `watch.log`. */
  collect(): void;
  /** When bytes were handed to the kernel last, which sends them within the call, and how long that took; 0 before. */
  sent(): { at: number; tookMs: number };
  /** What the kernel knows now, or knew last before the socket was closed. */
  info(): TcpInfo;
};

/** What the kernel knows of a socket now; null where it cannot be asked. */
export function socketInfo(socket: Socket): TcpInfo | null {
  return readTcpInfo(descriptorOf(socket));
}

/**
 * The kernel's view of a socket that has just connected; null where it cannot be asked. Right after the connect, the
 * kernel's round-trip time is that of the SYN: nothing else has been acknowledged yet.
 */
export function kernelView(socket: Socket, synAt: number): KernelView | null {
  const fd = descriptorOf(socket);
  const atConnect = readTcpInfo(fd);
  const watcher = threadWatcher();
  if (!atConnect || !watcher) return null;
  const onlySyn = atConnect.retransmits === 0 && atConnect.rttMs > 0;
  const watch = watcher.watch(fd);
  const sent = stampWrites(socket);
  let known = atConnect;
  const info = () => {
    known = socketInfo(socket) ?? known;
    return known;
  };
  // The last moment at which the kernel can be asked: a server that ends the connection closes our side too.
  socket.once('end', info);
  socket.once('close', () => watch.end());
  return {
    synAt,
    connectedAt: onlySyn ? Math.min(performance.now(), synAt + atConnect.rttMs) : null,
    atConnect,
    watch,
    collect: () => watcher.collect(),
    sent,
    info,
  };
}

type Handle = { fd?: number; writeBuffer?: Native; writev?: Native };
type Native = (...args: unknown[]) => unknown;

/** Node shows the descriptor of a socket on its handle alone. */
function handleOf(socket: Socket & { _handle?: Handle | null }): Handle | null {
  return socket._handle ?? null;
}

function descriptorOf(socket: Socket): number {
  return handleOf(socket)?.fd ?? -1;
}

/**
 * Stamps each write at the last moment before the system call, and when that was over: Node's own work before it takes up to
 * half a millisecond, and afterwards the bytes have left.
 */
function stampWrites(socket: Socket): KernelView['sent'] {
  let at = 0;
  let tookMs = 0;
  const handle = handleOf(socket);
  for (const name of ['writeBuffer', 'writev'] as const) {
    const write = handle?.[name];
    if (!handle || !write) continue;
    handle[name] = (...args) => {
      at = performance.now();
      const outcome = write.apply(handle, args);
      tookMs = performance.now() - at;
      return outcome;
    };
  }
  return () => ({ at, tookMs });
}
