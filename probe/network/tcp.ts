import { connect as netConnect, type Socket } from 'node:net';
import { codeOf } from '../failure.ts';
import { kernelView, socketInfo } from '../kernel/kernel.ts';
import type { TcpInfo } from '../kernel/tcp-info.ts';
import type { Connection, Family } from './network.ts';

/**
 * One TCP connect to one address. Rejects with Node's system error; `signal` aborts it. `onFailed` is then called with
 * what the kernel knows of it.
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
    // The kernel can be asked while the socket is open: Node reports a failed attempt before it closes it.
    const tellFailure = () => {
      const info = socketInfo(socket);
      if (info) onFailed(info);
    };
    const abort = () => {
      tellFailure();
      socket.destroy(new Error('the connect was given up'));
    };
    signal.addEventListener('abort', abort, { once: true });
    let left = false;
    const fail = (error: Error) => reject(left ? error : withoutWay(error));
    socket.once('error', fail);
    socket.once('connectionAttemptFailed', () => {
      left = true;
      tellFailure();
    });
    socket.once('connectionAttempt', () => {
      synAt = performance.now();
    });
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
      // Between here and the tap there is no other listener, and an error without a listener would end the process.
      socket.on('error', () => {});
      settle(described(socket, family, synAt));
    });
  });
}

/** A connect that the kernel refused before a packet left: with an `unreachable` route it says that the host is. */
function withoutWay(error: Error): Error {
  return codeOf(error) === 'EHOSTUNREACH' ? Object.assign(error, { code: 'ENETUNREACH' }) : error;
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
