import type { TLSSocket } from 'node:tls';
import type { ProbeEnvironment } from '../interfaces.ts';
import type { ProbeRequest } from '../request.ts';
import type { Evidence } from './evidence.ts';
import { marksOf, phasesOf } from './phases.ts';

/** Beyond one round trip a server may take this long (ms) to make its tickets. */
const GRACE_MS = 50;

/** So long (ms) may the words that end a connection take to leave: they are a record of 24 bytes or 31. */
const FAREWELL_MS = 50;

/**
 * Makes a session of a probe that is to be resumed worth offering. One that ends with the handshake waits for its first
 * ticket, which TLS 1.3 sends one round trip later: one round trip and 50 ms at most, and never longer than the probe may
 * last. Then it takes leave: many servers forget a session whose connection ended without a word. Nothing of the Result
 * is stamped meanwhile.
 */
export async function ticketAfterHandshake(
  request: ProbeRequest,
  environment: ProbeEnvironment,
  evidence: Evidence,
): Promise<void> {
  if (!request.settings.resume || evidence.failure || !evidence.line) return;
  await firstTicket(request, environment, evidence);
  if (evidence.line.session() !== null) await takeLeave(evidence.line.socket);
}

async function firstTicket(
  { settings, timeoutMs }: ProbeRequest,
  { clock }: ProbeEnvironment,
  { stamps, cuts, line, secured }: Evidence,
): Promise<void> {
  if (settings.http || !line || line.session() !== null) return;
  if (secured?.version !== 'TLSv1.3' || secured.resumed) return;
  const roundTripMs = phasesOf(marksOf(stamps, cuts), false).tcp ?? 0;
  const leftMs = stamps.start + timeoutMs - clock.now();
  await sessionWithin(line.socket, Math.min(roundTripMs + GRACE_MS, leftMs));
}

/** Ends the connection with TLS's own word for it (close_notify), which has left when this resolves. */
function takeLeave(socket: TLSSocket): Promise<void> {
  if (socket.destroyed || socket.writableEnded) return Promise.resolve();
  return new Promise((settle) => {
    const timer = setTimeout(settle, FAREWELL_MS);
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
