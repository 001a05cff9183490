import { type IdentityProblem, identityProblem } from '../certificate/identity.ts';
import { messageOf, ProbeFailure } from '../failure.ts';
import { hostOf } from '../request.ts';
import { type FinishedHandshake, serverNameOf } from '../tls/tls.ts';
import { tlsFailure } from '../tls/tls-failure.ts';
import { withinPhase } from './deadline.ts';
import type { Connected, Run, Secured } from './stages.ts';

/** Waits for the handshake that `connect` began, and judges the server's identity before any request is sent. */
export async function secure(connected: Connected, run: Run): Promise<Secured> {
  const { tls, tap, connection } = connected;
  const { settings } = run.request;
  const { clock } = run.environment;
  const handshake = await withinPhase(clock, 'tls', settings.timeouts.tls, run.overall, () => tls.finished).catch(
    (error: unknown) => {
      throw tlsFailure(error, tap.wire);
    },
  );
  // Without a request the figures are asked for right after this.
  if (settings.http) connection.kernel?.info();
  const bytesOut = tap.wire.bytes.out;
  const leaf = tls.socket.getPeerX509Certificate();
  const problem = problemOf(leaf, handshake, run);
  const secured = run.keep({ ...connected, handshake, bytesOut, leaf, problem });
  if (problem && settings.verify) throw new ProbeFailure('tls', problem.reason, 'target', problem.message);
  return secured;
}

function problemOf(leaf: Secured['leaf'], handshake: FinishedHandshake, { url, request }: Run): IdentityProblem | null {
  const { settings } = request;
  try {
    return identityProblem(handshake, leaf, serverNameOf(hostOf(url), settings), settings.caPem !== null);
  } catch (error) {
    return { reason: 'cert_invalid', message: messageOf(error) };
  }
}
