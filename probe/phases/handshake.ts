import { identityProblem } from '../certificate/identity.ts';
import { messageOf, ProbeFailure } from '../failure.ts';
import type { ProbeEnvironment } from '../interfaces.ts';
import type { ProbeRequest } from '../request.ts';
import { serverNameOf } from '../tls/tls.ts';
import { tlsFailure } from '../tls/tls-failure.ts';
import { hostOf } from './connect.ts';
import { type Overall, withinPhase } from './deadline.ts';
import type { Evidence } from './evidence.ts';

/** Waits for the handshake that `reach` began, and judges whom we speak to before anything is asked. */
export async function handshake(
  url: URL,
  { settings }: ProbeRequest,
  { clock }: ProbeEnvironment,
  overall: Overall,
  evidence: Evidence,
): Promise<void> {
  const { line, tap } = evidence;
  if (!line || !tap) throw new Error('the handshake was not begun');
  const secured = await withinPhase(clock, 'tls', settings.timeouts.tls, overall, () => line.secured).catch(
    (error: unknown) => {
      throw tlsFailure(error, tap.wire);
    },
  );
  evidence.secured = secured;
  // Without a request the figures are asked for right after this.
  if (settings.http) evidence.kernel?.info();
  evidence.stamps = { ...evidence.stamps, appconnect: secured.lastArrival };
  evidence.handshakeBytesOut = tap.wire.bytes.out;
  evidence.leaf = line.socket.getPeerX509Certificate();
  const name = serverNameOf(hostOf(url), settings);
  try {
    evidence.problem = identityProblem(line.socket, evidence.leaf, name, settings.caPem !== null);
  } catch (error) {
    evidence.problem = { reason: 'cert_invalid', message: messageOf(error) };
  }
  const { problem } = evidence;
  if (problem && settings.verify) throw new ProbeFailure('tls', problem.reason, 'target', problem.message);
}
