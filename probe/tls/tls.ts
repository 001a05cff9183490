/**
 * TLS on a connection. A Tap (tap.ts) stands between the TCP stream and Node's TLS: it stamps and observes every chunk
 * before any cryptography, and bounds what a server may send. `startTls` puts TLS on it, with a context made once for the
 * same settings (secure-context.ts), before there is a stream. When the handshake is over, `finished` has its figures; the
 * staple, the newest session (session-offer.ts reads it) and the server's secret come by themselves. What went wrong is
 * named by tls-failure.ts.
 */
import { isIP } from 'node:net';
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { ProbeSettings } from '#contract/target.ts';
import type { VerifyError } from '../certificate/identity.ts';
import type { Clock } from '../clock.ts';
import type { Tap } from './tap.ts';

const SERVER_SECRET = 'SERVER_HANDSHAKE_TRAFFIC_SECRET ';

/** What the handshake left behind, stamped or noted as it happened. */
export type FinishedHandshake = {
  /** When the bytes that ended the handshake had arrived, and when TLS had worked on them. */
  lastArrival: number;
  doneAt: number;
  /** Server records and bytes of both directions until then. */
  records: number;
  bytesIn: number;
  /** What was agreed on: read at once, since a closed socket no longer has it. */
  version: string | null;
  cipher: string | null;
  alpn: string | null;
  resumed: boolean;
  /** OpenSSL's verdict on the chain; null where it is trusted. */
  verifyError: VerifyError | null;
};

/** TLS put on a tap. `finished` settles with the handshake; the staple and the newest session come by themselves. */
export type TlsConnection = {
  socket: TLSSocket;
  finished: Promise<FinishedHandshake>;
  /** The first error of TLS or the connection, which may come after the handshake; null while there is none. */
  error(): Error | null;
  staple(): Buffer | null;
  session(): Buffer | null;
  /** The secret under which the server enciphered its handshake (TLS 1.3); null where there was none. */
  serverSecret(): Buffer | null;
};

/**
 * The name that is sent as SNI and that the certificate must carry; for a literal address none is sent. The dot that
 * ends an absolute name is DNS's alone (RFC 6066, section 3).
 */
export function serverNameOf(host: string, settings: ProbeSettings): string {
  return (settings.sni ?? host).replace(/\.$/, '');
}

/**
 * Starts TLS on the tap. The ClientHello is made at once and leaves when the tap is attached, so that its cost falls
 * into the TCP connect's wait. Verification is left to `certificate/identity.ts`: a bad certificate is then seen, not just refused.
 */
export function startTls(
  tap: Tap,
  clock: Clock,
  context: SecureContext,
  host: string,
  settings: ProbeSettings,
  session: Buffer | undefined,
): TlsConnection {
  const name = serverNameOf(host, settings);
  const socket = tlsConnect({
    socket: tap,
    secureContext: context,
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    requestOCSP: true,
    ALPNProtocols: settings.alpn,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(session ? { session } : {}),
  });
  // Node would read the whole chain into objects for checkServerIdentity, a tenth of a probe; identity.ts looks itself.
  Object.assign(socket, { getPeerCertificate: () => ({}) });
  let error: Error | null = null;
  let staple: Buffer | null = null;
  let newest: Buffer | null = null;
  socket.on('error', (problem: Error) => {
    error ??= problem;
  });
  tap.on('error', (problem: Error) => {
    error ??= problem;
  });
  socket.on('OCSPResponse', (response: Buffer | null) => {
    staple = response;
  });
  let keyLog: Buffer | null = null;
  socket.on('keylog', (line: Buffer) => {
    if (line.toString('latin1', 0, SERVER_SECRET.length) === SERVER_SECRET) keyLog = line;
  });
  socket.on('session', (given: Buffer) => {
    newest = given;
    tap.noteTicket();
  });
  const finished = finishedHandshake(tap, clock, socket);
  // The caller may have given up in the connect phase already.
  finished.catch(() => {});
  return {
    socket,
    finished,
    error: () => error,
    staple: () => staple,
    session: () => newest,
    serverSecret: () => secretOf(keyLog),
  };
}

/** A line of the key log: a label, the ClientHello's random and the secret, the latter two in hexadecimal. */
function secretOf(line: Buffer | null): Buffer | null {
  const secret = line?.toString('latin1').trim().split(' ')[2];
  return secret ? Buffer.from(secret, 'hex') : null;
}

/** Node keeps the code alone, as a string where its types promise an Error; its handle has the words too. */
function verifyErrorOf(socket: TLSSocket & { _handle?: { verifyError?(): Error | null } | null }): VerifyError | null {
  if (socket.authorized) return null;
  const code = String(socket.authorizationError);
  return { code, words: socket._handle?.verifyError?.()?.message ?? code };
}

function finishedHandshake(tap: Tap, clock: Clock, socket: TLSSocket): Promise<FinishedHandshake> {
  return new Promise((settle, reject) => {
    let done = false;
    socket.once('secureConnect', () => {
      const now = clock.now();
      done = true;
      tap.endHandshake();
      settle({
        doneAt: now,
        lastArrival: tap.deliveredAt ?? now,
        records: tap.wire.count('in'),
        bytesIn: tap.wire.bytes.in,
        version: socket.getProtocol(),
        cipher: socket.getCipher().standardName ?? null,
        alpn: socket.alpnProtocol || null,
        resumed: socket.isSessionReused(),
        verifyError: verifyErrorOf(socket),
      });
    });
    socket.once('error', reject);
    tap.once('error', reject);
    // An Error costs a walk through the stack, which every probe that ends well would pay.
    socket.once('close', () => {
      if (!done) reject(new Error('the connection closed during the handshake'));
    });
  });
}
