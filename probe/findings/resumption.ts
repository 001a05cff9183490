import { connectMsOf, type Finding, type Result } from '#contract/result.ts';
import { fact, waste } from './finding.ts';

/**
 * What a pair shows: a full handshake, and after it one that offered the session of the first. Null where it was
 * resumed, where the server gave nothing to resume with, or where either handshake failed.
 */
export function ticketFinding(full: Result, second: Result): Finding | null {
  const offer = full.tls?.session;
  if (!offer || !full.tls || full.tls.resumed || !second.tls) return null;
  const { roundTrips, wireMs } = second.tls.handshake;
  const finished = wireMs !== null;
  if (!finished || second.tls.resumed) return null;
  const given = offer.tickets > 0 ? `${offer.tickets} ticket${offer.tickets === 1 ? '' : 's'}` : 'a session';
  const cost = roundTrips === null ? '' : `, in ${roundTrips} round trips`;
  const shown = `the server gave ${given}, but took none back right after${elsewhere(full, second)}: the second handshake was a full one again${cost}`;
  const evidence = `${shown}; consistent with ticket keys that several servers do not share or that have just changed, or with resumption switched off`;
  const tcp = connectMsOf(second);
  const wastes = second.tls.version === 'TLSv1.2' && tcp !== null;
  const values = {
    tickets: offer.tickets,
    roundTrips: roundTrips ?? 0,
    ...(elsewhere(full, second) ? { elsewhere: second.network.peerAddress ?? '' } : {}),
  };
  return wastes
    ? waste('tickets_do_not_resume', 1, tcp, evidence, values)
    : fact('tickets_do_not_resume', 'warning', evidence, values);
}

function elsewhere(full: Result, second: Result): string {
  const [from, to] = [full.network.peerAddress, second.network.peerAddress];
  return from === to ? '' : ` at another address (${to} after ${from})`;
}
