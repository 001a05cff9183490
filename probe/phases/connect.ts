import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { addressProblem } from '#contract/public-address.ts';
import { parseResolver } from '#contract/resolver.ts';
import { dnsFailure, ProbeFailure, tcpFailure } from '../failure.ts';
import type { Connection, Family, ProbeEnvironment, ResolvedAddress } from '../interfaces.ts';
import { stampLateness } from '../load/lateness.ts';
import { inOwnTurn } from '../load/turns.ts';
import type { ProbeRequest } from '../request.ts';
import { Tap } from '../tls/tap.ts';
import { startTls } from '../tls/tls.ts';
import { noteFailedConnect } from './connect-failure.ts';
import { type Overall, withinPhase } from './deadline.ts';
import type { Evidence } from './evidence.ts';

/** The host of a URL as a name or a bare address: URLs put IPv6 into brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/** Looks the name up, judges the address, connects, and puts tap and TLS on the connection. */
export async function reach(
  url: URL,
  request: ProbeRequest,
  environment: ProbeEnvironment,
  context: SecureContext,
  overall: Overall,
  evidence: Evidence,
): Promise<void> {
  const targets = await addressesOf(hostOf(url), request, environment, overall, evidence);
  const { clock } = environment;
  for (const [index, target] of targets.entries()) {
    const others = targets.length - index - 1;
    // As in curl, an address gets half of the time that is left while there are others to try.
    const left = Math.max(0, Math.floor((overall.endsAt - clock.now()) / 2));
    const tcpMs = Math.min(request.settings.timeouts.tcp, others > 0 ? left : Number.POSITIVE_INFINITY);
    try {
      await connectTo(target, url, request, environment, context, tcpMs, overall, evidence);
      return;
    } catch (error) {
      if (others === 0 || clock.now() >= overall.endsAt) throw triedAll(error, targets.slice(0, index + 1));
      // The attempt was no wait for the one that answers: all the rest is measured as if it had been the first.
      startAnew(evidence, clock.now());
    }
  }
}

/** What is said where several were tried names them all. */
function triedAll(error: unknown, tried: ResolvedAddress[]): unknown {
  if (tried.length < 2 || !(error instanceof ProbeFailure)) return error;
  const { phase, reason, source, message } = error.failure;
  return new ProbeFailure(
    phase,
    reason,
    source,
    `${message} (tried ${tried.map(({ address }) => address).join(', ')})`,
  );
}

function startAnew(evidence: Evidence, at: number): void {
  evidence.line?.socket.destroy();
  evidence.line = null;
  evidence.tap?.destroy();
  evidence.tap = null;
  evidence.cuts = { ...evidence.cuts, beforeSynMs: at - evidence.stamps.start };
}

/** Connects to one address within `tcpMs`, and puts tap and TLS on the connection. */
async function connectTo(
  target: ResolvedAddress,
  url: URL,
  request: ProbeRequest,
  environment: ProbeEnvironment,
  context: SecureContext,
  tcpMs: number,
  overall: Overall,
  evidence: Evidence,
): Promise<void> {
  evidence.network.peerAddress = target.address;
  evidence.network.family = target.family;
  const port = url.port === '' ? 443 : Number(url.port);
  evidence.network.peerPort = port;
  const problem = request.allowPrivate ? null : addressProblem(target.address);
  if (problem) throw new ProbeFailure('tcp', 'address_not_allowed', 'target', `${problem}; it is not probed`);
  const { clock, network } = environment;
  const tap = new Tap(clock);
  evidence.tap = tap;
  const connection = await withinPhase(clock, 'tcp', tcpMs, overall, async (signal) => {
    const connecting = network.connect(target.address, port, target.family, signal, (info) =>
      noteFailedConnect(evidence.network, info),
    );
    inOwnTurn(() => {
      if (!signal.aborted && !tap.destroyed) prepareTls(tap, url, request, environment, context, evidence);
    });
    const connection = await connecting;
    evidence.stamps = { ...evidence.stamps, connect: connection.kernel?.connectedAt ?? clock.now() };
    if (signal.aborted) connection.stream.destroy();
    return connection;
  }).catch((error: unknown) => {
    evidence.stamps = { ...evidence.stamps, connect: undefined };
    throw error instanceof ProbeFailure ? error : tcpFailure(error);
  });
  noteConnection(evidence, connection);
  prepareTls(tap, url, request, environment, context, evidence);
  tap.attach(connection.stream, connection.kernel);
}

/** Makes the ClientHello while the SYN is on its way, or right after it where the connect was faster. */
function prepareTls(
  tap: Tap,
  url: URL,
  request: ProbeRequest,
  { clock }: ProbeEnvironment,
  context: SecureContext,
  evidence: Evidence,
): void {
  evidence.line ??= startTls(tap, clock, context, hostOf(url), request.settings, request.session);
}

function noteConnection(evidence: Evidence, connection: Connection): void {
  const { network } = evidence;
  evidence.kernel = connection.kernel ?? null;
  if (connection.kernel) {
    const { start, namelookup = start } = evidence.stamps;
    evidence.cuts = { ...evidence.cuts, beforeSynMs: connection.kernel.synAt - namelookup };
  }
  network.peerAddress = connection.peerAddress ?? network.peerAddress;
  network.peerPort = connection.peerPort ?? network.peerPort;
  network.localAddress = connection.localAddress;
  network.localPort = connection.localPort;
  network.family = connection.family ?? network.family;
}

/**
 * The addresses to try. A literal or fixed one needs no look-up, and then there is no dns phase. Of those that a look-up
 * finds the first alone: the same is measured each time.
 */
async function addressesOf(
  host: string,
  { settings, allowPrivate, otherAddresses = [] }: ProbeRequest,
  { clock, network }: ProbeEnvironment,
  overall: Overall,
  evidence: Evidence,
): Promise<ResolvedAddress[]> {
  const { network: noted } = evidence;
  const literals = settings.address === null ? [host] : [settings.address, ...otherAddresses];
  if (literals.every((literal) => isIP(literal) !== 0)) return ofFamily(literals, settings.family);
  if (settings.resolver !== null && !allowPrivate) refusePrivateResolver(settings.resolver);
  const onAsked = (resolver: string) => {
    noted.resolver = resolver;
  };
  const found = await withinPhase(clock, 'dns', settings.timeouts.dns, overall, (signal) =>
    network.resolve(host, settings.family, signal, onAsked, settings.resolver),
  ).catch((error: unknown) => {
    throw error instanceof ProbeFailure ? error : dnsFailure(error);
  });
  noted.resolver = found.resolver;
  const address = found.addresses.find(({ family }) => settings.family === null || settings.family === family);
  if (!address) throw new ProbeFailure('dns', 'dns_no_address', 'target', `${host} has no address to connect to`);
  const namelookup = clock.now();
  evidence.stamps = { ...evidence.stamps, namelookup };
  evidence.lookupLateMs = stampLateness(namelookup);
  return [address];
}

/** A resolver of somebody's choice is reached over the network as a target is, and is guarded alike. */
function refusePrivateResolver(resolver: string): void {
  const problem = addressProblem(parseResolver(resolver)?.address ?? resolver);
  if (problem) throw new ProbeFailure('dns', 'address_not_allowed', 'target', `${problem}; it is not asked`);
}

function ofFamily(literals: string[], wanted: Family | null): ResolvedAddress[] {
  const found = literals.map((address): ResolvedAddress => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  const fitting = found.filter(({ family }) => wanted === null || wanted === family);
  if (fitting.length > 0) return fitting;
  const what = literals.length === 1 ? `${literals[0]} is no` : `none of ${literals.join(', ')} is an`;
  throw new ProbeFailure('dns', 'dns_no_address', 'target', `${what} IPv${wanted} address`);
}
