import { connect as netConnect, type Socket } from 'node:net';
import type { Connection, Family, KernelView } from '../interfaces.ts';
import { readTcpInfo, type TcpInfo } from '../kernel/tcp-info.ts';
import { threadWatcher } from '../kernel/watcher.ts';

/**
 * One TCP connect to one address. Rejects with Node's system error; `signal` gives it up. `onFailed` hears then what the
 * kernel knows of it.
 */
export function connectTcp(
  address: string,
  port: number,
  family: Family,
  signal: AbortSignal,
  onFailed: (info: TcpInfo) => void = () => {},
): Promise<Connection> {
  return new Promise((settle, reject) => {
    const socket = netConnect({ host: address, port, family, autoSelectFamily: false, noDelay: true });
    let synAt = performance.now();
    // The kernel can be asked while the socket is open: Node tells of a failed attempt before it closes it.
    const tellFailure = () => {
      const info = readTcpInfo(descriptorOf(socket));
      if (info) onFailed(info);
    };
    const abort = () => {
      tellFailure();
      socket.destroy(new Error('the connect was given up'));
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', reject);
    socket.once('connectionAttemptFailed', tellFailure);
    socket.once('connectionAttempt', () => {
      synAt = performance.now();
    });
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', reject);
      // Between here and the tap nobody else listens, and an error without a listener would end the process.
      socket.on('error', () => {});
      settle(described(socket, family, synAt));
    });
  });
}

function described(socket: Socket, family: Family, synAt: number): Connection {
  return {
    stream: socket,
    peerAddress: socket.remoteAddress ?? null,
    peerPort: socket.remotePort ?? null,
    localAddress: socket.localAddress ?? null,
    localPort: socket.localPort ?? null,
    family,
    kernel: kernelView(socket, synAt),
  };
}

/** Right after the connect, the kernel's round-trip time is that of the SYN: nothing else has been acknowledged yet. */
function kernelView(socket: Socket, synAt: number): KernelView | null {
  const fd = descriptorOf(socket);
  const atConnect = readTcpInfo(fd);
  const watcher = threadWatcher();
  if (!atConnect || !watcher) return null;
  const onlySyn = atConnect.retransmits === 0 && atConnect.rttMs > 0;
  const watch = watcher.watch(fd);
  const sentAt = stampWrites(socket);
  let known = atConnect;
  const info = () => {
    known = readTcpInfo(descriptorOf(socket)) ?? known;
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
    sentAt,
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

/** Stamps each write at the last moment before the system call: Node's own work before it takes up to half a millisecond. */
function stampWrites(socket: Socket): () => number {
  let at = 0;
  const handle = handleOf(socket);
  for (const name of ['writeBuffer', 'writev'] as const) {
    const write = handle?.[name];
    if (!handle || !write) continue;
    handle[name] = (...args) => {
      at = performance.now();
      return write.apply(handle, args);
    };
  }
  return () => at;
}
