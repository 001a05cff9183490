import type { Contrast } from './contrast.ts';
import { meanOf, medianOf } from './order-statistics.ts';
import type { Cause } from './sample.ts';

/** Connect moved by at least this part of TLS's logarithmic change: the path did it. */
const OF_THE_PATH = 0.5;
/** The server's time to think moved by at least this part of TLS's milliseconds: the server is slow at all it does. */
const OF_THE_SERVER = 0.25;
/** Changes of TLS alone within this of a whole number of round trips look like structure. */
const NEAR_WHOLE = 0.2;

/**
 * Why TLS time moved on a line; `siblings` are what the same hours did to the same target's other lines. Connect, then
 * the server's time to think; where neither moved, whether vantages lost the same milliseconds (server) or milliseconds
 * in proportion to their round trip (the structure of the handshake).
 */
export function causeOf(own: Contrast, siblings: readonly Contrast[]): Cause {
  const moved = siblings.filter((each) => Math.sign(each.tls) === Math.sign(own.tls) && each.tls / own.tls > 0.25);
  // Neighbours that moved along are the same change seen again: their middle is surer than one line.
  const shared = moved.length >= 2 && moved.length >= siblings.length / 2;
  const all = shared ? [own, ...moved] : [own];
  if (own.connect / own.tls >= OF_THE_PATH) return 'network';
  const think = medianOf(all.map((each) => each.thinkMs / each.tlsMs));
  if (think >= OF_THE_SERVER && Math.abs(own.thinkMs) > 2 * own.thinkNoise) return 'server';
  if (shared && spreadOfRoundTrips(all) > 0.2) return inProportion(all) ? 'tls' : 'server';
  return looksWhole(own) ? 'tls' : 'server';
}

function spreadOfRoundTrips(all: readonly Contrast[]): number {
  return variation(all.map(({ roundTrip }) => roundTrip));
}

/** Whether ms per round trip vary less from line to line than ms. */
function inProportion(all: readonly Contrast[]): boolean {
  return variation(all.map(({ tlsMs, roundTrip }) => tlsMs / roundTrip)) < variation(all.map(({ tlsMs }) => tlsMs));
}

/** Coefficient of variation. */
function variation(values: number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2))) / Math.abs(mean);
}

function looksWhole({ tlsMs, roundTrip }: Contrast): boolean {
  const trips = Math.abs(tlsMs / roundTrip);
  return trips > 0.5 && Math.abs(trips - Math.round(trips)) <= NEAR_WHOLE;
}
