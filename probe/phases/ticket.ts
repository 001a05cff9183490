import type { TLSSocket } from 'node:tls';
import type { Run, Secured } from './stages.ts';

/** Beyond one round trip a server may take this long (ms) to make its tickets. */
const GRACE_MS = 50;

/** So long (ms) may the alert that ends a connection take to leave: it is a record of 24 bytes or 31. */
const CLOSING_MS = 50;

/**
 * Makes a session of a probe that is to be resumed worth offering. One that ends with the handshake waits for its first
 * ticket, which TLS 1.3 sends one round trip later: one round trip and 50 ms at most, and never longer than the probe may
 * last. Then it closes the connection in order: many servers forget a session whose connection ended without a
 * close_notify. Nothing of the Result is stamped meanwhile.
 */
export async function ticketAfterHandshake(secured: Secured, run: Run): Promise<void> {
  if (!run.request.settings.resume) return;
  await firstTicket(secured, run);
  if (secured.tls.session() !== null) await closeInOrder(secured.tls.socket);
}

async function firstTicket(secured: Secured, { request, environment, overall }: Run): Promise<void> {
  const { tls, handshake } = secured;
  if (request.settings.http || tls.session() !== null) return;
  if (handshake.version !== 'TLSv1.3' || handshake.resumed) return;
  const { connectedAt, connection, attemptAt } = secured;
  const roundTripMs = Math.max(0, connectedAt - (connection.kernel?.synAt ?? attemptAt));
  const leftMs = overall.endsAt - environment.clock.now();
  await sessionWithin(tls.socket, Math.min(roundTripMs + GRACE_MS, leftMs));
}

/** Ends the connection with a close_notify, which has left when this resolves. */
function closeInOrder(socket: TLSSocket): Promise<void> {
  if (socket.destroyed || socket.writableEnded) return Promise.resolve();
  return new Promise((settle) => {
    const timer = setTimeout(settle, CLOSING_MS);
    const left = () => {
      clearTimeout(timer);
      settle();
    };
    socket.once('close', left);
    socket.end(left);
  });
}

function sessionWithin(socket: NodeJS.EventEmitter & { resume(): unknown }, ms: number): Promise<void> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, Math.max(0, ms));
    for (const event of ['session', 'close'] as const) {
      socket.once(event, () => {
        clearTimeout(timer);
        settle();
      });
    }
    // Tickets are read along with application data alone.
    socket.resume();
  });
}
