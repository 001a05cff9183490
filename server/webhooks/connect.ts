import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CheckedAddress } from './address-guard.ts';

/** The kernel repeats a SYN after a second: an address that has not answered by then (ms) is passed over while others are left. */
export const MOST_CONNECT_MS = 3_000;

/** Where to: TLS, where `secure`, asks for the certificate of `host`, and offers `protocols` (ALPN). */
export type Destination = { host: string; port: number; secure: boolean; protocols?: string[] };

/**
 * Connects to one checked address after the other until one answers, with TLS where that is asked for: nothing of a message has been
 * sent by then. Within `timeoutMs` all get their turn, with time left for the answer. Throws the one failure, or all of them as an
 * AggregateError.
 */
export async function connectToAny(
  addresses: readonly CheckedAddress[],
  destination: Destination,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Socket> {
  const patienceMs = Math.min(MOST_CONNECT_MS, timeoutMs / (addresses.length + 1));
  const failed: unknown[] = [];
  for (const { address } of addresses) {
    signal.throwIfAborted();
    const isLast = failed.length === addresses.length - 1;
    try {
      return await connectTo(address, destination, signal, isLast ? null : patienceMs);
    } catch (error) {
      failed.push(error);
    }
  }
  throw failed.length === 1 ? failed[0] : new AggregateError(failed);
}

async function connectTo(
  address: string,
  { host, port, secure, protocols }: Destination,
  signal: AbortSignal,
  patienceMs: number | null,
): Promise<Socket> {
  const where = { host: address, port };
  // The certificate is to be that of the name, not of the address; SNI takes names alone.
  const named = isIP(host.replace(/^\[|\]$/g, '')) ? {} : { servername: host };
  const socket = secure
    ? connectTls({ ...where, ...named, ...(protocols && { ALPNProtocols: protocols }) })
    : connectTcp(where);
  const stop = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const giveUp = () => socket.destroy(new Error(`${address} did not answer within ${Math.round(patienceMs ?? 0)} ms`));
  const timer = patienceMs === null ? undefined : setTimeout(giveUp, patienceMs);
  try {
    await once(socket, secure ? 'secureConnect' : 'connect');
    // Until its user listens: an error without a listener would end the process.
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
