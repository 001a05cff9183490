import type { Evidence } from './evidence.ts';
import type { ProbeEnvironment } from './interfaces.ts';
import type { ProbeRequest } from './request.ts';

/** Beyond one round trip a server may take this long (ms) to make its tickets. */
const GRACE_MS = 50;

/**
 * Waits for the first session ticket of a probe that is to be resumed and ends with the handshake: TLS 1.3 sends tickets
 * one round trip later. Takes one round trip and 50 ms at most, and never longer than the probe may last. Nothing of
 * the Result is stamped meanwhile.
 */
export async function ticketAfterHandshake(
  { settings, timeoutMs }: ProbeRequest,
  { clock }: ProbeEnvironment,
  { failure, instants, line, secured }: Evidence,
): Promise<void> {
  if (!settings.resume || settings.http || failure || !line || line.session() !== null) return;
  if (secured?.version !== 'TLSv1.3' || secured.resumed) return;
  const roundTripMs = (instants.connect ?? instants.start) - (instants.namelookup ?? instants.start);
  const leftMs = instants.start + timeoutMs - clock.now();
  await sessionWithin(line.socket, Math.min(roundTripMs + GRACE_MS, leftMs));
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
