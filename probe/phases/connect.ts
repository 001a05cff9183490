import type { SecureContext } from 'node:tls';
import { ProbeFailure, tcpFailure } from '../failure.ts';
import { inOwnTurn } from '../load/turns.ts';
import type { Connection, ResolvedAddress } from '../network/network.ts';
import { hostOf, type ProbeRequest, refuseAddress } from '../request.ts';
import { Tap } from '../tls/tap.ts';
import { startTls, type TlsConnection } from '../tls/tls.ts';
import { withinPhase } from './deadline.ts';
import type { Connected, Connecting, Resolved, Run } from './stages.ts';

const HTTPS_PORT = 443;

/**
 * Connects to the first of the addresses that answers, and puts the tap and TLS on the connection. An attempt that failed
 * was no wait for the one that answers: all the rest is measured as if that had been the first.
 */
export async function connect(resolved: Resolved, run: Run, context: SecureContext): Promise<Connected> {
  const { addresses } = resolved;
  const { clock } = run.environment;
  let againAt: number | null = null;
  for (const [index, address] of addresses.entries()) {
    const others = addresses.length - index - 1;
    // As in curl, an address gets half of the time that is left while there are others to try.
    const left = Math.max(0, Math.floor((run.overall.endsAt - clock.now()) / 2));
    const tcpMs = Math.min(run.request.settings.timeouts.tcp, others > 0 ? left : Number.POSITIVE_INFINITY);
    const port = run.url.port === '' ? HTTPS_PORT : Number(run.url.port);
    const destination = { ...address, port };
    try {
      const connecting = run.keep({ ...resolved, destination, againAt, failedConnect: null });
      return await connectTo(connecting, tcpMs, run, context);
    } catch (error) {
      if (others === 0 || clock.now() >= run.overall.endsAt) throw triedAll(error, addresses.slice(0, index + 1));
      againAt = clock.now();
    }
  }
  throw new Error('there is no address to connect to');
}

/** What is said where several were tried names them all. */
function triedAll(error: unknown, tried: readonly ResolvedAddress[]): unknown {
  if (tried.length < 2 || !(error instanceof ProbeFailure)) return error;
  const { phase, reason, source, message } = error.failure;
  const addresses = tried.map(({ address }) => address).join(', ');
  return new ProbeFailure(phase, reason, source, `${message} (tried ${addresses})`);
}

/** What was connected to is held against the rules as well: nothing is sent to a peer that is not the address asked for. */
function refuseConnected({ stream, peerAddress }: Connection, request: ProbeRequest): void {
  if (peerAddress === null) return;
  try {
    refuseAddress(peerAddress, request, 'tcp');
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Connects to one address within `tcpMs`; the ClientHello is made while the SYN is on its way. */
async function connectTo(connecting: Connecting, tcpMs: number, run: Run, context: SecureContext): Promise<Connected> {
  const { address, port, family } = connecting.destination;
  const { request, environment, url, overall } = run;
  const { clock, network } = environment;
  refuseAddress(address, request, 'tcp');
  const tap = new Tap(clock);
  let tls: TlsConnection | undefined;
  const started = () => {
    tls ??= startTls(tap, clock, context, hostOf(url), request.settings, request.session);
    return tls;
  };
  try {
    const { connection, connectedAt } = await withinPhase(clock, 'tcp', tcpMs, overall, async (signal) => {
      const connected = network.connect(address, port, family, signal, (failedConnect) =>
        run.keep({ ...connecting, failedConnect }),
      );
      // Where the connect was faster, the ClientHello is made right after it.
      inOwnTurn(() => {
        if (!signal.aborted && !tap.destroyed) started();
      });
      const connection = await connected;
      const connectedAt = connection.kernel?.connectedAt ?? clock.now();
      if (signal.aborted) connection.stream.destroy();
      refuseConnected(connection, request);
      return { connection, connectedAt };
    }).catch((error: unknown) => {
      throw error instanceof ProbeFailure ? error : tcpFailure(error);
    });
    const connected = run.keep({ ...connecting, connectedAt, connection, tap, tls: started() });
    tap.attach(connection.stream, connection.kernel);
    return connected;
  } catch (error) {
    tls?.socket.destroy();
    tap.destroy();
    throw error;
  }
}
