import type { Handshake, Hellos, ResultTls, WireRecord } from '#contract/tls.ts';
import { KEY_EXCHANGES, type KeyExchange } from '#contract/vocabulary.ts';
import { roundMs } from '../format.ts';
import type { Connected, Secured } from '../phases/stages.ts';
import { expectedRoundTrips, type Flights, fullFlightOf, implausible } from '../round-trips/flights.ts';
import { sessionOfferOf } from '../tls/session-offer.ts';
import type { FinishedHandshake } from '../tls/tls.ts';
import { parseClientHello } from '../wire/client-hello.ts';
import { compressionName, groupName, versionName } from '../wire/names.ts';
import type { WireObserver } from '../wire/wire.ts';
import { certificateOf, type Shown, stapleOf, whatServerShowed } from './server-certificate.ts';

/** Largest ratio of tls to tcp that a Result holds. */
const MAX_RATIO = 1_000_000;
const MESSAGE_HEADER = 4;

/** The instants that TLS is dated by: where offsets count from, and durations in ms (null for what did not happen). */
type Times = { origin: number; tcpMs: number; handshakeMs: number | null; beforeHelloMs: number };

/**
 * What is known of TLS; null where no byte of it was sent. A failed handshake still shows its records. `caPem` are the
 * user's own roots, `host` the name that the certificate must be for.
 */
export function tlsOf(
  { caPem, host }: { caPem: string | null; host: string },
  connected: Connected,
  secured: Secured | null,
  flights: Flights | null,
  times: Times,
): ResultTls | null {
  const { tls, tap, startedAt } = connected;
  const { wire } = tap;
  if (wire.bytes.out === 0) return null;
  const handshake = secured?.handshake;
  const { serverHello } = wire;
  const version = handshake?.version ?? (serverHello ? versionName(serverHello.version) : null);
  const shown = secured && whatServerShowed(secured, caPem);
  return {
    version,
    cipher: handshake?.cipher ?? null,
    group: groupOf(wire),
    alpn: handshake?.alpn ?? serverHello?.alpn ?? null,
    resumed: handshake?.resumed ?? false,
    helloRetry: wire.helloRetry,
    handshake: handshakeOf(wire, secured, version, flights, times),
    certificate: certificateOf(shown, secured?.problem ?? null, host),
    staple: stapleOf(shown, tls.staple(), startedAt),
    hellos: hellosOf(wire),
    ...sessionOf(version, connected, shown),
    wire: recordsOf(wire, times.origin),
    keyExchange: handshake ? keyExchangeOf(handshake, wire) : null,
    falseStart: handshake ? allowsFalseStart(handshake) : null,
    flightBytes: handshake && !handshake.resumed && flights ? flightBytesOf(wire, handshake, flights) : null,
    certificateCompression: shown?.compression ? compressionName(shown.compression) : null,
  };
}

/** By the cipher's name up to TLS 1.2; TLS 1.3 has its key share in clear text. */
function keyExchangeOf({ version, cipher, resumed }: FinishedHandshake, wire: WireObserver): KeyExchange | null {
  if (version === 'TLSv1.3') return wire.serverHello?.group == null ? 'PSK' : 'ECDHE';
  if (resumed) return 'PSK';
  const name = /^TLS_(ECDHE|DHE|RSA)_/.exec(cipher ?? '')?.[1];
  return KEY_EXCHANGES.find((each) => each === name) ?? null;
}

/** What browsers ask for before they send a request ahead of the server's Finished (RFC 7918; Chromium, Firefox). */
function allowsFalseStart({ version, cipher, alpn, resumed }: FinishedHandshake): boolean | null {
  if (version !== 'TLSv1.2' || resumed) return null;
  return /^TLS_ECDHE_.*(GCM|CHACHA20)/.test(cipher ?? '') && alpn !== null;
}

function flightBytesOf(
  { chunks }: WireObserver,
  { lastArrival }: FinishedHandshake,
  { rttMs }: Flights,
): number | null {
  return fullFlightOf(chunks, lastArrival, rttMs)?.bytes ?? null;
}

/** The group in clear text: the key share of a TLS 1.3 ServerHello, or the curve of a TLS 1.2 key exchange. */
function groupOf(wire: WireObserver): string | null {
  const group = wire.serverHello?.group ?? wire.keyExchange?.curve;
  return group === null || group === undefined ? null : groupName(group);
}

/** What both sides said in clear text; null where no ClientHello left. Read from the bytes that were kept, now. */
export function hellosOf({ clientHello: body, serverHello }: WireObserver): Hellos | null {
  const offered = body && parseClientHello(body);
  if (!offered) return null;
  return {
    clientBytes: body.length + MESSAGE_HEADER,
    offeredVersions: offered.versions.slice(0, 16).map(versionName),
    offeredGroups: offered.groups.slice(0, 32).map(groupName),
    keyShares: offered.keyShares.slice(0, 16).map(groupName),
    offeredAlpn: offered.alpn,
    offeredCompression: offered.compressions.slice(0, 16).map(compressionName),
    serverLegacyVersion: serverHello ? versionName(serverHello.legacyVersion) : null,
  };
}

/**
 * Node hands out no session of over 10 kB (SecureContext::kMaxSessionSize), and a session holds the server's own certificate. Of
 * a large one only a ServerHello up to TLS 1.2 can say that the server gave none.
 */
const LARGEST_LEAF_BYTES = 8_000;

function sessionOf(version: string | null, { tls, tap }: Connected, shown: Shown | null): Pick<ResultTls, 'session'> {
  const session = sessionOfferOf(version, tls.session(), tap.ticketArrivals.length);
  const leafBytes = shown?.chain.certificates[0]?.x509?.raw.length ?? 0;
  if (session !== null || leafBytes <= LARGEST_LEAF_BYTES) return { session };
  const gaveNone = version !== 'TLSv1.3' && tap.wire.serverHello?.session === false;
  return gaveNone ? { session } : {};
}

/** Round trips, flights and sizes of the handshake; of one that failed, the sizes so far. */
function handshakeOf(
  wire: WireObserver,
  secured: Secured | null,
  version: string | null,
  flights: Flights | null,
  { tcpMs, handshakeMs, beforeHelloMs }: Times,
): Handshake {
  const finished = secured?.handshake;
  const expected = finished ? expectedRoundTrips(version, finished.resumed, wire.helloRetry) : null;
  const uncountable = flights === null || expected === null || implausible(flights, tcpMs);
  const ratio = handshakeMs !== null && tcpMs > 0 ? Math.max(0, handshakeMs) / tcpMs : null;
  const workMs = finished && Math.max(0, finished.doneAt - finished.lastArrival);
  return {
    roundTrips: uncountable ? null : flights.flights,
    expectedRoundTrips: expected,
    rttRatio: ratio === null ? null : Math.min(MAX_RATIO, roundMs(ratio)),
    wireMs: finished && flights ? roundMs(flights.wireMs) : null,
    localMs: workMs === undefined ? null : roundMs(beforeHelloMs + workMs),
    flights: finished && flights ? flights.flights : null,
    records: finished?.records ?? wire.count('in'),
    bytesIn: finished?.bytesIn ?? wire.bytes.in,
    bytesOut: secured?.bytesOut ?? wire.bytes.out,
  };
}

function recordsOf(wire: WireObserver, origin: number): WireRecord[] {
  return wire.records.map(({ at, direction, name, bytes }) => ({
    atMs: roundMs(Math.max(0, at - origin)),
    direction,
    type: name.slice(0, 32),
    bytes,
  }));
}
